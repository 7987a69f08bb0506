from __future__ import annotations

import numpy as np
import pytest

from forebay.frontends.tflite.lowering.quantize import (
    IDENTITY,
    Multiplier,
    multiply_by_quantized_multiplier,
    quantize_float,
    quantize_multiplier,
)


@pytest.mark.parametrize(
    ("real", "significand", "exponent"),
    [
        (1.0, 1 << 30, 1),
        (0.5, 1 << 30, 0),
        (0.75, 1610612736, 0),
        (3.0, 1610612736, 2),
        (0.0003, 1319413953, -11),
        (1.0 - 2.0**-40, 1 << 30, 1),  # rounds up to 2**31, which is halved
        (2.0**-32, 1 << 30, -31),
        (2.0**-33, 0, 0),  # too small: zero
        (0.0, 0, 0),
    ],
)
def test_multiplier_is_a_31_bit_significand_and_an_exponent(
    real: float, significand: int, exponent: int
) -> None:
    assert quantize_multiplier(real) == Multiplier(significand, exponent)


def test_too_large_a_multiplier_overflows() -> None:
    assert quantize_multiplier(2.0**29 - 1).shift == 2
    with pytest.raises(OverflowError, match=r"a rescaling by 5\.36871e\+08 does not fit"):
        quantize_multiplier(2.0**29)


def test_identity_changes_nothing() -> None:
    assert [multiply_by_quantized_multiplier(x, IDENTITY) for x in (-(2**20), -1, 0, 1, 127)] == [
        -(2**20),
        -1,
        0,
        1,
        127,
    ]
    assert IDENTITY.shift == 30


@pytest.mark.parametrize(
    ("value", "real", "result"),
    [
        (3, 0.5, 2),  # the first rounding takes a half up: 1.5 -> 2
        (-3, 0.5, -1),  # and -1.5 -> -1
        (6, 0.25, 2),  # the second one goes away from zero: 1.5 -> 2
        (-6, 0.25, -2),
        (5, 0.25, 2),  # 1.25 -> twice rounded: 2.5 -> 3, 1.5 -> 2
        (-5, 0.25, -1),  # -2.5 -> -2, -1
        (100, 3.0, 300),
    ],
)
def test_multiplication_rounds_twice(value: int, real: float, result: int) -> None:
    assert multiply_by_quantized_multiplier(value, quantize_multiplier(real)) == result


def test_multiplication_is_tosas_double_rounding() -> None:
    # apply_scale_32 of the TOSA specification, written out.
    rng = np.random.default_rng(1)
    for real in rng.uniform(1e-6, 3.0, 200):
        multiplier = quantize_multiplier(float(real))
        shift = multiplier.shift
        for value in (int(v) for v in rng.integers(-(2**24), 2**24, 50)):
            rounding = 1 << (shift - 1)
            if shift > 31:
                rounding += (1 << 30) if value >= 0 else -(1 << 30)
            assert (
                multiply_by_quantized_multiplier(value, multiplier)
                == (value * multiplier.significand + rounding) >> shift
            )


def test_floats_are_divided_in_single_precision() -> None:
    # 6 / float32(0.096) is 62.5 in float32, and less in double.
    assert quantize_float(6.0, float(np.float32(0.096)), -128) == 63 - 128
    assert quantize_float(0.5, 1.0, 0) == 1
    assert quantize_float(-0.5, 1.0, 0) == -1
