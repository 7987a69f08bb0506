"""Windows of one operand, such as those of pooling, with neighbouring channels in one vector.

    for c in [0, 32) step 16
      largest = splat(-128) : vector<16xi8>
      for ky, kx ... largest = max(largest, load source[row + ky, column + kx, c])
      store min(largest, 100), result[y, x, c]

Sums are vectors of 32 bits, of which each lane is finished alone:

    for c in [0, 32) step 4
      sums = splat(0) : vector<4xi32>
      for ky, kx ... sums = sums + load_extended source[row + ky, column + kx, c]
      store sums[0] / count, result[y, x, c]
      store sums[1] / count, result[y, x, c + 1] ...

Channels after the last whole vector are one shorter vector of extremes, or have a loop.
"""

from __future__ import annotations

from mlir import ir
from mlir.dialects import arith, memref, vector

from forebay.dialects.accel import ReduceOp
from forebay.ir.memory.linear import Linear, linear_of_map
from forebay.ir.nested import defining_op
from forebay.ir.structured.reduce_box import box_of, mapped_operands_of
from forebay.lowering.blocks.cloned import cloned, cloned_on_vectors
from forebay.lowering.blocks.lanes import load_extended
from forebay.lowering.blocks.neighbours import neighbours_in
from forebay.lowering.kernels import scalar
from forebay.lowering.loops.loops import ReduceLoops

_EXTREMES = (arith.MaxSIOp, arith.MinSIOp)
_BITS, _SUM_BITS = 8, 32
FEW = 4
"""Channels of which no longer vector is made: words of 4 have functions of their own."""


def computes_extremes(op: ReduceOp) -> bool:
    """Return whether an op on buffers computes only minima and maxima of elements of 8 bits."""
    if not _has_one_operand(op) or ir.MemRefType(op.output.type).element_type != _i8():
        return False
    body, finish = op.body.blocks[0], op.finish.blocks[0]
    return not any(True for _ in finish.arguments[1].uses) and all(
        isinstance(own, (*_EXTREMES, arith.ConstantOp))
        for block in (body, finish)
        for own in list(block.operations)[:-1]
    )


def computes_sums(op: ReduceOp) -> bool:
    """Return whether an op on buffers adds elements of 8 bits, and the same constant to each."""
    if not _has_one_operand(op):
        return False
    body, finish = op.body.blocks[0], op.finish.blocks[0]
    total, element = body.arguments
    *ops, terminator = list(body.operations)
    (added,) = terminator.operation.operands
    last = defining_op(added)
    return (
        total.type == scalar.i32()
        and isinstance(last, arith.AddIOp)
        and total == last.lhs
        and len(list(total.uses)) == 1
        and not any(len(own.operation.regions) for own in finish.operations)
        and all(
            own.operation.results[0].type == scalar.i32()
            and (
                isinstance(own, arith.AddIOp | arith.ConstantOp)
                or (isinstance(own, arith.ExtSIOp) and own.in_ == element)
            )
            for own in ops
        )
    )


def dim_of_channels(op: ReduceOp) -> int | None:
    """Return the last parallel dimension if its positions are neighbours in both buffers."""
    dim, box = len(op.parallel) - 1, box_of(op)
    if dim < 0 or isinstance(box.starts[dim], ir.Value):
        return None
    for number, value in enumerate(mapped_operands_of(op)):
        if dim not in neighbours_in(op, number, value):
            return None
        if linear_of_map(ir.AffineMapAttr(op.maps[number]).value)[-1] != Linear.of(dim):
            return None
    return dim


def has_channel_lanes(op: ReduceOp) -> bool:
    """Return whether an op has the lanes of `lower_channels_to_loops`, and no product."""
    return op.lanes is not None and (computes_extremes(op) or computes_sums(op))


def lower_channels_to_loops(op: ReduceOp) -> None:
    """Emit the nest of an op whose `lanes` are along its last parallel dimension; erase it."""
    nest = _Extremes(op) if computes_extremes(op) else _Sums(op)
    with ir.InsertionPoint(op), op.operation.location:
        nest.emit()
    op.operation.erase()


def _has_one_operand(op: ReduceOp) -> bool:
    """Return whether an op reads elements of 8 bits, no parameters, and begins with a constant."""
    if len(op.inputs) != 1 or len(op.params) > 0 or len(op.accumulators) > 0:
        return False
    starts = list(list(op.init.blocks[0].operations)[-1].operation.operands)
    is_byte = ir.MemRefType(op.inputs[0].type).element_type == _i8()
    return is_byte and len(starts) == 1 and isinstance(defining_op(starts[0]), arith.ConstantOp)


class _ChannelLoops(ReduceLoops):
    """Loops over vectors of channels, and over channels where no vector is left."""

    bits = _BITS
    """Bits of an accumulator."""

    def __init__(self, op: ReduceOp) -> None:
        super().__init__(op)
        assert op.lanes is not None, "the pass for schedules has set them"
        self._dim, self._lanes = len(op.parallel) - 1, max(op.lanes)
        self.type: ir.VectorType | None = None

    def has_vector(self, channels: int) -> bool:
        """Return whether so many channels after the last whole vector are a shorter one."""
        raise NotImplementedError

    def next(self, total: ir.Value, type_: ir.VectorType) -> ir.Value:
        """Emit the body for a vector, and return the next one."""
        raise NotImplementedError

    def store(self, total: ir.Value, count: ir.Value | None, type_: ir.VectorType) -> None:
        """Emit `finish` for a vector, and store the results."""
        raise NotImplementedError

    def _loop_over(self, dim: int, begin: ir.Value, end: ir.Value, step: int = 1) -> None:
        if dim != self._dim:
            super()._loop_over(dim, begin, end, step)
            return
        rest = self.box.sizes[dim] % self._lanes
        middle = scalar.scalar_constant(self.box.counters[dim].stop - rest, ir.IndexType.get())
        self._vectors(dim, begin, middle, self._lanes)
        if rest and self.has_vector(rest):
            self._vectors(dim, middle, end, rest)
        elif rest:
            super()._loop_over(dim, middle, end)

    def _vectors(self, dim: int, begin: ir.Value, end: ir.Value, lanes: int) -> None:
        """Emit a loop over vectors, whose values end with it."""
        outside = self.counters, self.limits
        self.counters = self.counters.copy()
        self.limits = self.limits.with_counters(self.counters)
        self.type = ir.VectorType.get([lanes], ir.IntegerType.get_signless(self.bits))
        super()._loop_over(dim, begin, end, lanes)
        self.type = None
        self.counters, self.limits = outside

    def _point(self) -> None:
        if self.type is None:
            super()._point()
            return
        start = cloned_on_vectors(self.op.init.blocks[0], [], self.type)
        (total,), count = self._reduce(start, None)
        self.store(total, count, self.type)

    def _body(self, accumulators: list[ir.Value]) -> list[ir.Value]:
        if self.type is None:
            return super()._body(accumulators)
        self._take_rows(self.dims)
        total, *counts = accumulators
        return [self.next(total, self.type), *(scalar.add_constant(n, 1) for n in counts)]


class _Extremes(_ChannelLoops):
    def has_vector(self, channels: int) -> bool:
        return channels > FEW

    def next(self, total: ir.Value, type_: ir.VectorType) -> ir.Value:
        (source,) = self.ins
        loaded = vector.LoadOp(type_, source.memory, source.position(self.counters)).result
        (extreme,) = cloned_on_vectors(self.op.body.blocks[0], [total, loaded], type_)
        return extreme

    def store(self, total: ir.Value, count: ir.Value | None, type_: ir.VectorType) -> None:
        assert count is None, "the number of points has no uses"
        (value,) = cloned_on_vectors(self.op.finish.blocks[0], [total, None], type_)
        vector.StoreOp(value, self.out.memory, self.out.position(self.counters))


class _Sums(_ChannelLoops):
    bits = _SUM_BITS

    def has_vector(self, channels: int) -> bool:
        return False

    def next(self, total: ir.Value, type_: ir.VectorType) -> ir.Value:
        (source,) = self.ins
        index = source.position(self.counters)
        loaded = load_extended(source.memory, index, type_.shape[0], _SUM_BITS)
        body = self.op.body.blocks[0]
        extended = {op.result: loaded for op in body.operations if isinstance(op, arith.ExtSIOp)}
        (added,) = cloned_on_vectors(body, [total, None], type_, extended)
        return added

    def store(self, total: ir.Value, count: ir.Value | None, type_: ir.VectorType) -> None:
        finish, (*outer, last) = self.op.finish.blocks[0], self.out.position(self.counters)
        for lane in range(type_.shape[0]):
            element = vector.ExtractOp(total, [], [lane]).result
            (value,) = cloned(finish, [element, count])
            memref.StoreOp(value, self.out.memory, [*outer, scalar.add_constant(last, lane)])


def _i8() -> ir.IntegerType:
    return ir.IntegerType.get_signless(_BITS)
