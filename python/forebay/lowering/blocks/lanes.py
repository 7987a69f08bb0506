"""Lanes of an `accel.reduce`: neighbouring positions that are requantised and stored as one vector.

    %sums = vector.from_elements %a, %b, %c, %d : vector<4xi32>
    accel.store_rescaled %sums, %multipliers, %shifts, %out[%c] zero_point -128 low -128 high 127

With words along the same dimension, the sums are a vector from the beginning:

    %next = accel.multiply_add %sums, %x, %w offset 128 : vector<8xi32>, vector<8xi16>
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mlir import ir
from mlir.dialects import arith, func, vector
from msgspec import Struct

from forebay.dialects.accel import LoadExtendedOp, MultiplyAddOp, ReduceOp, StoreRescaledOp
from forebay.lowering.blocks.neighbours import neighbours_in, uses_dim
from forebay.lowering.kernels import scalar
from forebay.lowering.kernels.rescaled import Rescaled, constant_of, rescaled_of


class LaneScalar(Struct, frozen=True):
    """A scalar of a position: an element of a parameter, by its number, or one value for all.

    The value is that of a constant, or an argument of the function around the op.
    """

    param: int | None
    value: int | ir.Value = 0


class Requantisation(Struct, frozen=True):
    """The result of `finish` for a sum: a rescaled one of 8 bits, with zero point and limits."""

    bias: LaneScalar
    multiplier: LaneScalar
    shift: LaneScalar
    zero_point: int
    low: int
    high: int

    @property
    def params(self) -> tuple[int, ...]:
        """The numbers of the parameters that are read."""
        scalars = (self.bias, self.multiplier, self.shift)
        return tuple(known.param for known in scalars if known.param is not None)


class Lanes(Struct, frozen=True):
    """Vectors of `count` positions along one dimension; `has_sums` if their sums are one, too.

    Those of floats are not requantised.
    """

    dim: int
    count: int
    requantisation: Requantisation | None
    has_sums: bool


def lanes_of(op: ReduceOp) -> Lanes | None:
    """Return the lanes that an op's attribute gives, or None.

    Raises `ValueError` for an op whose results are not stored in vectors along that dimension.
    """
    along = [d for d, count in enumerate(op.lanes or []) if count > 1]
    if not along:
        return None
    (dim,), requantisation = along, requantisation_of(op)
    count = list(op.lanes or [])[dim]
    words = list(op.words or [])
    if isinstance(op.body.blocks[0].arguments[0].type, ir.FloatType) and words[dim:][:1] == [count]:
        return Lanes(dim, count, None, has_sums=True)
    if requantisation is None or dim not in dims_of_lanes(op, requantisation):
        raise ValueError(
            f"lanes along dimension {dim} need sums of 32 bits that are rescaled to 8 bits with "
            "double rounding, and results and parameters that are neighbours"
        )
    has_sums = bool(words) and words[dim] > 1
    if has_sums and words[dim] != count:
        raise ValueError(f"words along dimension {dim} have {words[dim]} of {count} lanes")
    return Lanes(dim, count, requantisation, has_sums)


def requantisation_of(op: ReduceOp) -> Requantisation | None:
    """Return how an op with one sum of 32 bits requantises it to 8 bits, or None."""
    init, finish = op.init.blocks[0], op.finish.blocks[0]
    start, *_ = list(init.operations)[-1].operands
    sum_, count, *params = list(finish.arguments)
    (value,) = list(finish.operations)[-1].operands
    is_single = len(params) == len(op.params) and not any(True for _ in count.uses)
    if not is_single or sum_.type != scalar.i32():
        return None
    rescaled = rescaled_of(value)
    if rescaled is None or rescaled.scale.value != sum_:
        return None
    bias = _scalar(start, list(init.arguments))
    multiplier = _scalar(rescaled.scale.multiplier, params)
    shift = _scalar(rescaled.scale.shift, params)
    if bias is None or multiplier is None or shift is None:
        return None
    limits = (rescaled.zero_point, rescaled.low, rescaled.high)
    return Requantisation(bias, multiplier, shift, *limits)


def dims_of_lanes(op: ReduceOp, requantisation: Requantisation) -> frozenset[int]:
    """Return the parallel dimensions along which results are neighbours, and parameters are.

    A parameter may also be the same for all positions along the dimension.
    """
    return dims_of_results(op, requantisation.params)


def dims_of_results(op: ReduceOp, params: Iterable[int]) -> frozenset[int]:
    """Return the same dimensions for some of the parameters."""
    out = len(op.maps) - 1
    found = neighbours_in(op, out, op.output)
    for number in params:
        value, at = op.params[number], len(op.inputs) + number
        own = neighbours_in(op, at, value)
        found = frozenset(d for d in found if d in own or not uses_dim(op, at, d))
    return frozenset(d for d in found if d < len(op.parallel))


def load_extended(memory: ir.Value, index: list[ir.Value], lanes: int, bits: int) -> ir.Value:
    """Load elements of 8 bits from an index on, as integers of more bits."""
    type_ = ir.VectorType.get([lanes], ir.IntegerType.get_signless(bits))
    return LoadExtendedOp(type_, memory, index).result


def load_lanes(memory: ir.Value, index: list[ir.Value], lanes: int) -> ir.Value:
    """Load integers of 32 bits, or of 8 bits that are extended to 32, from an index on."""
    if ir.MemRefType(memory.type).element_type == ir.IntegerType.get_signless(8):
        return load_extended(memory, index, lanes, 32)
    type_ = ir.VectorType.get([lanes], scalar.i32())
    return vector.LoadOp(type_, memory, index).result


def load_floats(memory: ir.Value, index: list[ir.Value], lanes: int) -> ir.Value:
    """Load neighbouring floats from an index on."""
    type_ = ir.VectorType.get([lanes], ir.F32Type.get())
    return vector.LoadOp(type_, memory, index).result


def add_float_product(sums: ir.Value, one: ir.Value, other: ir.Value) -> ir.Value:
    """Add the product of each lane, which is rounded, to its sum."""
    return arith.AddFOp(sums, arith.MulFOp(one, other).result).result


def store_floats(values: ir.Value, memory: ir.Value, index: list[ir.Value]) -> None:
    """Store floats from an index on."""
    vector.StoreOp(values, memory, index)


def splat(value: ir.Value, lanes: int, bits: int) -> ir.Value:
    """Return a vector of equal elements, extended to some bits."""
    element = ir.IntegerType.get_signless(bits)
    if value.type != element:
        value = arith.ExtSIOp(element, value).result
    return vector.BroadcastOp(ir.VectorType.get([lanes], element), value).result


def gather_sums(sums: list[ir.Value]) -> ir.Value:
    """Return a vector of single sums."""
    return vector.FromElementsOp(ir.VectorType.get([len(sums)], scalar.i32()), sums).result


def multiply_add(sums: ir.Value, one: ir.Value, other: ir.Value, offset: int) -> ir.Value:
    """Add the product of each lane to its sum."""
    number = ir.IntegerAttr.get(scalar.i32(), offset)
    return MultiplyAddOp(sums.type, sums, one, other, offset=number).result


def store_rescaled(
    sums: ir.Value,
    factors: tuple[ir.Value, ir.Value],
    target: tuple[ir.Value, list[ir.Value]],
    by: Requantisation | Rescaled,
) -> None:
    """Requantise sums by vectors of multipliers and shifts, and store them from an index on."""
    multiplier, shift = factors
    memory, index = target
    numbers = [ir.IntegerAttr.get(scalar.i32(), n) for n in (by.zero_point, by.low, by.high)]
    StoreRescaledOp(sums, multiplier, shift, memory, index, *numbers)


def _scalar(value: ir.Value, params: Sequence[ir.Value]) -> LaneScalar | None:
    if value in params:
        return LaneScalar(params.index(value))
    if isinstance(value.owner, ir.Block) and isinstance(value.owner.owner.opview, func.FuncOp):
        return LaneScalar(None, value)
    constant = constant_of(value)
    return None if constant is None else LaneScalar(None, constant)
