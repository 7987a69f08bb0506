"""SOFTMAX, the one operator that front ends import as a custom op instead of TOSA ops."""

from __future__ import annotations

from typing import Any

import numpy as np
from mlir.dialects import tosa

from forebay.ir.softmax import FloatSoftmax, QuantizedSoftmax, softmax_of
from forebay.reference.errors import UnsupportedError
from forebay.reference.gemmlowp import (
    divide_by_power_of_two,
    exp_of_negative,
    high_multiply,
    one_over_one_plus,
)
from forebay.reference.integers import leading_zeros
from forebay.reference.registry import Function, function
from forebay.reference.types import Array, dtype_of


@function(tosa.CustomOp)
def custom(op: tosa.CustomOp) -> Function:
    """Compute exponentials divided by their sum, along the last dimension."""
    parameters = softmax_of(op)
    if parameters is None:
        raise UnsupportedError(op, "is of a domain that the interpreter does not know")
    if isinstance(parameters, FloatSoftmax):
        beta = parameters.beta
        return lambda x: _of_floats(x, beta)
    result = dtype_of(op.results[0].type, op)
    return lambda x: _of_integers(x, parameters, result)


def _of_floats(x: Array, beta: float) -> Array:
    wide = x.astype(np.float64)
    powers = np.exp((wide - wide.max(-1, keepdims=True)) * beta)
    return (powers / powers.sum(-1, keepdims=True)).astype(x.dtype)


def _of_integers(x: Array, parameters: QuantizedSoftmax, result_type: np.dtype[Any]) -> Array:
    """Compute TFLite's fixed-point softmax: exponentials in Q0.31, their sum in Q12.19."""
    wide = x.astype(np.int64)
    below = wide - wide.max(-1, keepdims=True)
    counts = below >= parameters.diff_min
    scaled = high_multiply(
        np.where(counts, below, 0) << parameters.input_left_shift,
        np.int64(parameters.input_multiplier),
    )
    powers = np.where(counts, exp_of_negative(scaled), 0)
    total = np.where(counts, divide_by_power_of_two(powers, 12), 0).sum(-1, keepdims=True)
    headroom = leading_zeros(total, 32)
    fraction = (total << headroom) - (1 << 31)
    quotient = high_multiply(one_over_one_plus(fraction), powers)
    limits = np.iinfo(result_type)
    lowest, bits = int(limits.min), limits.bits
    result = divide_by_power_of_two(quotient, 12 - headroom + 31 - bits) + lowest
    return np.where(counts, np.clip(result, lowest, limits.max), lowest).astype(result_type)
