"""Integers of a width as Python ints: two's complement, booleans as 0 and 1."""

from __future__ import annotations

from collections.abc import Callable

from mlir import ir

INDEX_WIDTH = 64

Wrap = Callable[[int], int]


def width_of(type_: ir.Type) -> int:
    """Return the number of bits of an integer or index type."""
    return INDEX_WIDTH if isinstance(type_, ir.IndexType) else ir.IntegerType(type_).width


def wrapping(type_: ir.Type) -> Wrap:
    """Return a function that wraps any int to a value of the type."""
    width = width_of(type_)
    mask, half = (1 << width) - 1, 1 << (width - 1)
    if width == 1:
        return lambda value: value & 1
    return lambda value: ((value + half) & mask) - half


def unsigned(type_: ir.Type) -> Wrap:
    """Return a function that reads the bits of a value of the type as an unsigned number."""
    mask = (1 << width_of(type_)) - 1
    return lambda value: value & mask


def signed(type_: ir.Type) -> Wrap:
    """Return a function that reads the bits of a value of the type as signed; true is -1."""
    if width_of(type_) == 1:
        return lambda value: -value
    return lambda value: value


def divide_toward_zero(left: int, right: int) -> int:
    """Return the quotient rounded toward zero, as in C."""
    quotient = abs(left) // abs(right)
    return quotient if (left < 0) == (right < 0) else -quotient
