"""Ops that move elements."""

from __future__ import annotations

from typing import Any

import numpy as np
from mlir import ir
from mlir.dialects import tosa

from forebay.reference.errors import UnsupportedError
from forebay.reference.registry import Function, function
from forebay.reference.rules.tosa.tosa_reduce import axis_of
from forebay.reference.types import Array, shape_of


@function(tosa.ReshapeOp)
def reshape(op: tosa.ReshapeOp) -> Function:
    """Return the same elements in order, in the shape of the result."""
    shape = shape_of(op.results[0].type)
    return lambda x, sizes: x.reshape(shape)


@function(tosa.TransposeOp)
def transpose(op: tosa.TransposeOp) -> Function:
    """Permute the dimensions; dimension `i` of the result is dimension `perms[i]`."""
    order = list(op.operation.attributes["perms"])
    return lambda x: np.ascontiguousarray(x.transpose(order))


@function(tosa.ConcatOp)
def concat(op: tosa.ConcatOp) -> Function:
    """Concatenate tensors along an axis."""
    axis = axis_of(op)

    def joined(*parts: Any) -> Array:
        return np.concatenate(parts, axis)

    return joined


@function(tosa.SliceOp)
def slice_(op: tosa.SliceOp) -> Function:
    """Return the block of `size` at `start`."""

    def part(x: Array, start: Array, size: Array) -> Array:
        _check(op, bool(np.all((start >= 0) & (start + size <= x.shape))), "its bounds")
        pairs = zip(start, start + size, strict=True)
        return np.ascontiguousarray(x[tuple(slice(int(a), int(b)) for a, b in pairs)])

    return part


@function(tosa.PadOp)
def pad(op: tosa.PadOp) -> Function:
    """Add a border of a constant, before and after each dimension."""

    def padded(x: Array, padding: Array, value: Array) -> Array:
        _check(op, bool(np.all(padding >= 0)), "its padding")
        return np.pad(x, padding.reshape(-1, 2), constant_values=value.flat[0])

    return padded


@function(tosa.TileOp)
def tile(op: tosa.TileOp) -> Function:
    """Repeat the tensor along each dimension."""
    return lambda x, multiples: np.tile(x, tuple(int(n) for n in multiples))


@function(tosa.ReverseOp)
def reverse(op: tosa.ReverseOp) -> Function:
    """Reverse the elements along an axis."""
    axis = axis_of(op)
    return lambda x: np.ascontiguousarray(np.flip(x, axis))


@function(tosa.GatherOp)
def gather(op: tosa.GatherOp) -> Function:
    """Return rows of `values[batch, rows, channels]` selected by `indices[batch, number]`."""

    def rows(values: Array, indices: Array) -> Array:
        _check_indices(op, indices, values.shape[1])
        return values[np.arange(len(values))[:, None], indices]

    return rows


@function(tosa.ScatterOp)
def scatter(op: tosa.ScatterOp) -> Function:
    """Write rows of `input[batch, number, channels]` into a copy of `values_in` by `indices`."""

    def written(values: Array, indices: Array, rows: Array) -> Array:
        _check_indices(op, indices, values.shape[1])
        result = values.copy()
        result[np.arange(len(values))[:, None], indices] = rows
        return result

    return written


def _check_indices(op: Any, indices: Array, rows: int) -> None:
    _check(op, bool(np.all((indices >= 0) & (indices < rows))), "an index")


def _check(op: ir.OpView, holds: bool, what: str) -> None:
    if not holds:
        raise UnsupportedError(op, f"has {what} outside of its operand")
