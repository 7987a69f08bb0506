"""Loads of vectors of which some elements are outside of what may be read."""

from __future__ import annotations

import math
from typing import Any

from mlir import ir
from mlir.dialects import arith, memref, vector

from forebay.dialects.accel import LoadBetweenOp
from forebay.lowering.kernels import scalar
from forebay.lowering.kernels.vector_features import VectorFeatures
from forebay.lowering.kernels.vector_sums import splat_of

_MOST_LANES = 16
"""Elements that are shifted together: as many bytes as the widest integer of C compilers."""


def loaded_between(op: LoadBetweenOp, features: VectorFeatures) -> ir.Value | None:
    """Load the elements between two lanes, and of any other lane the fill; None for a few bytes.

    Without masked loads the vector is loaded from the nearest place where all of it is inside of
    the memory, and then shifted. Then None is the answer also where the memory is no run of bytes
    of a known size.
    """
    (lanes,) = ir.VectorType(op.result.type).shape
    if features.masked_loads:
        return _masked(op, ir.VectorType(op.result.type))
    type_ = ir.MemRefType(op.base.type)
    is_run = type_.has_static_shape and type_.layout == _identity(type_)
    if not is_run or math.prod(type_.shape) < min(lanes, _MOST_LANES):
        return None
    flat, index = _flat(op.base), _linear(list(op.indices), type_.shape)
    if lanes <= _MOST_LANES:
        return _part(op, flat, index, 0, lanes)
    parts = [_part(op, flat, index, first, _MOST_LANES) for first in range(0, lanes, _MOST_LANES)]
    while len(parts) > 1:
        (count,) = ir.VectorType(parts[0].type).shape
        pairs = zip(parts[::2], parts[1::2], strict=True)
        parts = [vector.ShuffleOp(*pair, list(range(2 * count))).result for pair in pairs]
    return parts[0]


def loaded_padded(op: vector.LoadOp, features: VectorFeatures) -> ir.Value:
    """Load a vector of any length into one of a whole register, with zeros after its elements.

    Without masked loads it is put together from loads of powers of two.
    """
    (count,) = ir.VectorType(op.result.type).shape
    bytes_ = ir.VectorType(op.result.type).element_type
    type_ = ir.VectorType.get([max(_MOST_LANES, 1 << (count - 1).bit_length())], bytes_)
    if features.masked_loads:
        mask = _first_lanes(type_, count)
        return vector.MaskedLoadOp(type_, op.base, op.indices, mask, splat_of(type_, 0)).result
    *outer, last = op.indices
    (lanes,), found, start = type_.shape, splat_of(type_, 0), 0
    for length in (1 << bit for bit in reversed(range(count.bit_length())) if count & 1 << bit):
        at = [*outer, scalar.add_constant(last, start)]
        part = vector.LoadOp(ir.VectorType.get([length], bytes_), op.base, at).result
        wide = vector.ShuffleOp(part, part, [lane % length for lane in range(lanes)]).result
        inside = range(start, start + length)
        chosen = [lane - start + lanes if lane in inside else lane for lane in range(lanes)]
        found = vector.ShuffleOp(found, wide, chosen).result
        start += length
    return found


def _first_lanes(type_: ir.VectorType, count: int) -> ir.Value:
    mask = ir.VectorType.get(type_.shape, ir.IntegerType.get_signless(1))
    lanes: Any = ir.DenseElementsAttr.get(
        [ir.BoolAttr.get(lane < count) for lane in range(type_.shape[0])], mask
    )
    return arith.ConstantOp(mask, lanes).result


def _part(op: LoadBetweenOp, flat: ir.Value, index: ir.Value, first: int, lanes: int) -> ir.Value:
    type_ = ir.VectorType.get([lanes], ir.IntegerType.get_signless(8))
    shifted = _shifted(flat, scalar.add_constant(index, first), type_)
    is_inside = _is_inside(op, first, type_)
    return arith.SelectOp(is_inside, shifted, splat_of(type_, op.fill.value)).result


def _masked(op: LoadBetweenOp, type_: ir.VectorType) -> ir.Value:
    fill = splat_of(type_, op.fill.value)
    mask = _is_inside(op, 0, type_)
    return vector.MaskedLoadOp(type_, op.base, op.indices, mask, fill).result


def _is_inside(op: LoadBetweenOp, first: int, type_: ir.VectorType) -> ir.Value:
    """Return for each lane from the first one on whether it is between the bounds."""
    begin, end = (
        _broadcast(scalar.add_constant(bound, -first), type_) for bound in (op.begin, op.end)
    )
    numbers: Any = ir.DenseElementsAttr.get(
        [ir.IntegerAttr.get(type_.element_type, lane) for lane in range(type_.shape[0])], type_
    )
    lane = arith.ConstantOp(type_, numbers).result
    is_behind = arith.CmpIOp(arith.CmpIPredicate.sge, lane, begin).result
    is_before = arith.CmpIOp(arith.CmpIPredicate.slt, lane, end).result
    return arith.AndIOp(is_behind, is_before).result


def _shifted(flat: ir.Value, index: ir.Value, type_: ir.VectorType) -> ir.Value:
    """Return the elements from an index on; those outside of the memory have any value."""
    (lanes,) = type_.shape
    start = scalar.clamp(index, 0, ir.MemRefType(flat.type).shape[0] - lanes)
    loaded = vector.LoadOp(type_, flat, [start]).result
    number = ir.IntegerType.get_signless(8 * lanes)
    whole = vector.BitCastOp(ir.VectorType.get([1], number), loaded).result
    bits = vector.ExtractOp(whole, [], [0]).result
    distance = scalar.subtract(index, start)
    down = arith.ShRUIOp(bits, _bits(distance, lanes, number)).result
    up = scalar.subtract(scalar.scalar_constant(0, distance.type), distance)
    moved = arith.ShLIOp(down, _bits(up, lanes, number)).result
    return vector.BitCastOp(type_, vector.BroadcastOp(whole.type, moved).result).result


def _bits(distance: ir.Value, lanes: int, type_: ir.Type) -> ir.Value:
    """Return the bits of a distance in elements, 0 for a negative one."""
    bits = scalar.scaled(scalar.clamp(distance, 0, lanes - 1), 8)
    return arith.IndexCastOp(type_, bits).result


def _broadcast(number: ir.Value, type_: ir.VectorType) -> ir.Value:
    limited = scalar.clamp(number, 0, type_.shape[0])
    return vector.BroadcastOp(type_, arith.IndexCastOp(type_.element_type, limited).result).result


def _identity(type_: ir.MemRefType) -> ir.Attribute:
    return ir.AffineMapAttr.get(ir.AffineMap.get_identity(type_.rank))


def _flat(base: ir.Value) -> ir.Value:
    type_ = ir.MemRefType(base.type)
    if type_.rank == 1:
        return base
    flat = ir.MemRefType.get(
        [math.prod(type_.shape)], type_.element_type, memory_space=type_.memory_space
    )
    return memref.CollapseShapeOp(flat, base, [list(range(type_.rank))]).result


def _linear(indices: list[ir.Value], shape: list[int]) -> ir.Value:
    total = indices[0]
    for size, index in zip(shape[1:], indices[1:], strict=True):
        total = scalar.add(scalar.scaled(total, size), index)
    return total
