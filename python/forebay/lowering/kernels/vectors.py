"""Expand words to their elements, and lanes to vectors of `arith`, for LLVM."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeGuard

from mlir import ir
from mlir.dialects import arith, memref, tosa, vector

from forebay.dialects.accel import (
    AddTotalsOp,
    DotEachOp,
    DotOp,
    DotsOp,
    LoadBetweenOp,
    LoadExtendedOp,
    MultiplyAddOp,
    StoreRescaledOp,
)
from forebay.ir.nested import ops_of
from forebay.lowering.kernels import scalar
from forebay.lowering.kernels.vector_bounds import loaded_between, loaded_padded
from forebay.lowering.kernels.vector_features import VectorFeatures
from forebay.lowering.kernels.vector_sums import (
    NO_SIGN,
    dots_added,
    each_added,
    splat_of,
    totals_added,
)

_ON_LANES = (AddTotalsOp, DotEachOp, DotsOp, LoadExtendedOp, MultiplyAddOp, StoreRescaledOp)


def expand_vectors(function: ir.OpView, features: VectorFeatures) -> None:
    """Replace each load of a word, each `accel.dot` of loaded words, and the ops on lanes."""
    found = ops_of(function, vector.LoadOp, LoadBetweenOp, DotOp, *_ON_LANES)
    numbers = ops_of(function, arith.ConstantOp) if found else []
    uneven = [op for op in found if _is_uneven(op)]
    padded = {op.result: _padded(op, features) for op in uneven}
    for op in found:
        _expand_lanes(op, features, padded)
    words = [op for op in found if _is_word(op)]
    loaded = {op.result: _elements(op) for op in words}
    between = [op for op in found if isinstance(op, LoadBetweenOp)]
    loaded |= {op.result: _some_elements(op) for op in between if _is_of_dot(op)}
    constants = [op for op in numbers if _is_splat(op)]
    loaded |= {op.result: _repeated(op) for op in constants}
    for op in found:
        if isinstance(op, DotOp):
            op.result.replace_all_uses_with(_sum(op, loaded[op.lhs], loaded[op.rhs]))
            op.operation.erase()
    for op in between:
        with ir.InsertionPoint(op), op.location:
            word = None if op.result in loaded else loaded_between(op, features)
        if word is None:
            elements = loaded.get(op.result) or _some_elements(op)
            with ir.InsertionPoint(op), op.location:
                word = vector.FromElementsOp(op.result.type, elements).result
        op.result.replace_all_uses_with(word)
        op.operation.erase()
    for op in (*words, *uneven):
        op.operation.erase()
    for op in constants:
        op.operation.erase()


def access_by_element(function: ir.OpView) -> None:
    """Replace each load and store of a vector by those of its elements.

    Upstream's conversion of vectors takes an index of 64 bits only.
    """
    for load in ops_of(function, vector.LoadOp):
        elements = _elements(load)
        with ir.InsertionPoint(load), load.location:
            loaded = vector.FromElementsOp(load.result.type, elements).result
        load.result.replace_all_uses_with(loaded)
        load.operation.erase()
    for store in ops_of(function, vector.StoreOp):
        _store_elements(store)
        store.operation.erase()


def _store_elements(op: vector.StoreOp) -> None:
    *outer, last = op.indices
    with ir.InsertionPoint(op), op.location:
        for lane in range(ir.VectorType(op.valueToStore.type).shape[0]):
            element = vector.ExtractOp(op.valueToStore, [], [lane]).result
            memref.StoreOp(element, op.base, [*outer, scalar.add_constant(last, lane)])


def _is_word(op: ir.OpView) -> TypeGuard[vector.LoadOp]:
    is_load = isinstance(op, vector.LoadOp)
    if not is_load or ir.VectorType(op.result.type).element_type != _i8():
        return False
    return _is_of_dot(op)


def _is_of_dot(op: vector.LoadOp | LoadBetweenOp) -> bool:
    return any(isinstance(use.owner.opview, DotOp) for use in op.result.uses)


def _is_uneven(op: ir.OpView) -> TypeGuard[vector.LoadOp]:
    """Return whether a load is only of factors, and of no power of two elements."""
    if not isinstance(op, vector.LoadOp) or ir.VectorType(op.result.type).rank != 1:
        return False
    (lanes,) = ir.VectorType(op.result.type).shape
    is_of_dots = all(isinstance(use.owner.opview, DotsOp) for use in op.result.uses)
    return is_of_dots and bool(lanes & (lanes - 1))


def _padded(op: vector.LoadOp, features: VectorFeatures) -> ir.Value:
    with ir.InsertionPoint(op), op.location:
        return loaded_padded(op, features)


def _expand_lanes(
    op: ir.OpView, features: VectorFeatures, padded: Mapping[ir.Value, ir.Value]
) -> None:
    if not isinstance(op, _ON_LANES):
        return
    with ir.InsertionPoint(op), op.location:
        if isinstance(op, LoadExtendedOp):
            op.result.replace_all_uses_with(_extended(op))
        elif isinstance(op, MultiplyAddOp):
            op.result.replace_all_uses_with(_products_added(op))
        elif isinstance(op, DotsOp):
            op.result.replace_all_uses_with(dots_added(op, features, padded))
        elif isinstance(op, DotEachOp):
            op.result.replace_all_uses_with(each_added(op, features))
        elif isinstance(op, AddTotalsOp):
            op.result.replace_all_uses_with(totals_added(op))
        else:
            _store(op)
    op.operation.erase()


def _extended(op: LoadExtendedOp) -> ir.Value:
    type_ = ir.VectorType(op.result.type)
    loaded = vector.LoadOp(ir.VectorType.get(type_.shape, _i8()), op.base, op.indices).result
    return arith.ExtSIOp(type_, loaded).result


def _products_added(op: MultiplyAddOp) -> ir.Value:
    """Add products; LLVM needs to know a factor of 16 bits without sign for `vpmaddwd`."""
    type_ = op.sum.type
    other = arith.ExtSIOp(type_, op.rhs).result
    bytes_ = _bytes_of(op.lhs)
    if bytes_ is not None and op.offset.value == NO_SIGN:
        moved = arith.XOrIOp(bytes_, splat_of(bytes_.type, -NO_SIGN)).result
        one = arith.ExtUIOp(type_, moved).result
    else:
        one = arith.ExtSIOp(type_, op.lhs).result
        if op.offset.value:
            one = arith.AddIOp(one, splat_of(type_, op.offset.value)).result
    return arith.AddIOp(op.sum, arith.MulIOp(one, other).result).result


def _bytes_of(factor: ir.Value) -> ir.Value | None:
    """Return the elements of 8 bits that were extended; None for others."""
    owner = None if isinstance(factor, ir.BlockArgument) else factor.owner.opview
    if not isinstance(owner, arith.ExtSIOp):
        return None
    narrow = owner.in_
    return narrow if ir.VectorType(narrow.type).element_type == _i8() else None


def _store(op: StoreRescaledOp) -> None:
    type_ = ir.VectorType(op.sum.type)
    shift_type = ir.VectorType.get(type_.shape, _i8())
    shift = arith.TruncIOp(shift_type, op.shift).result
    rounding = ir.Attribute.parse("#tosa.rounding_mode<DOUBLE_ROUND>")
    scaled = tosa.ApplyScaleOp(type_, op.sum, op.multiplier, shift, rounding).result
    shifted = arith.AddIOp(scaled, splat_of(type_, op.zero_point.value)).result
    raised = arith.MaxSIOp(shifted, splat_of(type_, op.low.value)).result
    limited = arith.MinSIOp(raised, splat_of(type_, op.high.value)).result
    narrow = arith.TruncIOp(shift_type, limited).result
    vector.StoreOp(narrow, op.base, op.indices)


def _i8() -> ir.Type:
    return ir.IntegerType.get_signless(8)


def _is_splat(op: ir.OpView) -> TypeGuard[arith.ConstantOp]:
    is_constant = isinstance(op, arith.ConstantOp) and isinstance(op.result.type, ir.VectorType)
    return is_constant and any(isinstance(use.owner.opview, DotOp) for use in op.result.uses)


def _repeated(op: arith.ConstantOp) -> list[ir.Value]:
    """Make a constant for each element of a vector with equal elements."""
    type_ = ir.VectorType(op.result.type)
    value = ir.IntegerAttr(ir.DenseElementsAttr(op.value).get_splat_value()).value
    with ir.InsertionPoint(op), op.location:
        return [scalar.scalar_constant(value, type_.element_type)] * type_.shape[0]


def _elements(op: vector.LoadOp) -> list[ir.Value]:
    """Load the elements of a vector in front of the op."""
    *outer, last = op.indices
    with ir.InsertionPoint(op), op.location:
        return [
            memref.LoadOp(op.base, [*outer, scalar.add_constant(last, lane)]).result
            for lane in range(ir.VectorType(op.result.type).shape[0])
        ]


def _some_elements(op: LoadBetweenOp) -> list[ir.Value]:
    """Load the elements between two lanes in front of the op; of any other lane the first one."""
    lanes = ir.VectorType(op.result.type).shape[0]
    with ir.InsertionPoint(op), op.location:
        return [_element_or_fill(op, lane) for lane in range(lanes)]


def _element_or_fill(op: LoadBetweenOp, lane: int) -> ir.Value:
    index_type = ir.IndexType.get()
    number, zero = (scalar.scalar_constant(n, index_type) for n in (lane, 0))
    *outer, last = op.indices
    is_behind = arith.CmpIOp(arith.CmpIPredicate.sge, number, op.begin).result
    is_before = arith.CmpIOp(arith.CmpIPredicate.slt, number, op.end).result
    is_inside = arith.AndIOp(is_behind, is_before).result
    index = [
        arith.SelectOp(is_inside, index, zero).result
        for index in (*outer, scalar.add_constant(last, lane))
    ]
    element = memref.LoadOp(op.base, index).result
    fill = scalar.scalar_constant(op.fill.value, element.type)
    return arith.SelectOp(is_inside, element, fill).result


def _sum(op: DotOp, lhs: list[ir.Value], rhs: list[ir.Value]) -> ir.Value:
    lanes = range(len(lhs)) if op.lane is None else [op.lane.value]
    total = op.sum
    with ir.InsertionPoint(op), op.location:
        for lane in lanes:
            one = scalar.add_constant(scalar.widen(lhs[lane]), op.offset.value)
            product = scalar.multiply(one, scalar.widen(rhs[lane]))
            total = arith.AddIOp(total, product).result
    return total
