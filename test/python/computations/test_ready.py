"""The ready references equal TFLite's arithmetic on random layers, bit for bit.

The expected values are computed with gemmlowp's functions of the reference interpreter, in TFLite's
own form: a left shift, a doubling high multiplication, and a rounding right shift.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from common.oracles.reference_jit import Reference

from forebay.api.target import (
    Int8,
    Int32,
    Intrinsic,
    Operand,
    TypedPointer,
    int8_add,
    int8_convolution,
    int8_fully_connected,
)
from forebay.reference.gemmlowp import divide_by_power_of_two, high_multiply

SCALED = ("x_zero_point", "y_zero_point", "low", "high")
LIMITS = {"x_zero_point": -7, "y_zero_point": 11, "low": -100, "high": 90}


def compiled(
    function: Callable[..., None], ins: tuple[str, ...], scalars: tuple[str, ...]
) -> Reference:
    operands = (*(Operand(name, "in") for name in ins), Operand("y", "out"))
    return Reference(Intrinsic("work", "npu_work", operands, scalars, function))


def scaled(total: Any, multiplier: Any, shift: Any) -> Any:
    """TFLite's MultiplyByQuantizedMultiplier, with the exponent 31 - shift."""
    exponent = 31 - np.asarray(shift, np.int64)
    shifted = np.left_shift(np.asarray(total, np.int64), np.maximum(exponent, 0))
    return divide_by_power_of_two(high_multiply(shifted, multiplier), np.maximum(-exponent, 0))


def finished(total: Any, multiplier: Any, shift: Any) -> np.ndarray:
    moved = scaled(total, multiplier, shift) + LIMITS["y_zero_point"]
    return np.clip(moved, LIMITS["low"], LIMITS["high"]).astype(np.int8)


def int8(rng: np.random.Generator, *shape: int) -> np.ndarray:
    return rng.integers(-128, 128, shape, np.int8)


@pytest.mark.parametrize("shift", [29, 31, 33, 39, 45])
def test_fully_connected(shift: int) -> None:
    rng = np.random.default_rng(shift)
    rows, depth, columns = 3, 37, 19
    x, w = int8(rng, rows, depth), int8(rng, columns, depth)
    bias, y = rng.integers(-9000, 9000, columns, np.int32), np.zeros((rows, columns), np.int8)
    multiplier = int(rng.integers(1 << 30, 1 << 31))
    names = ("rows", "depth", "columns", "multiplier", "shift", *SCALED)
    run = compiled(int8_fully_connected, ("x", "weights", "bias"), names)
    sizes = {"rows": rows, "depth": depth, "columns": columns}
    run([x, w, bias, y], {**sizes, "multiplier": multiplier, "shift": shift, **LIMITS})
    total = (x.astype(np.int64) - LIMITS["x_zero_point"]) @ w.astype(np.int64).T + bias
    np.testing.assert_array_equal(y, finished(total, multiplier, shift))


@pytest.mark.parametrize("seed", range(4))
def test_add(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = np.repeat(np.arange(-128, 128), 256).astype(np.int8)
    other = np.tile(np.arange(-128, 128), 256).astype(np.int8)
    y = np.zeros(x.size, np.int8)
    factors = {
        "x_multiplier": 1 << 30,
        "x_shift": 30 + seed,
        "other_multiplier": int(rng.integers(1 << 30, 1 << 31)),
        "other_shift": 31 + seed,
        "multiplier": int(rng.integers(1 << 30, 1 << 31)),
        "shift": 49 + seed,
    }
    names = ("count", "other_zero_point", *factors, *SCALED)
    run = compiled(int8_add, ("x", "other"), names)
    run([x, other, y], {"count": x.size, "other_zero_point": 5, **factors, **LIMITS})
    left = (x.astype(np.int64) - LIMITS["x_zero_point"]) << 20
    right = (other.astype(np.int64) - 5) << 20
    total = scaled(left, factors["x_multiplier"], factors["x_shift"])
    total = total + scaled(right, factors["other_multiplier"], factors["other_shift"])
    np.testing.assert_array_equal(y, finished(total, factors["multiplier"], factors["shift"]))


LAYERS = [
    # kernel, stride, top and left, size of the result
    ((1, 1), (1, 1), (0, 0), (6, 7)),
    ((3, 3), (1, 1), (1, 1), (6, 7)),
    ((3, 2), (2, 1), (0, 1), (3, 7)),
    ((5, 4), (1, 3), (2, 0), (6, 3)),
    ((9, 9), (2, 2), (4, 4), (3, 4)),
]


@pytest.mark.parametrize(("kernel", "stride", "before", "size"), LAYERS)
def test_convolution(
    kernel: tuple[int, int], stride: tuple[int, int], before: tuple[int, int], size: tuple[int, int]
) -> None:
    rng = np.random.default_rng(5)
    height, width, depth, channels = 6, 7, 5, 4
    x, w = int8(rng, height, width, depth), int8(rng, channels, *kernel, depth)
    bias = rng.integers(-9000, 9000, channels, np.int32)
    multipliers = rng.integers(1 << 30, 1 << 31, channels).astype(np.int32)
    shifts = rng.integers(36, 42, channels).astype(np.int32)
    y = np.zeros((*size, channels), np.int8)
    scalars = {
        **{"height": height, "width": width, "depth": depth},
        **{"y_height": size[0], "y_width": size[1], "y_depth": channels},
        **{"kernel_height": kernel[0], "kernel_width": kernel[1]},
        **{"stride_y": stride[0], "stride_x": stride[1], "top": before[0], "left": before[1]},
        **LIMITS,
    }
    ins = ("x", "weights", "bias", "multipliers", "shifts")
    run = compiled(int8_convolution, ins, tuple(scalars))
    run([x, w, bias, multipliers, shifts, y], scalars)
    padded = np.pad(x.astype(np.int64) - LIMITS["x_zero_point"], ((9, 9), (9, 9), (0, 0)))
    total = np.zeros((*size, channels), np.int64) + bias
    for row, column in np.ndindex(*size):
        first = row * stride[0] - before[0] + 9, column * stride[1] - before[1] + 9
        window = padded[first[0] : first[0] + kernel[0], first[1] : first[1] + kernel[1]]
        total[row, column] += np.tensordot(w.astype(np.int64), window, 3)
    np.testing.assert_array_equal(y, finished(total, multipliers, shifts))


def test_a_reference_of_ones_own_calls_a_ready_one() -> None:
    def multiply(
        a: TypedPointer[Int8],
        b: TypedPointer[Int8],
        zeros: TypedPointer[Int32],
        y: TypedPointer[Int8],
        rows: Int32,
    ) -> None:
        int8_fully_connected(
            a,
            b,
            zeros,
            y,
            rows=rows,
            depth=16,
            columns=8,
            multiplier=1 << 30,
            shift=36,
            **LIMITS,
        )

    rng = np.random.default_rng(2)
    a, b, y = int8(rng, 5, 16), int8(rng, 8, 16), np.zeros((5, 8), np.int8)
    run = compiled(multiply, ("a", "b", "zeros"), ("rows",))
    run([a, b, np.zeros(8, np.int32), y], {"rows": 5})
    total = (a.astype(np.int64) - LIMITS["x_zero_point"]) @ b.astype(np.int64).T
    np.testing.assert_array_equal(y, finished(total, 1 << 30, 36))
