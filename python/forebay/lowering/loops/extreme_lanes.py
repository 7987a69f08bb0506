"""Largest and smallest elements of windows, of neighbouring channels in one vector.

    for c in [0, 32) step 16
      largest = splat(-128) : vector<16xi8>
      for ky, kx ... largest = max(largest, load source[row + ky, column + kx, c])
      store min(largest, 100), result[y, x, c]

Channels after the last whole vector are one shorter vector, or have a loop if they are few.
"""

from __future__ import annotations

from mlir import ir
from mlir.dialects import arith, vector

from forebay.dialects.accel import ReduceOp
from forebay.ir.memory.linear import Linear, linear_of_map
from forebay.ir.nested import defining_op
from forebay.ir.structured.reduce_box import box_of, mapped_operands_of
from forebay.lowering.blocks.cloned import cloned_on_vectors
from forebay.lowering.blocks.neighbours import neighbours_in
from forebay.lowering.kernels import scalar
from forebay.lowering.loops.loops import ReduceLoops

_EXTREMES = (arith.MaxSIOp, arith.MinSIOp)
_BITS = 8
FEW = 4
"""Channels of which no longer vector is made: words of 4 have functions of their own."""


def computes_extremes(op: ReduceOp) -> bool:
    """Return whether an op on buffers computes only minima and maxima of elements of 8 bits."""
    if len(op.inputs) != 1 or len(op.params) > 0 or len(op.accumulators) > 0:
        return False
    byte = ir.IntegerType.get_signless(_BITS, op.context)
    types = {ir.MemRefType(value.type).element_type for value in (op.inputs[0], op.output)}
    init, body, finish = (region.blocks[0] for region in (op.init, op.body, op.finish))
    is_counted = any(True for _ in finish.arguments[1].uses) if len(finish.arguments) > 1 else True
    (start,) = list(init.operations)[-1].operation.operands
    return (
        types == {byte}
        and not is_counted
        and isinstance(defining_op(start), arith.ConstantOp)
        and all(
            isinstance(own, (*_EXTREMES, arith.ConstantOp))
            for block in (body, finish)
            for own in list(block.operations)[:-1]
        )
    )


def dim_of_channels(op: ReduceOp) -> int | None:
    """Return the last parallel dimension if its positions are neighbours in both buffers."""
    dim, box = len(op.parallel) - 1, box_of(op)
    if dim < 0 or isinstance(box.starts[dim], ir.Value):
        return None
    for number, value in enumerate(mapped_operands_of(op)):
        last = linear_of_map(ir.AffineMapAttr(op.maps[number]).value)[-1]
        if dim not in neighbours_in(op, number, value) or last != Linear.of(dim):
            return None
    return dim


def lower_extremes_to_loops(op: ReduceOp) -> None:
    """Emit the nest of an op whose `lanes` are along its last parallel dimension; erase it."""
    with ir.InsertionPoint(op), op.operation.location:
        _ExtremeLoops(op).emit()
    op.operation.erase()


class _ExtremeLoops(ReduceLoops):
    def __init__(self, op: ReduceOp) -> None:
        super().__init__(op)
        assert op.lanes is not None, "the pass for schedules has set them"
        self._dim, self._lanes = len(op.parallel) - 1, max(op.lanes)
        self._type: ir.VectorType | None = None

    def _loop_over(self, dim: int, begin: ir.Value, end: ir.Value, step: int = 1) -> None:
        if dim != self._dim:
            super()._loop_over(dim, begin, end, step)
            return
        rest = self.box.sizes[dim] % self._lanes
        middle = scalar.scalar_constant(self.box.counters[dim].stop - rest, ir.IndexType.get())
        self._vectors(dim, begin, middle, self._lanes)
        if rest > FEW:
            self._vectors(dim, middle, end, rest)
        elif rest:
            super()._loop_over(dim, middle, end)

    def _vectors(self, dim: int, begin: ir.Value, end: ir.Value, lanes: int) -> None:
        """Emit a loop over vectors, whose values end with it."""
        outside = self.counters, self.limits
        self.counters = self.counters.copy()
        self.limits = self.limits.with_counters(self.counters)
        self._type = ir.VectorType.get([lanes], ir.IntegerType.get_signless(_BITS))
        super()._loop_over(dim, begin, end, lanes)
        self._type = None
        self.counters, self.limits = outside

    def _point(self) -> None:
        if self._type is None:
            super()._point()
            return
        (start,) = cloned_on_vectors(self.op.init.blocks[0], [], self._type)
        results, count = self._reduce([start], None)
        assert count is None, "the number of points has no uses"
        (value,) = cloned_on_vectors(self.op.finish.blocks[0], [*results, None], self._type)
        vector.StoreOp(value, self.out.memory, self.out.position(self.counters))

    def _body(self, accumulators: list[ir.Value]) -> list[ir.Value]:
        if self._type is None:
            return super()._body(accumulators)
        self._take_rows(self.dims)
        (source,) = self.ins
        index = source.position(self.counters)
        loaded = vector.LoadOp(self._type, source.memory, index).result
        return cloned_on_vectors(self.op.body.blocks[0], [*accumulators, loaded], self._type)
