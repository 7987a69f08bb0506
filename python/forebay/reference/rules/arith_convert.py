"""Conversions between element types."""

from __future__ import annotations

from typing import Any

import numpy as np
from mlir import ir
from mlir.dialects import arith

from forebay.reference.errors import UnsupportedError
from forebay.reference.registry import Function, function
from forebay.reference.types import (
    Array,
    dtype_of,
    unsigned,
    width_of,
    wrapped,
)


@function(arith.TruncIOp)
def truncate(op: arith.TruncIOp) -> Function:
    """Keep the low bits."""
    type_ = op.results[0].type
    return lambda a: wrapped(a, type_, op)


@function(arith.ExtSIOp, arith.IndexCastOp)
def extend(op: Any) -> Function:
    """Sign-extend, or keep the low bits."""
    type_ = op.results[0].type
    return lambda a: wrapped(_signed_number(a), type_, op)


@function(arith.ExtUIOp, arith.IndexCastUIOp)
def extend_unsigned(op: Any) -> Function:
    """Zero-extend, or keep the low bits."""
    type_ = op.results[0].type
    mask = (1 << width_of(op.operands[0].type)) - 1
    if mask.bit_length() == 64:
        return lambda a: wrapped(a, type_, op)
    return lambda a: wrapped(np.asarray(a).astype(np.int64) & mask, type_, op)


@function(arith.SIToFPOp)
def to_float(op: arith.SIToFPOp) -> Function:
    """Convert a signed integer to the nearest float."""
    dtype = dtype_of(op.results[0].type, op)
    return lambda a: _signed_number(a).astype(dtype)


@function(arith.UIToFPOp)
def to_float_unsigned(op: arith.UIToFPOp) -> Function:
    """Convert an unsigned integer to the nearest float."""
    dtype = dtype_of(op.results[0].type, op)
    return lambda a: unsigned(a).astype(dtype)


@function(arith.FPToSIOp)
def to_integer(op: arith.FPToSIOp) -> Function:
    """Round toward zero; the result for a number out of range is unspecified."""
    type_ = op.results[0].type
    return lambda a: wrapped(np.trunc(a).astype(np.int64), type_, op)


@function(arith.FPToUIOp)
def to_integer_unsigned(op: arith.FPToUIOp) -> Function:
    """Round toward zero."""
    type_ = op.results[0].type
    return lambda a: wrapped(np.trunc(a).astype(np.uint64).view(np.int64), type_, op)


@function(arith.ExtFOp, arith.TruncFOp)
def resize(op: Any) -> Function:
    """Round to the nearest float of another width, halves to even."""
    dtype = dtype_of(op.results[0].type, op)
    return lambda a: np.asarray(a).astype(dtype)


@function(arith.BitcastOp)
def bitcast(op: arith.BitcastOp) -> Function:
    """Reinterpret the bits as another type."""
    source, target = (dtype_of(v.type, op) for v in (op.operands[0], op.results[0]))
    if source.itemsize * 8 != width_of(op.operands[0].type):
        raise UnsupportedError(op, f"reads the bits of a {ir.Type(op.operands[0].type)}")
    return lambda a: np.asarray(a).view(target)


def _signed_number(values: Any) -> Array:
    """Return the values as signed numbers; a true boolean is -1."""
    values = np.asarray(values)
    return -values.astype(np.int8) if values.dtype.kind == "b" else values
