"""Integer arithmetic of `arith` on scalars and arrays; results wrap."""

from __future__ import annotations

from typing import Any

import numpy as np
from mlir import ir
from mlir.dialects import arith

from forebay.reference.attributes import elements_of
from forebay.reference.errors import UnsupportedError
from forebay.reference.integers import divide_to_zero
from forebay.reference.registry import (
    Compute,
    Function,
    followed,
    function,
)
from forebay.reference.types import (
    Array,
    dtype_of,
    unsigned,
    width_of,
    wrapped,
)


@function(arith.ConstantOp)
def constant(op: arith.ConstantOp) -> Function:
    """Return a scalar or a tensor."""
    elements = elements_of(op.operation.attributes["value"], op.results[0].type, op)
    value = elements if isinstance(op.results[0].type, ir.ShapedType) else elements[()]
    return lambda: value


def _register_signed(class_: type[Any], compute: Compute) -> None:
    @function(class_)
    def arithmetic(op: Any) -> Function:
        type_ = op.results[0].type
        if width_of(type_) in (8, 16, 32, 64):
            return compute
        return followed(compute, lambda value: wrapped(value, type_, op))


def _register_unsigned(class_: type[Any], compute: Compute) -> None:
    @function(class_)
    def bound(op: Any) -> Function:
        type_ = op.results[0].type
        if width_of(type_) not in (1, 8, 16, 32, 64):
            raise UnsupportedError(op, f"is unsigned on {type_}")

        def arithmetic(*values: Any) -> Array:
            return wrapped(_signed(np.asarray(compute(*map(unsigned, values)))), type_, op)

        return arithmetic


def _signed(values: Array) -> Array:
    """Return the same bits as signed integers."""
    return values if values.dtype.kind == "b" else values.view(f"i{values.dtype.itemsize}")


def _unsigned_quotient(a: Any, b: Any) -> Array:
    return np.where(np.equal(b, 0), 0, np.floor_divide(a, b)).astype(np.asarray(a).dtype)


_OF_SIGNED: dict[type[Any], Function] = {
    arith.AddIOp: lambda a, b: np.bitwise_xor(a, b) if np.asarray(a).dtype == bool else a + b,
    arith.SubIOp: lambda a, b: np.bitwise_xor(a, b) if np.asarray(a).dtype == bool else a - b,
    arith.MulIOp: np.multiply,
    arith.AndIOp: np.bitwise_and,
    arith.OrIOp: np.bitwise_or,
    arith.XOrIOp: np.bitwise_xor,
    arith.DivSIOp: divide_to_zero,
    arith.FloorDivSIOp: lambda a, b: np.where(np.equal(b, 0), 0, np.floor_divide(a, b)),
    arith.CeilDivSIOp: lambda a, b: np.where(np.equal(b, 0), 0, -np.floor_divide(-a, b)),
    arith.RemSIOp: lambda a, b: a - divide_to_zero(a, b) * b,
    arith.MaxSIOp: np.maximum,
    arith.MinSIOp: np.minimum,
    arith.ShLIOp: np.left_shift,
    arith.ShRSIOp: np.right_shift,
}

for _class, _compute in _OF_SIGNED.items():
    _register_signed(_class, _compute)

_OF_UNSIGNED: dict[type[Any], Function] = {
    arith.DivUIOp: _unsigned_quotient,
    arith.CeilDivUIOp: lambda a, b: _unsigned_quotient(a, b) + (np.remainder(a, b) != 0),
    arith.RemUIOp: lambda a, b: a - _unsigned_quotient(a, b) * b,
    arith.MaxUIOp: np.maximum,
    arith.MinUIOp: np.minimum,
    arith.ShRUIOp: np.right_shift,
}

for _class, _compute in _OF_UNSIGNED.items():
    _register_unsigned(_class, _compute)


@function(arith.MulSIExtendedOp)
def multiply_extended(op: arith.MulSIExtendedOp) -> Function:
    """Return the low and the high half of a signed product."""
    return _halves(op, np.asarray)


@function(arith.MulUIExtendedOp)
def multiply_extended_unsigned(op: arith.MulUIExtendedOp) -> Function:
    """Return the low and the high half of an unsigned product."""
    return _halves(op, unsigned)


def _halves(op: Any, read: Compute) -> Function:
    type_ = op.results[0].type
    bits = width_of(type_)

    def product(a: Array, b: Array) -> tuple[Array, Array]:
        wide = read(a).astype(object) * read(b).astype(object)
        return _low(wide, type_, op), _low(wide >> bits, type_, op)

    return product


@function(arith.AddUIExtendedOp)
def add_extended(op: arith.AddUIExtendedOp) -> Function:
    """Return the sum, and whether it overflows the type."""
    type_ = op.results[0].type

    def add(a: Array, b: Array) -> tuple[Array, Array]:
        total = wrapped(np.asarray(a) + np.asarray(b), type_, op)
        return total, np.less(unsigned(total), unsigned(a))

    return add


def _low(wide: Any, type_: ir.Type, op: Any) -> Array:
    """Return Python integers modulo two to the width of the type."""
    bits = width_of(type_)
    half = 1 << (bits - 1)
    return np.asarray((np.asarray(wide) + half) % (1 << bits) - half).astype(dtype_of(type_, op))
