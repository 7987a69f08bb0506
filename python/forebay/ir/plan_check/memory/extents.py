"""Checks whether a view is inside its buffer, and whether two views share bytes."""

from __future__ import annotations

import math
from collections.abc import Sequence

from mlir import ir
from mlir.dialects import memref

from forebay.ir.plan_check.buffers.placed import PlacedBuffer
from forebay.ir.plan_check.integers.arithmetic import Arithmetic
from forebay.ir.plan_check.integers.numbers import LinearForm, number
from forebay.ir.plan_check.memory.references import CALLER_BUFFER, Reference, span_of
from forebay.ir.refused import RefusedError

_WAY_OUT = "bound its offsets and sizes by loops of constant bounds, arith.minsi or arith.maxsi"


def check_extent(
    op: ir.OpView, reference: Reference, buffers: Sequence[PlacedBuffer], run: Arithmetic
) -> None:
    """Raise `RefusedError` where a view may show bytes outside of its buffer.

    A `memref.subview` is a part of its source by definition. If its offsets or sizes depend on
    data, as the indices of a load may, it is trusted.
    """
    span = span_of(reference, run)
    if span is None:
        return
    low, high = run.numbers.lower(span[0]), run.numbers.upper(span[1])
    if low >= 0 and high <= reference.size:
        return
    if isinstance(op, memref.SubViewOp) and (span[0].is_data or span[1].is_data):
        return
    name = f"'{op.operation.name}'"
    if math.isinf(low) or math.isinf(high):
        where = _named(reference, buffers)
        raise RefusedError(
            op.location, f"it is unknown which bytes of {where} {name} shows; {_WAY_OUT}"
        )
    is_certain = span[0].constant is not None and span[1].constant is not None
    shows = f"{name} {'shows' if is_certain else 'may show'} bytes"
    if reference.buffer == CALLER_BUFFER:
        raise RefusedError(
            op.location,
            f"{shows} [{low:,}, {high:,}) of memory of the caller, which has {reference.size:,}",
        )
    buffer = buffers[reference.buffer]
    raise RefusedError(
        op.location,
        f"{shows} [{buffer.start + low:,}, {buffer.start + high:,}) of pool @{buffer.pool}, but "
        f"buffer '{buffer.name}' is at {buffer.span}",
        [(buffer.location, f"'{buffer.name}' is declared here")],
    )


def _named(reference: Reference, buffers: Sequence[PlacedBuffer]) -> str:
    if reference.buffer == CALLER_BUFFER:
        return "memory of the caller"
    buffer = buffers[reference.buffer]
    return f"buffer '{buffer.name}' at {buffer.span} of pool @{buffer.pool}"


def may_share(one: Reference, other: Reference, ahead: int, run: Arithmetic) -> bool:
    """Return whether two views may have a byte in common.

    The buffer of `other` begins `ahead` bytes after that of `one`.
    """
    first, second = span_of(one, run), span_of(other, run)
    if first is None or second is None:
        return False
    shift = number(ahead)
    begin, end = second[0].plus(shift), second[1].plus(shift)
    numbers = run.numbers
    if numbers.upper(first[1].minus(begin)) <= 0 or numbers.upper(end.minus(first[0])) <= 0:
        return False
    return not _are_columns_apart(one, other, shift)


def _are_columns_apart(one: Reference, other: Reference, shift: LinearForm) -> bool:
    """Return whether both views are different columns of rows of the same length.

    ::

        row    |....111111.2222..|....111111.2222..|     `between` from the first to the second
    """
    lengths = {stride.constant for stride in one.strides} & {s.constant for s in other.strides}
    between = other.begin.plus(shift).minus(one.begin)
    for length in sorted(n for n in lengths if n is not None and n > 0):
        widths = [_width(view, length) for view in (one, other)]
        constant = between.low
        rest = LinearForm(between.terms, 0, between.high - between.low, between.step)
        if None in widths or math.isinf(constant) or not rest.is_multiple_of(length):
            continue
        column = int(constant) % length
        if column >= (widths[0] or 0) and column + (widths[1] or 0) <= length:
            return True
    return False


def _width(view: Reference, length: int) -> int | None:
    """Return the bytes of a view in one row, if all other strides are whole rows, else None."""
    width = view.element
    for size, stride in zip(view.shape, view.strides, strict=True):
        count, step = size.constant, stride.constant
        if step is None or step < 0:
            return None
        if step % length == 0:
            continue
        if count is None:
            return None
        width += (count - 1) * step
    return width
