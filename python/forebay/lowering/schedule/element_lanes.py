"""Lower a `linalg.generic` without sums to loops that compute neighbouring elements in vectors.

    for i in [0, 16384) step 4
      x = load_extended in[i] : vector<4xi32>
      y = (x + 128) * 1048576 ...
      store_rescaled y, multipliers, shifts, out[i]

The body widens elements of 8 bits, computes with 32 bits, and requantises the result to 8 bits, as
additions and products of tensors do. Elements after the last whole vector have a loop of their
own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

from mlir import ir
from mlir.dialects import arith, memref, scf, tosa
from msgspec import Struct

from forebay.dialects import linalg
from forebay.ir.memory.ranges_arith import (
    SHORT_SHIFT_OF_LANES,
    SHORT_VALUE,
    Range,
    range_of_arith,
    type_range,
)
from forebay.ir.nested import defining_op
from forebay.lowering.blocks.cloned import cloned
from forebay.lowering.blocks.lanes import load_extended, splat, store_rescaled
from forebay.lowering.kernels import scalar
from forebay.lowering.kernels.rescaled import (
    Rescaled,
    constant_of,
    rescaled_of,
    rounds_twice,
)
from forebay.lowering.kernels.vector_sums import splat_of
from forebay.lowering.schedule.merge_elements import loops_of_axes

_ARITHMETIC = (arith.AddIOp, arith.SubIOp, arith.MulIOp)


def lower_in_lanes(op: linalg.GenericOp, lanes: int) -> bool:
    """Lower an op to loops over vectors of `lanes` elements; return False if it stays."""
    elements = _Elements(op, lanes)
    if not elements.are_in_lanes():
        return False
    with ir.InsertionPoint(op), op.operation.location:
        elements.emit([])
    op.operation.erase()
    return True


class _Operand(Struct, frozen=True):
    """A buffer, and the loop that each of its axes follows; None for index 0."""

    memory: ir.Value
    dims: tuple[int | None, ...]

    def has_neighbours(self, dim: int) -> bool:
        """Return whether the elements of successive iterations of a loop are neighbours."""
        strides, _ = ir.MemRefType(self.memory.type).get_strides_and_offset()
        return self.dims[-1:] == (dim,) and self.dims.count(dim) == 1 and strides[-1] == 1

    def index(self, counters: Sequence[ir.Value]) -> list[ir.Value]:
        zero = None if None not in self.dims else _index(0)
        return [zero if dim is None else counters[dim] for dim in self.dims]


class _Elements:
    """The loops of an op, its operands, and the requantisation of its result."""

    def __init__(self, op: linalg.GenericOp, lanes: int) -> None:
        self._op, self._lanes = op, lanes
        self._block = op.regions[0].blocks[0]
        self._arguments = list(self._block.arguments)
        self._ranges: dict[ir.Value, Range] = {}

    @cached_property
    def _operands(self) -> list[_Operand | None]:
        values = [*self._op.inputs, *self._op.outputs]
        return [_operand(v, m) for v, m in zip(values, self._op.indexing_maps, strict=True)]

    @cached_property
    def _extents(self) -> dict[int, int]:
        return {
            dim: size
            for operand in self._operands
            if operand is not None
            for dim, size in zip(
                operand.dims, ir.MemRefType(operand.memory.type).shape, strict=True
            )
            if dim is not None
        }

    @cached_property
    def _result(self) -> Rescaled | None:
        *_, terminator = self._block.operations
        values = list(terminator.operation.operands)
        return rescaled_of(values[0]) if len(values) == 1 else None

    # ---- Whether vectors compute the same --------------------------------------------------------

    def are_in_lanes(self) -> bool:
        """Return whether results are neighbours along the last loop, and the body has vectors."""
        last = len(self._op.iterator_types) - 1
        return last >= 0 and self._are_neighbours(last) and self._is_computed_in_lanes()

    def _are_neighbours(self, last: int) -> bool:
        found = [operand for operand in self._operands if operand is not None]
        if len(found) < len(self._arguments) or self._extents.get(last, 0) < self._lanes:
            return False
        varying = [operand for operand in found if last in operand.dims]
        return found[-1] in varying and all(operand.has_neighbours(last) for operand in varying)

    def _is_computed_in_lanes(self) -> bool:
        """Return whether all ops in front of the result have a form on vectors of 32 bits."""
        if self._result is None or any(True for _ in self._arguments[-1].uses):
            return False
        pending, scales = [self._result.scale.output], list[tosa.ApplyScaleOp]()
        while pending:
            value = pending.pop()
            op = defining_op(value)
            if constant_of(value) is not None or self._is_widened(value):
                continue
            if value.type != scalar.i32():
                return False
            if isinstance(op, _ARITHMETIC):
                pending += op.operands
            elif rounds_twice(op):
                scales.append(op)
                pending.append(op.value)
            else:
                return False
        return all(map(self._is_short, scales))

    def _is_widened(self, value: ir.Value) -> bool:
        """Return whether a value is an element of 8 bits, extended to 32."""
        op = defining_op(value)
        if not isinstance(op, arith.ExtSIOp) or op.in_ not in self._arguments:
            return False
        return op.in_.type == ir.IntegerType.get_signless(8) and value.type == scalar.i32()

    def _is_short(self, op: tosa.ApplyScaleOp) -> bool:
        """Return whether the short form of a requantisation by constants has its bits."""
        shift, multiplier = constant_of(op.shift), constant_of(op.multiplier)
        if shift is None or multiplier is None or Range(shift, shift) not in SHORT_SHIFT_OF_LANES:
            return False
        return self._range_of(op.value) in SHORT_VALUE

    def _range_of(self, value: ir.Value) -> Range:
        """Return the range of a value of the body, that of its type where it may wrap."""
        if value not in self._ranges:
            everything = type_range(value.type)
            found = self._computed_range(value) or everything
            self._ranges[value] = found if found in everything else everything
        return self._ranges[value]

    def _computed_range(self, value: ir.Value) -> Range | None:
        constant, op = constant_of(value), defining_op(value)
        if constant is not None:
            return Range(constant, constant)
        return None if op is None else range_of_arith(op, self._range_of)

    # ---- The loops -------------------------------------------------------------------------------

    def emit(self, counters: list[ir.Value]) -> None:
        """Emit the loops from the next one on."""
        dim, last = len(counters), len(self._op.iterator_types) - 1
        size = self._extents[dim]
        if dim < last:
            _loop(0, size, 1, lambda counter: self.emit([*counters, counter]))
            return
        whole = size // self._lanes * self._lanes
        _loop(0, whole, self._lanes, lambda counter: self._vector([*counters, counter]))
        if whole < size:
            _loop(whole, size, 1, lambda counter: self._element([*counters, counter]))

    def _element(self, counters: list[ir.Value]) -> None:
        *ins, out = (operand for operand in self._operands if operand is not None)
        loaded = [memref.LoadOp(operand.memory, operand.index(counters)).result for operand in ins]
        (result,) = cloned(self._block, [*loaded, None])
        memref.StoreOp(result, out.memory, out.index(counters))

    def _vector(self, counters: list[ir.Value]) -> None:
        *_, out = (operand for operand in self._operands if operand is not None)
        by = self._result
        assert by is not None, "checked before"
        known: dict[ir.Value, ir.Value] = {}
        value = self._computed(by.scale.value, counters, known)
        factors = self._splat(by.scale.multiplier, 32), self._splat(by.scale.shift, 32)
        store_rescaled(value, factors, (out.memory, out.index(counters)), by)

    def _computed(
        self, value: ir.Value, counters: list[ir.Value], known: dict[ir.Value, ir.Value]
    ) -> ir.Value:
        """Return the vector of a value of the body."""
        if value not in known:
            op = defining_op(value)
            if isinstance(op, arith.ExtSIOp):
                known[value] = self._loaded(self._arguments.index(op.in_), counters)
            elif isinstance(op, tosa.ApplyScaleOp):
                source = self._computed(op.value, counters, known)
                factors = self._splat(op.multiplier, 32), self._splat(op.shift, 8)
                known[value] = tosa.ApplyScaleOp(
                    source.type, source, *factors, op.rounding_mode
                ).result
            elif isinstance(op, _ARITHMETIC):
                operands = [self._computed(operand, counters, known) for operand in op.operands]
                known[value] = type(op)(*operands).result
            else:
                known[value] = self._splat(value, 32)
        return known[value]

    def _loaded(self, number: int, counters: list[ir.Value]) -> ir.Value:
        operand = self._operands[number]
        assert operand is not None, "checked before"
        index = operand.index(counters)
        if len(counters) - 1 in operand.dims:
            return load_extended(operand.memory, index, self._lanes, 32)
        return splat(memref.LoadOp(operand.memory, index).result, self._lanes, 32)

    def _splat(self, value: ir.Value, bits: int) -> ir.Value:
        """Return a vector of a constant."""
        constant = constant_of(value)
        assert constant is not None, "checked before"
        type_ = ir.VectorType.get([self._lanes], ir.IntegerType.get_signless(bits))
        return splat_of(type_, constant)


def _operand(value: ir.Value, indices: ir.Attribute) -> _Operand | None:
    """Return an operand; None for one of dynamic shape, or whose indices are no counters."""
    if not isinstance(value.type, ir.MemRefType) or not value.type.has_static_shape:
        return None
    dims = loops_of_axes(indices)
    return None if dims is None else _Operand(value, dims)


def _loop(begin: int, end: int, step: int, body: Callable[[ir.Value], None]) -> None:
    loop = scf.ForOp(_index(begin), _index(end), _index(step))
    with ir.InsertionPoint(loop.body):
        body(loop.induction_variable)
        scf.YieldOp([])


def _index(value: int) -> ir.Value:
    return scalar.scalar_constant(value, ir.IndexType.get())
