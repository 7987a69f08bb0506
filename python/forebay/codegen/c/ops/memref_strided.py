"""Views by their layouts: every view op without a function of its own becomes a pointer."""

from __future__ import annotations

from collections.abc import Iterable

from mlir.ir import MemRefType, OpView, Value
from msgspec import Struct
from msgspec.structs import replace

from forebay.codegen.c.function import FunctionPrinter
from forebay.codegen.c.ops.memref import declare_pointer, number_of
from forebay.codegen.c.pointers import UNKNOWN
from forebay.codegen.c.registry import printable_check, statement
from forebay.codegen.c.syntax import expr
from forebay.codegen.c.syntax.expr import Expr
from forebay.ir.interfaces import FoldResult, viewed_by
from forebay.ir.views.layouts import DYNAMIC, DYNAMIC_OFFSET, offset_of
from forebay.ir.views.queries import layout_rule_of
from forebay.ir.views.strided import LayoutRule, StridedLayout


class _Number(Struct, frozen=True, eq=False):
    """A number of a layout as C prints it; what depends on an unknown number is unknown."""

    expr: Expr

    def __add__(self, other: _Number) -> _Number:
        one, two = self.expr, other.expr
        if UNKNOWN in (one, two):
            return _Number(UNKNOWN)
        if one.literal is not None and two.literal is not None:
            return _constant(one.literal + two.literal)
        if 0 in (one.literal, two.literal):
            return other if one.literal == 0 else self
        return _Number(expr.add_expr(one, two, "int32_t"))

    def __mul__(self, other: _Number) -> _Number:
        one, two = self.expr, other.expr
        if 0 in (one.literal, two.literal):
            return _constant(0)
        if UNKNOWN in (one, two):
            return _Number(UNKNOWN)
        if one.literal is not None and two.literal is not None:
            return _constant(one.literal * two.literal)
        if 1 in (one.literal, two.literal):
            return other if one.literal == 1 else self
        return _Number(expr.binary_expr(one, "*", two, "int32_t"))

    def __eq__(self, other: object) -> bool:
        return self.expr.literal == other

    def __ne__(self, other: object) -> bool:
        # Not derived from `__eq__`: a Struct has a `__ne__` of its own, which compares identities.
        return self.expr.literal != other

    __hash__ = None  # pyright: ignore[reportAssignmentType]


def _constant(value: int) -> _Number:
    return _Number(expr.integer_expr(value))


@statement(OpView)
def strided_view(op: OpView, f: FunctionPrinter) -> None:
    """Print a pointer with strides of its own; bind the source itself if the offset is zero."""
    rule, value = _described(op)
    source = f.pointer(value)
    layout = _layout_of(
        value, map(_Number, source.sizes), (_constant(stride) for stride in source.strides)
    )
    numbers = rule.values(
        lambda number: _Number(number_of(number, f)),
        lambda number: _Number(number_of(number, f, wanted="size")),
        lambda number: _Number(number_of(number, f)),
    )
    seen = rule.layout(layout, numbers)
    pointer = replace(
        source,
        strides=tuple(stride.expr.literal or 0 for stride in seen.strides),
        sizes=tuple(size.expr for size in seen.sizes),
        layout=None,
    )
    result, start = op.operation.results[0], seen.start.expr
    if start.literal == 0:
        f.pointers[result] = pointer
    else:
        declare_pointer(result, expr.binary_expr(source.expression, "+", start, ""), pointer, f)


@printable_check(OpView)
def _check_strided_view(op: OpView) -> str | None:
    rule, source = layout_rule_of(op), viewed_by(op)
    if rule is None or source is None:
        return f"the layout of '{op.operation.name}' is known at run time only"
    type_ = MemRefType(source.type)
    strides, _ = type_.get_strides_and_offset()
    layout = _layout_of(source, map(_known, type_.shape), map(_known, strides))
    seen = rule.layout(layout, rule.values(lambda _: _constant(0), _known, _known))
    if any(stride.expr.literal is None for stride in seen.strides):
        return "a stride is known at run time only"
    if seen.start.expr == UNKNOWN:  # whatever the offsets of the op are
        return f"a {op.operation.name.partition('.')[2]} of a memref with an offset has no C form"
    return None


def _described(op: OpView) -> tuple[LayoutRule, Value]:
    """Return the layout and the source of a view that `_check_strided_view` has accepted."""
    rule, source = layout_rule_of(op), viewed_by(op)
    assert rule is not None and source is not None
    return rule, source


def _layout_of(
    source: Value, sizes: Iterable[_Number], strides: Iterable[_Number]
) -> StridedLayout[_Number]:
    """Return the layout of a source, in elements from its first one, at which pointers point."""
    offset = offset_of(MemRefType(source.type))
    base = _Number(UNKNOWN) if offset is None else _constant(-offset)
    return StridedLayout(_constant(0), tuple(sizes), tuple(strides), base, _constant(1))


def _known(number: FoldResult) -> _Number:
    is_constant = isinstance(number, int) and number not in (DYNAMIC, DYNAMIC_OFFSET)
    return _constant(number) if is_constant else _Number(UNKNOWN)
