"""`accel.reduce`: windows that are clamped at the borders of their inputs."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from mlir import ir

from forebay.dialects.accel import ReduceOp
from forebay.emulator.interpreter.elements import element, loader, storer
from forebay.emulator.interpreter.kernel import (
    KernelOperand,
    compiled,
    is_used,
    multiplies_elements,
)
from forebay.emulator.interpreter.registry import Action, Frame, rule
from forebay.emulator.interpreter.scope import FrameLayout
from forebay.emulator.kernels.affine import evaluator
from forebay.emulator.kernels.indexed import Elements, Indexed
from forebay.emulator.machine.timeline import Work


@rule(ReduceOp)
def reduce(op: ReduceOp, scope: FrameLayout) -> Action:
    """Read the elements of the ins inside the windows and those of the params at each point."""
    parallel, extents = list(op.parallel), [*op.parallel, *op.reduction]
    maps = _maps(op)
    ins, params = len(op.inputs), len(op.params)
    seen = [Indexed(maps[i], tuple(ir.MemRefType(op.inputs[i].type).shape)) for i in range(ins)]
    windows = Elements(extents, seen)
    points = Elements(parallel, [Indexed(map_) for map_ in maps[ins:]])
    used = _used(op)
    accesses = [
        KernelOperand(scope.slot(operand), windows, number, reads=used[number], writes=False)
        for number, operand in enumerate(op.inputs)
    ]
    accesses += [
        KernelOperand(scope.slot(operand), points, number, reads=used[ins + number], writes=False)
        for number, operand in enumerate(op.params)
    ]
    accesses.append(KernelOperand(scope.slot(op.output), points, params, reads=False, writes=True))
    body = op.body.blocks[0]
    elements = list(body.arguments)[len(body.arguments) - ins :]
    macs = windows.points if multiplies_elements(body, elements) else 0
    if scope.program.by_element:
        return _interpreted(op, scope, accesses, macs)
    return compiled(op, scope, accesses, macs)


def _maps(op: ReduceOp) -> list[ir.AffineMap]:
    return [ir.AffineMapAttr(map_).value for map_ in op.maps]


def _used(op: ReduceOp) -> list[bool]:
    """Return for each of the ins and params whether a region uses its elements."""
    ins, params = len(op.inputs), len(op.params)
    body = list(op.body.blocks[0].arguments)
    start, end = (list(region.blocks[0].arguments) for region in (op.init, op.finish))
    of_ins = [is_used(argument) for argument in body[len(body) - ins :]]
    pairs = zip(start, end[len(end) - params :], strict=True)
    return of_ins + [is_used(early) or is_used(late) for early, late in pairs]


def _interpreted(
    op: ReduceOp, scope: FrameLayout, accesses: Sequence[KernelOperand], macs: int
) -> Action:
    """Run the op as it is defined, point by point, with every element checked on its own."""
    site, machine = scope.site(op), scope.machine
    init, body, finish = (scope.body(region) for region in (op.init, op.body, op.finish))
    ins, params = len(op.inputs), len(op.params)
    count = len(init.yields)
    index_of = [[evaluator(expr) for expr in map_.results] for map_ in _maps(op)]
    element_types = [ir.MemRefType(operand.type).element_type for operand in op.operands]
    loads = [loader(type_, machine) for type_ in element_types]
    store = storer(machine)
    shapes = [tuple(ir.MemRefType(operand.type).shape) for operand in op.inputs]
    domain = [list(map(range, extents)) for extents in (op.parallel, op.reduction)]
    into_init, into_body, into_finish = (
        [slot.number for slot in region.arguments] for region in (init, body, finish)
    )

    def load(frame: Frame, number: int, indices: list[int], target: int) -> None:
        view = frame[accesses[number].slot]
        offset = element(view, indices, machine, site)
        frame[target] = loads[number](view, offset, site)

    def at(number: int, point: tuple[int, ...]) -> list[int]:
        return [expr(point) for expr in index_of[number]]

    def load_params(frame: Frame, point: tuple[int, ...], first: list[int]) -> None:
        for number in range(params):
            if accesses[ins + number].reads:
                load(frame, ins + number, at(ins + number, point), first[number])

    def accumulate(frame: Frame, sums: list[object], point: tuple[int, ...]) -> bool:
        indices = [at(number, point) for number in range(ins)]
        if not all(map(_is_inside, indices, shapes)):
            return False
        for number in range(ins):
            if accesses[number].reads:
                load(frame, number, indices[number], into_body[count + number])
        _set(frame, into_body[:count], sums)
        body.run(frame)
        sums[:] = [frame[slot] for slot in body.yields]
        return True

    def one(frame: Frame, point: tuple[int, ...]) -> None:
        load_params(frame, point, into_init)
        init.run(frame)
        sums = [frame[slot] for slot in init.yields]
        seen = sum(accumulate(frame, sums, (*point, *r)) for r in itertools.product(*domain[1]))
        _set(frame, into_finish[: count + 1], [*sums, seen])
        load_params(frame, point, into_finish[count + 1 :])
        finish.run(frame)
        view = frame[accesses[-1].slot]
        offset = element(view, at(ins + params, point), machine, site)
        store(view, offset, frame[finish.yields[0]], site)

    def action(frame: Frame) -> None:
        with machine.ledger.one_op():
            for point in itertools.product(*domain[0]):
                one(frame, point)
        machine.ran(Work(site.what, site.location), macs)

    return action


def _is_inside(indices: list[int], shape: tuple[int, ...]) -> bool:
    return all(0 <= index < size for index, size in zip(indices, shape, strict=True))


def _set(frame: Frame, slots: list[int], values: Sequence[object]) -> None:
    for slot, value in zip(slots, values, strict=True):
        frame[slot] = value
