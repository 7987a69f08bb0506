from __future__ import annotations

import re

import numpy as np
import pytest
from common.model_file import Op, T, single
from common.tflite_reference import assert_equal_to_micro, micro, ours, random_float

from forebay.frontends.tflite import UnsupportedModel, import_model

EVERY_VALUE = np.arange(-128, 128, dtype=np.int8).reshape(1, 256)
EDGE = T((1, 256), "int8", 1e30)
LEAKY = ("LeakyReluOptions",)
RESULTS = {"LOGISTIC": (1 / 256, -128), "TANH": (1 / 128, 0)}


def unary(name: str, a: T, out: T, options: str = "", **fields: object) -> bytes:
    return single(Op(name, [0], [1], options, fields), [a, out])


@pytest.mark.parametrize("name", ["LOGISTIC", "TANH"])
@pytest.mark.parametrize("scale", [0.1, 0.0313, 0.0078125, 0.0009, 0.125, 0.5, 3.7, 8.9, 1e9])
@pytest.mark.parametrize("zero_point", [-128, -5, 0, 127])
def test_every_value_is_exact(name: str, scale: float, zero_point: int) -> None:
    out = T((1, 256), "int8", *RESULTS[name])
    assert_equal_to_micro(unary(name, T((1, 256), "int8", scale, zero_point), out), EVERY_VALUE)


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ((0.05, -3), (0.04, -118)),
        ((0.1, 0), (0.07, -100)),
        ((0.0235, -128), (0.0235, -128)),
        ((0.9, 20), (0.8, -127)),
        ((0.011, 5), (0.003, 7)),
        # With the scales divided in float32, values of these two come out elsewhere.
        ((0.20882076, -113), (0.21165964, -94)),
        ((0.025374038, 29), (0.27139077, -118)),
        # The output's exponent is below -15: gemmlowp's 16-bit mask wraps around.
        ((0.01, 3), (0.5, 84)),
        ((0.01, 3), (40.0, 84)),
        ((1e-5, -7), (40.0, 84)),
        ((3000.0, 0), (2000.0, 5)),
    ],
)
def test_every_value_of_hard_swish_is_exact(source, target) -> None:
    file = unary("HARD_SWISH", T((1, 256), "int8", *source), T((1, 256), "int8", *target))
    assert_equal_to_micro(file, EVERY_VALUE)


@pytest.mark.parametrize("alpha", [0.0, 0.1, 0.3, 1.0, 1.7])
@pytest.mark.parametrize(
    ("source", "target"), [((0.05, -3), (0.04, -60)), ((0.1, 127), (0.1, 127))]
)
def test_every_value_of_leaky_relu_is_exact(alpha: float, source, target) -> None:
    a, out = T((1, 256), "int8", *source), T((1, 256), "int8", *target)
    assert_equal_to_micro(unary("LEAKY_RELU", a, out, "LeakyReluOptions", Alpha=alpha), EVERY_VALUE)


@pytest.mark.parametrize(
    ("name", "options", "fields"),
    [
        ("LOGISTIC", "", {}),
        ("TANH", "", {}),
        ("HARD_SWISH", "", {}),
        ("RELU", "", {}),
        ("RELU6", "", {}),
        ("LEAKY_RELU", "LeakyReluOptions", {"Alpha": 0.2}),
        ("SOFTMAX", "SoftmaxOptions", {"Beta": 1.0}),
    ],
)
def test_floats_are_close(name: str, options: str, fields: dict[str, float]) -> None:
    file = unary(name, T((3, 40), "float32"), T((3, 40), "float32"), options, **fields)
    inputs = [random_float(1, 3, 40)]
    np.testing.assert_allclose(ours(file, inputs)[0], micro(file, inputs)[0], rtol=2e-6, atol=1e-7)


@pytest.mark.parametrize(
    ("file", "what"),
    [
        (unary("HARD_SWISH", EDGE, T((1, 256), "int8", 0.05)), "a rescaling by 1.5625e+29"),
        (unary("TANH", EDGE, T((1, 256), "int8", 1 / 128)), "a rescaling by 1.3"),
        (
            unary("LEAKY_RELU", T((1, 256), "int8", 9e6), T((1, 256), "int8", 0.5), *LEAKY),
            "a rescaling by 1.8e+07 of values up to 255, which leaves 32 bits",
        ),
    ],
)
def test_scales_that_leave_32_bits_are_refused(file: bytes, what: str, context) -> None:
    with pytest.raises(UnsupportedModel, match=re.escape(f"not supported: {what}")):
        import_model(file)
