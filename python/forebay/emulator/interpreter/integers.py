"""Integers of a width as Python ints: two's complement, booleans 0 and 1."""

from __future__ import annotations

from collections.abc import Callable

from mlir import ir

INDEX_WIDTH = 64

Wrap = Callable[[int], int]


def width_of(type_: ir.Type) -> int:
    """Bits of an integer or index type."""
    return INDEX_WIDTH if isinstance(type_, ir.IndexType) else ir.IntegerType(type_).width


def wrapping(type_: ir.Type) -> Wrap:
    """Any int to the one that a value of the type holds."""
    width = width_of(type_)
    mask, half = (1 << width) - 1, 1 << (width - 1)
    if width == 1:
        return lambda value: value & 1
    return lambda value: ((value + half) & mask) - half


def unsigned(type_: ir.Type) -> Wrap:
    """A value of the type to the number that its bits are without a sign."""
    mask = (1 << width_of(type_)) - 1
    return lambda value: value & mask


def signed(type_: ir.Type) -> Wrap:
    """A value of the type to the number that its bits are with a sign; -1 for a true boolean."""
    if width_of(type_) == 1:
        return lambda value: -value
    return lambda value: value


def divide(left: int, right: int) -> int:
    """Division that truncates, as C does."""
    quotient = abs(left) // abs(right)
    return quotient if (left < 0) == (right < 0) else -quotient
