"""Fully connected layers and matrix products with TFLite's requantisation."""

from __future__ import annotations

from forebay.tracing.control import LocalVariable, loop
from forebay.tracing.integers import Int8, Int32
from forebay.tracing.pointers import TypedPointer
from forebay.tracing.requantise import requantise

_Scalar = Int32 | int


def int8_fully_connected(
    x: TypedPointer[Int8],
    weights: TypedPointer[Int8],
    bias: TypedPointer[Int32],
    y: TypedPointer[Int8],
    *,
    rows: _Scalar,
    depth: _Scalar,
    columns: _Scalar,
    x_zero_point: _Scalar,
    multiplier: _Scalar,
    shift: _Scalar,
    y_zero_point: _Scalar,
    low: _Scalar,
    high: _Scalar,
) -> None:
    """Multiply `x[rows][depth]` by `weights[columns][depth]` into `y[rows][columns]`.

    Bias and factor as in TFLite, one factor for all columns; `low` and `high` are the activation.
    """
    inputs, matrix = x.shaped(rows, depth), weights.shaped(columns, depth)
    outputs = y.shaped(rows, columns)
    for row in loop(rows):
        for column in loop(columns):
            total = LocalVariable(bias[column])
            for k in loop(depth):
                centred = inputs[row, k].extend(Int32) - x_zero_point
                total.value += centred * matrix[column, k].extend(Int32)
            scaled = requantise(
                total.value, multiplier, shift, zero_point=y_zero_point, low=low, high=high
            )
            outputs[row, column] = scaled.truncate(Int8)
