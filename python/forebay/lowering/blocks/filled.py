"""Words of the first operand whose elements outside are filled, so that no loop is clamped.

An element outside gets the value that the offset makes 0. With sums of the second factors:

sum((x + z) * w) of the points inside  =  z * sum(w) + sum(x * w) of all points, with x = -z outside
"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import arith

from forebay.cpus import schedule_of
from forebay.dialects.accel import LoadBetweenOp, ReduceOp
from forebay.ir.machine.cpu import cpu_of
from forebay.ir.memory.linear import linear_of_map
from forebay.ir.module import function_around
from forebay.ir.rows.layout import rows_of
from forebay.ir.structured.reduce_box import box_of
from forebay.lowering.blocks.hoisted import dims_of_factors, sums_factors
from forebay.lowering.blocks.subdomain import is_multiple
from forebay.lowering.blocks.words import Words, words_of
from forebay.lowering.kernels import scalar
from forebay.lowering.loops.window_bounds import IndexClamp


def dim_of_fill(op: ReduceOp, clamps: Sequence[IndexClamp]) -> int | None:
    """Return the parallel dimension along which elements outside are filled, or None.

    With partial sums it is the one that clamps the loop over the words, unless that loop begins and
    ends at whole words; else it is the last one, unless another one leaves elements alone.
    """
    words = words_of(op)
    if words is None or not takes_fill(op):
        return None
    cut = [clamp for clamp in clamps if clamp.dim == words.dim]
    if words.sums == 1:
        if words.sums_factors and cut and all(is_multiple(clamp, words.lanes) for clamp in cut):
            return None
        is_known = not sums_factors(op) or dims_of_factors(op) is not None
        dims = {len(op.parallel) - 1} if is_known else set[int]()
        cut = [clamp for clamp in cut if dims.isdisjoint(clamp.base.terms)]
        if cut and not _has_whole_words(op, words, cut):
            return None
    else:
        if all(is_multiple(clamp, words.lanes) for clamp in cut):
            return None
        dims = {dim for clamp in cut for dim in clamp.base.terms}
    if len(dims) != 1 or dims & _dims_of_rows(op):
        return None
    return dims.pop()


def dim_of_borders(op: ReduceOp) -> int | None:
    """Return the last parallel dimension, unless it selects rows that lie anywhere."""
    last = len(op.parallel) - 1
    return None if last in _dims_of_rows(op) else last


def _has_whole_words(op: ReduceOp, words: Words, cut: Sequence[IndexClamp]) -> bool:
    """Return whether a clamped loop over words leaves no element alone."""
    extent = op.reduction[words.dim - len(op.parallel)]
    return extent % words.lanes == 0 and all(is_multiple(clamp, words.lanes) for clamp in cut)


def takes_fill(op: ReduceOp) -> bool:
    """Return whether elements of the first operand that are outside can be filled.

    The value that the offset makes 0 has 8 bits, and no element is left alone after the words.
    Words that are always whole are filled where the processor of the function does so.
    """
    words = words_of(op)
    if words is None or not -128 <= -words.offset <= 127:
        return False
    if words.dim < len(op.parallel) or box_of(op).cuts_reduction:
        return False
    extent = op.reduction[words.dim - len(op.parallel)]
    if words.fewest < words.lanes:
        return extent % words.lanes == 0 or extent % words.lanes >= words.fewest
    return extent % words.lanes == 0 and _has_fills(op, words.lanes)


def _dims_of_rows(op: ReduceOp) -> frozenset[int]:
    """Return the dimensions that select the rows of the first operand, none of which is outside."""
    rows = rows_of(op.inputs[0].type)
    forms = linear_of_map(ir.AffineMapAttr(op.maps[0]).value)[: 0 if rows is None else rows.dims]
    return frozenset(dim for form in forms if form is not None for dim in form.terms)


def _has_fills(op: ReduceOp, lanes: int) -> bool:
    """Return whether the processor of the function fills words of so many elements."""
    function = function_around(op)
    name = None if function is None else cpu_of(function)
    units = () if name is None else schedule_of(name).vectors
    return any(unit.lanes == lanes and unit.fills for unit in units)


def load_filled(
    memory: ir.Value,
    index: Sequence[ir.Value],
    sizes: Sequence[int | None],
    word: tuple[int, int],
) -> ir.Value:
    """Load a word of `lanes` elements from an index on, with `fill` for those that are outside.

    `sizes` are the extents of the axes, or None for an axis whose indices are inside.
    """
    lanes, fill = word
    last, size = index[-1], sizes[-1]
    begin, end = _index(0), _index(lanes)
    if size is not None:
        before = scalar.at_least(scalar.subtract(_index(0), last), _index(0))
        begin = scalar.at_most(before, _index(lanes))
        end = scalar.at_most(scalar.subtract(_index(size), last), _index(lanes))
    for own, extent in zip(index[:-1], sizes[:-1], strict=True):
        if extent is not None:
            is_inside = arith.CmpIOp(arith.CmpIPredicate.ult, own, _index(extent)).result
            end = arith.SelectOp(is_inside, end, _index(0)).result
    type_ = ir.VectorType.get([lanes], ir.IntegerType.get_signless(8))
    value = ir.IntegerAttr.get(scalar.i32(), fill)
    return LoadBetweenOp(type_, memory, index, begin, end, value).result


def _index(value: int) -> ir.Value:
    return scalar.scalar_constant(value, ir.IndexType.get())
