"""The accesses of an `accel.reduce`, for each box of the domain that it runs on."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir

from forebay.dialects.accel import ReduceOp
from forebay.emulator.interpreter.kernel import (
    KernelAccesses,
    KernelOperand,
    has_uses,
    multiplies_elements,
)
from forebay.emulator.interpreter.registry import Frame
from forebay.emulator.interpreter.scope import FrameLayout
from forebay.emulator.kernels.indexed import Indexed, IndexedElements
from forebay.emulator.kernels.jit import Numbers
from forebay.emulator.memory.faults import OutOfRange, Where
from forebay.ir.structured.reduce_box import box_of, on_box
from forebay.regions import Box


class ReduceBoxes:
    """The boxes of the domain that an op runs on, by the starts that its operands give."""

    def __init__(self, op: ReduceOp, scope: FrameLayout) -> None:
        self._op = op
        self._scope = scope
        self._point = scope.point(op)
        self._box = box_of(op)
        self._starts = [scope.slot(start) for start in self._box.dynamic]
        self._maps = maps_of(op)
        self._used, self._used_params = used_operands_of(op)
        self._known: dict[Box, KernelAccesses] = {}

    def box_in(self, frame: Frame) -> Box:
        """Return the box of a run; raises `OutOfRange` if it leaves the domain."""
        box = self._box.at([frame[slot] for slot in self._starts])
        if not Box.of(self._box.extents).contains(box):
            text = " x ".join(f"[{span.start}, {span.stop})" for span in box.spans)
            raise OutOfRange(
                Where(self._point.what, self._point.location),
                f"runs on {text}, outside of its domain",
            )
        return box

    def is_first(self, box: Box) -> bool:
        """Return whether `init` runs."""
        return not any(span.start for span in box.spans[self._box.parallel :])

    def is_last(self, box: Box) -> bool:
        """Return whether `finish` runs."""
        ends = zip(box.spans, self._box.extents, strict=True)
        return all(span.stop == extent for span, extent in list(ends)[self._box.parallel :])

    def accesses_in(self, frame: Frame) -> KernelAccesses:
        """Return the accesses of a run."""
        box = self.box_in(frame)
        if box not in self._known:
            self._known[box] = self._accesses(box)
        return self._known[box]

    def _accesses(self, box: Box) -> KernelAccesses:
        op, parallel, ins = self._op, self._box.parallel, len(self._op.inputs)
        limits = [tuple(ir.MemRefType(value.type).shape) for value in op.inputs]
        seen = [Indexed(m, s) for m, s in zip(self._maps, limits, strict=False)]
        windows = IndexedElements(box.sizes, seen, box.offsets)
        mapped = [Indexed(map_) for map_ in self._maps[ins:]]
        points = IndexedElements(box.sizes[:parallel], mapped, box.offsets[:parallel])
        first, last = self.is_first(box), self.is_last(box)
        accesses = [
            KernelOperand(self._scope.slot(value), windows, n, reads=self._used[n], writes=False)
            for n, value in enumerate(op.inputs)
        ]
        for number, value in enumerate(op.params):
            early, late = self._used_params[number]
            reads = (first and early) or (last and late)
            slot = self._scope.slot(value)
            accesses.append(KernelOperand(slot, points, number, reads, writes=False))
        out = self._scope.slot(op.output)
        accesses.append(KernelOperand(out, points, len(op.params), reads=False, writes=last))
        identity = ir.AffineMap.get_identity(parallel, op.context)
        inside = IndexedElements(box.sizes[:parallel], [Indexed(identity)])
        accesses += [
            KernelOperand(self._scope.slot(value), inside, 0, reads=not first, writes=not last)
            for value in op.accumulators
        ]
        body = op.body.blocks[0]
        elements = list(body.arguments)[len(body.arguments) - ins :]
        macs = windows.points if multiplies_elements(body, elements) else 0
        return KernelAccesses(accesses, windows.points, macs)


def maps_of(op: ReduceOp) -> list[ir.AffineMap]:
    """Return the maps of the mapped operands."""
    return [ir.AffineMapAttr(map_).value for map_ in op.maps]


def used_operands_of(op: ReduceOp) -> tuple[list[bool], list[tuple[bool, bool]]]:
    """Return for each of the ins whether `body` uses it, for each param whether the others do."""
    ins, params = len(op.inputs), len(op.params)
    body = list(op.body.blocks[0].arguments)
    start, end = (list(region.blocks[0].arguments) for region in (op.init, op.finish))
    pairs = zip(start, end[len(end) - params :], strict=True)
    of_ins = [has_uses(argument) for argument in body[len(body) - ins :]]
    return of_ins, [(has_uses(early), has_uses(late)) for early, late in pairs]


def starts_of(op: ReduceOp) -> Numbers | None:
    """Return the constant starts of a box, without those of dimensions that it has all of."""
    box = box_of(op)
    rows = list(zip(box.starts, box.sizes, box.extents, strict=True))
    cut = [d for d, (start, size, extent) in enumerate(rows) if size < extent and _is_number(start)]
    if not cut:
        return None

    def take(clone: ReduceOp, values: Sequence[ir.Value]) -> None:
        starts = list(box_of(clone).starts)
        for dimension, value in zip(cut, values, strict=True):
            starts[dimension] = value
        with ir.InsertionPoint(clone), clone.location:
            on_box(clone, starts, box.sizes, clone.output, list(clone.accumulators))
        clone.operation.erase()

    return Numbers(tuple(start for d in cut if isinstance(start := box.starts[d], int)), take)


def _is_number(start: int | ir.Value) -> bool:
    return isinstance(start, int)
