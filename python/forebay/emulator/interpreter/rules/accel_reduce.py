"""`accel.reduce`: windows clamped at the borders of the inputs, on a box of the domain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlir import ir

from forebay.dialects.accel import ReduceOp
from forebay.emulator.interpreter.elements import element, loader, storer
from forebay.emulator.interpreter.kernel import compiled_kernel
from forebay.emulator.interpreter.reduce_boxes import (
    ReduceBoxes,
    maps_of,
    starts_of,
    used_operands_of,
)
from forebay.emulator.interpreter.registry import Action, Frame, rule
from forebay.emulator.interpreter.scope import FrameLayout
from forebay.emulator.kernels.affine import evaluator
from forebay.emulator.machine.timeline import Work
from forebay.emulator.memory.program_point import ProgramPoint
from forebay.ir.structured.reduce_box import mapped_operands_of
from forebay.regions import Box


@rule(ReduceOp)
def reduce(op: ReduceOp, scope: FrameLayout) -> Action:
    """Read the elements of the ins inside the windows and those of the params at each point.

    A box that cuts the reduction reads the accumulators unless it is the first, and writes them
    instead of the result unless it is the last.
    """
    boxes = ReduceBoxes(op, scope)
    if scope.program.by_element:
        return _Pointwise(op, scope, boxes).run
    return compiled_kernel(op, scope, boxes.accesses_in, starts_of(op))


class _Pointwise:
    """The op as it is defined, point by point, with every element checked on its own."""

    def __init__(self, op: ReduceOp, scope: FrameLayout, boxes: ReduceBoxes) -> None:
        self._boxes = boxes
        self._program_point, self._machine = scope.point(op), scope.machine
        self._init, self._body, self._finish = (
            scope.body(region) for region in (op.init, op.body, op.finish)
        )
        self._ins, self._params, self._parallel = len(op.inputs), len(op.params), len(op.parallel)
        self._count = len(self._init.yields)
        self._used, self._used_params = used_operands_of(op)
        self._index_of = [[evaluator(expr) for expr in map_.results] for map_ in maps_of(op)]
        self._mapped = [
            _Elements(value, scope, self._program_point) for value in mapped_operands_of(op)
        ]
        self._accumulators = [
            _Elements(value, scope, self._program_point) for value in op.accumulators
        ]

    def run(self, frame: Frame) -> None:
        """Run the box that the starts give."""
        box, parallel = self._boxes.box_in(frame), self._parallel
        outer, inner = Box(box.spans[:parallel]), Box(box.spans[parallel:])
        is_first, is_last = self._boxes.is_first(box), self._boxes.is_last(box)
        with self._machine.counter.one_op():
            for point in outer.points():
                place = [i - o for i, o in zip(point, outer.offsets, strict=True)]
                values = self._started(frame, point) if is_first else self._loaded(frame, place)
                for inner_point in inner.points():
                    self._accumulate(frame, values, (*point, *inner_point))
                if is_last:
                    self._end(frame, point, values)
                    continue
                for target, value in zip(self._accumulators, values, strict=False):
                    target.store(frame, place, value)
        accesses = self._boxes.accesses_in(frame)
        work = Work(self._program_point.what, self._program_point.location)
        self._machine.ran(work, accesses.points, macs=accesses.macs)

    def _started(self, frame: Frame, point: Sequence[int]) -> list[Any]:
        """Return the accumulators of `init`, and a count of zero points."""
        into = self._slots(self._init)
        self._load_params(frame, point, into, late=False)
        self._init.run(frame)
        return [*(frame[slot] for slot in self._init.yields), 0]

    def _loaded(self, frame: Frame, place: Sequence[int]) -> list[Any]:
        """Return the accumulators and the count of the boxes before."""
        values = [kept.load(frame, place) for kept in self._accumulators]
        return values if len(values) > self._count else [*values, 0]

    def _accumulate(self, frame: Frame, values: list[Any], point: Sequence[int]) -> None:
        """Replace the accumulators and increment the count, at a point inside all operands."""
        into = self._slots(self._body)
        indices = [self._at(number, point) for number in range(self._ins)]
        inside = map(_is_inside, indices, (operand.shape for operand in self._mapped))
        if not all(inside):
            return
        for number in range(self._ins):
            if self._used[number]:
                element_value = self._mapped[number].load(frame, indices[number])
                frame[into[self._count + number]] = element_value
        _set(frame, into[: self._count], values[: self._count])
        self._body.run(frame)
        values[:] = [*(frame[slot] for slot in self._body.yields), values[-1] + 1]

    def _end(self, frame: Frame, point: Sequence[int], values: list[Any]) -> None:
        into = self._slots(self._finish)
        _set(frame, into[: self._count + 1], values)
        self._load_params(frame, point, into[self._count + 1 :], late=True)
        self._finish.run(frame)
        indices = self._at(self._ins + self._params, point)
        self._mapped[-1].store(frame, indices, frame[self._finish.yields[0]])

    def _load_params(
        self, frame: Frame, point: Sequence[int], into: Sequence[int], *, late: bool
    ) -> None:
        for number, used in enumerate(self._used_params):
            if used[late]:
                operand = self._mapped[self._ins + number]
                frame[into[number]] = operand.load(frame, self._at(self._ins + number, point))

    def _at(self, number: int, point: Sequence[int]) -> list[int]:
        return [expr(point) for expr in self._index_of[number]]

    @staticmethod
    def _slots(region: Any) -> list[int]:
        return [slot.number for slot in region.arguments]


class _Elements:
    """Checked accesses to the elements of one operand."""

    def __init__(self, value: ir.Value, scope: FrameLayout, program_point: ProgramPoint) -> None:
        type_ = ir.MemRefType(value.type)
        self.shape = tuple(type_.shape)
        self._slot = scope.slot(value)
        self._machine = scope.machine
        self._program_point = program_point
        self._load, self._store = loader(type_.element_type, scope.machine), storer(scope.machine)

    def load(self, frame: Frame, indices: Sequence[int]) -> Any:
        """Return an element."""
        view, offset = element(frame[self._slot], indices, self._machine, self._program_point)
        return self._load(view, offset, self._program_point)

    def store(self, frame: Frame, indices: Sequence[int], value: Any) -> None:
        """Replace an element."""
        view, offset = element(frame[self._slot], indices, self._machine, self._program_point)
        self._store(view, offset, value, self._program_point)


def _is_inside(indices: Sequence[int], shape: Sequence[int]) -> bool:
    return all(0 <= index < size for index, size in zip(indices, shape, strict=True))


def _set(frame: Frame, slots: Sequence[int], values: Sequence[Any]) -> None:
    for slot, value in zip(slots, values, strict=True):
        frame[slot] = value
