"""The rows that a box of a reduction accesses, and the row that a view of a pool shows.

A window that is clamped at the border of its operand has no row there. In a materialised program
the offset of a row says which row it is::

    addi(muli(%row, stride), start)             a place per row, at a constant distance
    addi(muli(remui(%row, n), stride), start)   a ring of n places
    muli(index_cast(load %table[%row]), unit)   any places
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from mlir import ir
from mlir.dialects import arith, memref

from forebay.dialects.accel import ReduceOp
from forebay.ir.plan_check.integers.arithmetic import Arithmetic
from forebay.ir.refused import RefusedError

_VARIES = ir.ShapedType.get_dynamic_size()

_MOST_POINTS = 4096
"""Points of a box that are enumerated; with more of them, all rows are accessed."""

ROW_NUMBER = "memref_pool.row_number"
"""Attribute of a view that shows a constant row."""

_Index = Callable[[Sequence[int]], int]


class _Axis(NamedTuple):
    """An index of an operand, whose values outside of `extent` show no element."""

    form: _Index
    dimensions: frozenset[int]
    extent: int

    def has(self, point: Sequence[int]) -> bool:
        """Return whether the operand has an element there."""
        return 0 <= self.form(point) < self.extent


class ReduceRows:
    """The rows that a reduction's box uses of the operands that `maps` address.

    A row has `elements` elements. The operand may have another shape than the buffer: its leading
    dimensions then count parts of rows::

        buffer 7 x 7 x 1280, rows of 8960     operand 49 x 1280: the first index counts 7 parts

    A point at which any input has no element is not computed, and reads no row of the others::

        input (k), weights (y - 2 * k) of size 1     the result at y = 1 needs no row of the input
        input (y, x - 3) of 4 x 4                    the column x = 0 needs no row of the input
    """

    def __init__(self, op: ReduceOp, operand: int, elements: int) -> None:
        operands = [*op.inputs, *op.params, op.output]
        own = _axes_of(op, operand, operands[operand])
        count, part = 0, math.prod(axis.extent for axis in own)
        while elements % part:
            part //= own[count].extent
            count += 1
        self._parts = elements // part
        self._axes = own[:count]
        others = own[count:] if operand < len(op.inputs) else []
        if operand < len(op.inputs):
            for number, value in enumerate(op.inputs):
                others += _axes_of(op, number, value) if number != operand else []
        domain = [*op.parallel, *op.reduction]
        others = [axis for axis in others if _may_leave(axis, domain)]
        self._conditions, self._joint, rest = _related(self._axes, others)
        self._apart = list(_unrelated(rest))
        self._used = _dimensions_of_all(self._axes)
        self._sizes = list(op.sizes or (*op.parallel, *op.reduction))

    def at(self, starts: Sequence[int]) -> list[int] | None:
        """Return the rows in row-major order for a box that begins at `starts`; None for all.

        Of a large box, the rows of points that are not computed may be among them.
        """
        if not all(self._is_met(starts, axes) for axes in self._apart):
            return []
        joint = self._points(self._joint)
        if joint <= _MOST_POINTS:
            return self._rows(starts, self._joint, self._conditions)
        if self._points(self._used) <= _MOST_POINTS:
            return self._rows(starts, self._used, ())
        return None

    def _points(self, dimensions: Sequence[int]) -> int:
        return math.prod(self._sizes[d] for d in dimensions)

    def _rows(
        self, starts: Sequence[int], dimensions: Sequence[int], conditions: Sequence[_Axis]
    ) -> list[int]:
        rows = set[int]()
        for point in self._points_of(starts, dimensions):
            if all(axis.has(point) for axis in conditions):
                rows.update(self._row(point))
        return sorted(rows)

    def _is_met(self, starts: Sequence[int], axes: Sequence[_Axis]) -> bool:
        """Return whether a point of a box is inside along some axes; also if it has too many."""
        dimensions = _dimensions_of_all(axes)
        if self._points(dimensions) > _MOST_POINTS:
            return True
        points = self._points_of(starts, dimensions)
        return any(all(axis.has(point) for axis in axes) for point in points)

    def _points_of(self, starts: Sequence[int], dimensions: Sequence[int]) -> Iterator[list[int]]:
        """Yield the points of a box along some dimensions, always in the same list."""
        ranges = [range(starts[d], starts[d] + self._sizes[d]) for d in dimensions]
        point = [0] * len(starts)
        for values in itertools.product(*ranges):
            for dimension, value in zip(dimensions, values, strict=True):
                point[dimension] = value
            yield point

    def _row(self, point: Sequence[int]) -> list[int]:
        row = 0
        for axis in self._axes:
            at = axis.form(point)
            if not 0 <= at < axis.extent:
                return []
            row = row * axis.extent + at
        return [row // self._parts]


def extents_of_box(op: ReduceOp, operand: int, starts: Sequence[int]) -> list[range]:
    """Return, for each index of an operand, the values between which a box's indices are.

    An index that depends on many points of a box may have every value.
    """
    sizes = list(op.sizes or (*op.parallel, *op.reduction))
    value = [*op.inputs, *op.params, op.output][operand]
    return [_extent_in(axis, starts, sizes) for axis in _axes_of(op, operand, value)]


def _extent_in(axis: _Axis, starts: Sequence[int], sizes: Sequence[int]) -> range:
    used = sorted(axis.dimensions)
    if math.prod(sizes[d] for d in used) > _MOST_POINTS:
        return range(axis.extent)
    point = list(starts)
    found: list[int] = []
    for values in itertools.product(*(range(starts[d], starts[d] + sizes[d]) for d in used)):
        for dimension, value in zip(used, values, strict=True):
            point[dimension] = value
        if axis.has(point):
            found.append(axis.form(point))
    return range(min(found), max(found) + 1) if found else range(0)


def _axes_of(op: ReduceOp, operand: int, value: ir.Value) -> list[_Axis]:
    results = ir.AffineMapAttr(op.maps[operand]).value.results
    shape = ir.MemRefType(value.type).shape
    return [
        _Axis(_compiled(expression), _dimensions_of(expression), extent)
        for expression, extent in zip(results, shape, strict=True)
    ]


def _may_leave(axis: _Axis, domain: Sequence[int]) -> bool:
    """Return whether an index, which is linear, is outside at a corner of the domain."""
    corner = [0] * len(domain)
    dimensions = sorted(axis.dimensions)
    for ends in itertools.product(*((0, domain[d] - 1) for d in dimensions)):
        for dimension, end in zip(dimensions, ends, strict=True):
            corner[dimension] = end
        if not axis.has(corner):
            return True
    return False


def _dimensions_of_all(axes: Sequence[_Axis]) -> list[int]:
    return sorted(frozenset[int]().union(*(axis.dimensions for axis in axes)))


def _related(
    axes: Sequence[_Axis], others: Sequence[_Axis]
) -> tuple[list[_Axis], list[int], list[_Axis]]:
    """Return the others that share dimensions with `axes` or with each other, and all dimensions.

    Return also the rest, which are inside of their operands whatever the row is, or never.
    """
    dimensions = frozenset[int]().union(*(axis.dimensions for axis in axes))
    left = list(others)
    found: list[_Axis] = []
    while more := [axis for axis in left if axis.dimensions & dimensions]:
        left = [axis for axis in left if axis not in more]
        found += more
        dimensions = dimensions.union(*(axis.dimensions for axis in more))
    return found, sorted(dimensions), left


def _unrelated(axes: Sequence[_Axis]) -> Iterator[list[_Axis]]:
    """Yield axes in groups that share no dimensions."""
    left = list(axes)
    while left:
        first, *others = left
        related, _, left = _related([first], others)
        yield [first, *related]


def starts_of(op: ReduceOp, run: Arithmetic) -> list[int] | None:
    """Return where the box of a reduction begins, or None if it is not known.

    Raises `RefusedError` for a box that is not in the domain.
    """
    extents = [*op.parallel, *op.reduction]
    if op.static_starts is None or op.sizes is None:
        return [0] * len(extents)
    values = iter(op.starts)
    forms = [run.of(next(values)).constant if s == _VARIES else s for s in op.static_starts]
    starts = [form for form in forms if form is not None]
    if len(starts) < len(forms):
        return None
    for start, size, extent in zip(starts, op.sizes, extents, strict=True):
        if start < 0 or start + size > extent:
            raise RefusedError(
                op.location,
                f"'{op.operation.name}' computes [{start:,}, {start + size:,}) of a dimension of "
                f"{extent:,}",
            )
    return starts


def ends_reduction(op: ReduceOp, run: Arithmetic) -> bool:
    """Return whether the box of a reduction may be the last one, the only one with a result."""
    starts = starts_of(op, run)
    if starts is None or op.sizes is None:
        return True
    outer = len(op.parallel)
    ends = zip(starts[outer:], list(op.sizes)[outer:], list(op.reduction), strict=True)
    return all(start + size == extent for start, size, extent in ends)


def row_number_of(op: memref.ViewOp, run: Arithmetic) -> int | None:
    """Return the number of the row that a view of a pool's base shows, or None if unknown."""
    if ROW_NUMBER in op.attributes:
        return ir.IntegerAttr(op.attributes[ROW_NUMBER]).value
    return run.of(row_value_of(op.byte_shift)).constant


def row_value_of(offset: ir.Value) -> ir.Value:
    """Return the value from which an offset is computed: the number of the row."""
    for kind in (arith.AddIOp, arith.MulIOp):
        inner = _without_constant(offset, kind)
        is_sum = kind is arith.AddIOp
        if inner is not None and not (is_sum and not _is_scaled(inner)):
            offset = inner
    cast = _op_of(offset, arith.IndexCastOp)
    load = _op_of(offset if cast is None else cast.operands[0], memref.LoadOp)
    if load is not None:
        return load.indices[0]
    ring = _op_of(offset, arith.RemUIOp)
    return offset if ring is None else ring.operands[0]


def _is_scaled(value: ir.Value) -> bool:
    """Return whether a value is that of a row's number times its distance, or a table's entry."""
    kinds = (arith.MulIOp, arith.IndexCastOp, arith.RemUIOp)
    return any(_op_of(value, kind) is not None for kind in kinds)


def _without_constant(value: ir.Value, kind: type) -> ir.Value | None:
    op = _op_of(value, kind)
    is_by_number = op is not None and _op_of(op.operands[1], arith.ConstantOp) is not None
    return op.operands[0] if op is not None and is_by_number else None


def _op_of(value: ir.Value, kind: type) -> Any:
    """Return the op of a class that makes a value, or None."""
    owner = value.owner
    if isinstance(owner, ir.Block) or not isinstance(owner.opview, kind):
        return None
    return owner.opview


def _dimensions_of(expression: ir.AffineExpr) -> frozenset[int]:
    if isinstance(expression, ir.AffineBinaryExpr):
        return _dimensions_of(expression.lhs) | _dimensions_of(expression.rhs)
    is_dimension = isinstance(expression, ir.AffineDimExpr)
    return frozenset((expression.position,)) if is_dimension else frozenset()


def _compiled(expression: ir.AffineExpr) -> _Index:
    """Return a function of a point, which does not ask the bindings again."""
    if isinstance(expression, ir.AffineConstantExpr):
        constant = expression.value
        return lambda _: constant
    if isinstance(expression, ir.AffineDimExpr):
        position = expression.position
        return lambda point: point[position]
    assert isinstance(expression, ir.AffineBinaryExpr)
    one, other = _compiled(expression.lhs), _compiled(expression.rhs)
    rule = next(rule for kind, rule in _OF_TWO.items() if isinstance(expression, kind))
    return lambda point: rule(one(point), other(point))


def _quotient_up(one: int, other: int) -> int:
    return -(-one // other)


_OF_TWO: dict[type[ir.AffineExpr], Callable[[int, int], int]] = {
    ir.AffineAddExpr: operator.add,
    ir.AffineMulExpr: operator.mul,
    ir.AffineFloorDivExpr: operator.floordiv,
    ir.AffineCeilDivExpr: _quotient_up,
    ir.AffineModExpr: operator.mod,
}
