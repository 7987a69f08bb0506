"""Tests of two operands, shared by the operators that have them."""

from __future__ import annotations

import numpy as np

from common.model_file import Op, T, single

OPTIONS = {"ADD": "AddOptions", "SUB": "SubOptions", "MUL": "MulOptions"}
EVERY_PAIR = (
    np.repeat(np.arange(-128, 128, dtype=np.int8), 256).reshape(1, 256, 256),
    np.tile(np.arange(-128, 128, dtype=np.int8), 256).reshape(1, 256, 256),
)


def binary(name: str, a: T, b: T, out: T, activation: int = 0) -> bytes:
    options = OPTIONS.get(name, "MaximumMinimumOptions")
    fields = {"FusedActivationFunction": activation} if name in OPTIONS else {}
    return single(Op(name, [0, 1], [2], options, fields, 2), [a, b, out])
