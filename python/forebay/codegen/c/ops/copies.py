"""Copies between buffers: one call, or loops around the longest contiguous run."""

from __future__ import annotations

import math

from forebay.codegen.c.function import FunctionPrinter
from forebay.codegen.c.pointers import Pointer, linear_index
from forebay.codegen.c.syntax import expr
from forebay.codegen.c.syntax.expr import Expr
from forebay.codegen.c.syntax.statements import Assign, Evaluate, For

_LONG = 32
"""Elements that repay the call of a function; compilers replace shorter copies by moves."""


def copy_statements(source: Pointer, target: Pointer, f: FunctionPrinter) -> None:
    """Write a copy. Long runs are copied in words; short ones by memmove if they may overlap."""
    f.settle_reads()
    run = _run_dimensions(source, target)
    outer = len(source.sizes) - run
    zero = tuple(expr.integer_expr(0) for _ in range(run))
    counters: list[Expr] = []
    for size in source.sizes[:outer]:
        f.scope.push()
        if size.literal == 1:
            counters.append(expr.integer_expr(0))
            continue
        i = f.scope.unique("ijklmnopq"[min(len(counters), 8)])
        loop = For("int32_t", i, expr.integer_expr(0), size, expr.integer_expr(1))
        f.add(loop)
        f.blocks.append(loop.body)
        counters.append(expr.name_expr(i, "int32_t"))
    indices = (*counters, *zero)
    count = math.prod(s.literal or 0 for s in source.sizes[outer:])
    if count == 1:
        _copy_element(source, target, indices, f)
    else:
        _copy_run(source, target, indices, count, f)
    for counter in reversed(counters):
        f.scope.pop()
        if counter.literal is None:
            f.blocks.pop()


def _copy_element(
    source: Pointer, target: Pointer, indices: tuple[Expr, ...], f: FunctionPrinter
) -> None:
    to, from_ = linear_index(indices, target), linear_index(indices, source)
    element = expr.element_expr(source.expression, from_, source.ctype)
    f.add(Assign(expr.element_expr(target.expression, to, target.ctype), element))


def _copy_run(
    source: Pointer, target: Pointer, indices: tuple[Expr, ...], count: int, f: FunctionPrinter
) -> None:
    to, from_ = linear_index(indices, target), linear_index(indices, source)
    arguments = (_address(target, to), _address(source, from_), _size(count, target.ctype))
    if count >= _LONG:
        f.add(Evaluate(expr.call_expr("copy_bytes", arguments, "void")))
        return
    apart = source.extent and target.extent and source.extent.is_apart_from(target.extent)
    function = "memcpy" if apart else "memmove"
    f.add(Evaluate(expr.call_expr(function, arguments, "void *"), discards=True))


def _address(pointer: Pointer, index: Expr) -> Expr:
    if index.literal == 0:
        return pointer.expression
    element = expr.element_expr(pointer.expression, index, pointer.ctype)
    return expr.unary_expr("&", element, pointer.expression.ctype)


def _size(count: int, ctype: str) -> Expr:
    """Return the size in bytes of `count` elements."""
    if ctype == "int8_t":
        return expr.integer_expr(count)
    element = expr.call_expr("sizeof", (expr.name_expr(ctype, ""),), "size_t")
    return expr.binary_expr(expr.integer_expr(count), "*", element, "size_t")


def _run_dimensions(source: Pointer, target: Pointer) -> int:
    """Return the number of innermost dimensions that are contiguous in both buffers."""
    expected, run = 1, 0
    dimensions = zip(
        reversed(source.sizes), reversed(source.strides), reversed(target.strides), strict=True
    )
    for size, one, other in dimensions:
        if size.literal is None or (size.literal != 1 and not one == other == expected):
            break
        expected *= size.literal
        run += 1
    return run
