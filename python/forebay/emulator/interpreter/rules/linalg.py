"""Structured ops of linalg: a body that runs for every point of a domain."""

from __future__ import annotations

import itertools
import math
from typing import Any

from mlir import ir

from forebay.dialects import linalg
from forebay.emulator.interpreter.elements import element, loader, storer
from forebay.emulator.interpreter.kernel import (
    KernelAccesses,
    KernelOperand,
    compiled_kernel,
    has_uses,
    multiplies_elements,
)
from forebay.emulator.interpreter.registry import Action, Frame, rule
from forebay.emulator.interpreter.scope import FrameLayout
from forebay.emulator.kernels.affine import evaluator
from forebay.emulator.kernels.indexed import Indexed, IndexedElements
from forebay.emulator.machine.timeline import Work
from forebay.emulator.memory.faults import NotEmulatedError

_CLASSES = [
    value
    for value in vars(linalg).values()
    if isinstance(value, type)
    and issubclass(value, ir.OpView)
    and value not in (ir.OpView, linalg.YieldOp, linalg.IndexOp)
]


@rule(*_CLASSES)
def structured(op: Any, scope: FrameLayout) -> Action:
    """Read the ins, and the outs if the body uses their old elements; write the outs."""
    maps = _indexing_maps(op)
    arguments = list(op.regions[0].blocks[0].arguments) if len(op.regions) else []
    if not maps or len(arguments) != len(op.operands) or op.results:
        raise NotEmulatedError(op, "is no structured op on memrefs; generalize it first")
    extents = _extents(op, maps)
    outs = _number_of_outs(op)
    elements = IndexedElements(extents, [Indexed(map_) for map_ in maps])
    accesses = [
        KernelOperand(
            scope.slot(operand),
            elements,
            number,
            reads=has_uses(arguments[number]),
            writes=number >= len(maps) - outs,
        )
        for number, operand in enumerate(op.operands)
        if isinstance(operand.type, ir.MemRefType)
    ]
    ins = arguments[: len(maps) - outs]
    macs = elements.points if _accumulates(arguments[-outs:], ins, op) else 0
    if scope.program.by_element:
        return _interpreted(op, scope, accesses, extents, macs)
    whole = KernelAccesses(accesses, elements.points, macs)
    return compiled_kernel(op, scope, lambda _: whole)


def _indexing_maps(op: Any) -> list[ir.AffineMap]:
    """Return one map per operand; the list is empty for an op without such maps."""
    found: Any = linalg.get_indexing_maps(op) or ()
    return [map_.value if isinstance(map_, ir.AffineMapAttr) else map_ for map_ in found]


def _extents(op: Any, maps: list[ir.AffineMap]) -> list[int]:
    """Return the size of each dimension, from an axis that it alone indexes."""
    found: dict[int, int] = {}
    for operand, map_ in zip(op.operands, maps, strict=True):
        if not isinstance(operand.type, ir.MemRefType):
            continue
        for expr, size in zip(map_.results, ir.MemRefType(operand.type).shape, strict=True):
            if isinstance(expr, ir.AffineDimExpr):
                found.setdefault(expr.position, size)
    dims = range(maps[0].n_dims)
    if any(dim not in found or ir.ShapedType.is_dynamic_size(found[dim]) for dim in dims):
        raise NotEmulatedError(op, "has a domain whose size its operands do not say")
    return [found[dim] for dim in dims]


def _number_of_outs(op: Any) -> int:
    for name in ("outputs", "inits", "init"):
        found = getattr(op, name, None)
        if found is not None:
            return 1 if isinstance(found, ir.Value) else len(found)
    raise NotEmulatedError(op, "says not which of its operands it writes")


def _accumulates(old: list[ir.Value], ins: list[ir.Value], op: Any) -> bool:
    return any(map(has_uses, old)) and multiplies_elements(op.regions[0].blocks[0], ins)


@rule(linalg.IndexOp)
def index(op: Any, scope: FrameLayout) -> Action:
    """Return the index of the current point in one dimension."""
    kernel = op.operation.parent.opview
    point, dim, result = scope.point_slot(kernel), op.dim.value, scope.slot(op.result)

    def action(frame: Frame) -> None:
        frame[result] = frame[point][dim]

    return action


def _interpreted(
    op: Any, scope: FrameLayout, accesses: list[KernelOperand], extents: list[int], macs: int
) -> Action:
    """Run the body once per point, in row-major order, with every element checked on its own."""
    program_point, machine, point_slot = scope.point(op), scope.machine, scope.point_slot(op)
    body = scope.body(op.regions[0])
    index_of = [[evaluator(expr) for expr in map_.results] for map_ in _indexing_maps(op)]
    arguments = [slot.number for slot in body.arguments]
    scalars = [
        (scope.slot(operand), arguments[number])
        for number, operand in enumerate(op.operands)
        if not isinstance(operand.type, ir.MemRefType)
    ]
    types = [argument.type for argument in op.regions[0].blocks[0].arguments]
    reading = [(a, loader(types[a.number], machine)) for a in accesses if a.reads]
    writing = [(a, storer(machine)) for a in accesses if a.writes]

    def action(frame: Frame) -> None:
        for source, target in scalars:
            frame[target] = frame[source]
        with machine.counter.one_op():
            for point in itertools.product(*map(range, extents)):
                frame[point_slot] = point
                for access, load in reading:
                    indices = [expr(point) for expr in index_of[access.number]]
                    view, offset = element(frame[access.slot], indices, machine, program_point)
                    frame[arguments[access.number]] = load(view, offset, program_point)
                body.run(frame)
                for (access, store), value in zip(writing, body.yields, strict=True):
                    indices = [expr(point) for expr in index_of[access.number]]
                    view, offset = element(frame[access.slot], indices, machine, program_point)
                    store(view, offset, frame[value], program_point)
        work = Work(program_point.what, program_point.location)
        machine.ran(work, math.prod(extents), macs=macs)

    return action
