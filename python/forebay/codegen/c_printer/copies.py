"""Copies between buffers: one memcpy, or loops around the longest contiguous run."""

from __future__ import annotations

import math

from . import expr
from .expr import Expr
from .function import FunctionPrinter
from .pointers import Pointer, linear_index


def copy(source: Pointer, target: Pointer, f: FunctionPrinter) -> None:
    """Write a copy; memmove where the two may overlap."""
    f.settle_reads()
    run = _run_dimensions(source, target)
    outer = len(source.sizes) - run
    zero = tuple(expr.integer(0) for _ in range(run))
    counters: list[Expr] = []
    for size in source.sizes[:outer]:
        f.scope.push()
        if size.literal == 1:
            counters.append(expr.integer(0))
            continue
        i = f.scope.unique("ijklmnopq"[min(len(counters), 8)])
        f.line(f"for (int32_t {i} = 0; {i} < {size.text}; ++{i}) {{", "int32_t")
        f.lines.depth += 1
        counters.append(expr.name(i, "int32_t"))
    indices = (*counters, *zero)
    _copy_run(source, target, indices, math.prod(s.literal or 0 for s in source.sizes[outer:]), f)
    for counter in reversed(counters):
        f.scope.pop()
        if counter.literal is None:
            f.lines.depth -= 1
            f.line("}")


def _copy_run(
    source: Pointer, target: Pointer, indices: tuple[Expr, ...], count: int, f: FunctionPrinter
) -> None:
    to, from_ = linear_index(indices, target), linear_index(indices, source)
    if count == 1:
        f.line(f"{target.name}[{to.text}] = {source.name}[{from_.text}];")
        return
    apart = source.extent and target.extent and source.extent.is_apart_from(target.extent)
    function = "memcpy" if apart else "memmove"
    size = f"{count} * sizeof({target.ctype})" if target.ctype != "int8_t" else str(count)
    f.line(f"(void){function}({_address(target, to)}, {_address(source, from_)}, {size});")


def _address(pointer: Pointer, index: Expr) -> str:
    return pointer.name if index.literal == 0 else f"&{pointer.name}[{index.text}]"


def _run_dimensions(source: Pointer, target: Pointer) -> int:
    """Return how many innermost dimensions are contiguous in both."""
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
