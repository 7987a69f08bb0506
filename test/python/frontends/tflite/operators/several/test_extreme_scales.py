"""Where TFLite's 32 bits overflow, its results are undefined: such networks are refused.

Just below, the bits are TFLite Micro's. 255 is the largest difference to a zero point, so a
rescaling by 2^23 or more takes it out of 32 bits.
"""

from __future__ import annotations

import numpy as np
import pytest
from common.model_file import Op, T, constant, single
from common.models.two_operands import EVERY_PAIR, binary
from common.tflite_reference import assert_equal_to_micro, random_int8
from mlir import ir

from forebay.frontends.tflite import UnsupportedModel, import_model

EVERY_VALUE = np.arange(-128, 128, dtype=np.int8).reshape(1, 256)


def unary(name: str, source: float, target: float) -> bytes:
    a, b = T((1, 256), "int8", source, -3), T((1, 256), "int8", target, 5)
    return single(Op(name, [0], [1]), [a, b])


def convolution(scale: float, bias: int = 0) -> bytes:
    # 0 x 127 + 3 x 100, the input's zero point is -128: accumulators up to 255 * 227 + bias
    tensors = [
        T((1, 4, 4, 1), "int8", scale, -128),
        T((1, 1, 2, 1), "int8", 1.0, 0, np.array([127, 100])),
        constant([bias]),
        T((1, 4, 3, 1), "int8", 1.0, 7),
    ]
    fields = {"Padding": 1, "StrideH": 1, "StrideW": 1}
    return single(Op("CONV_2D", [0, 1, 2], [3], "Conv2DOptions", fields, 3), tensors)


def connected(scales: list[float]) -> bytes:
    weights = np.array([[1, -2, 3], [100, 127, -128]], np.int8)
    tensors = [
        T((1, 3), "int8", 1.0, 127),
        T((2, 3), "int8", scales, 0, weights),
        T((1, 2), "int8", 1.0, -128),
    ]
    return single(Op("FULLY_CONNECTED", [0, 1], [2], "FullyConnectedOptions"), tensors)


def mean(source: float) -> bytes:
    tensors = [T((1, 64, 4), "int8", source, 3), constant([1]), T((1, 4), "int8", 1.0, -9)]
    return single(Op("MEAN", [0, 1], [2], "ReducerOptions", {"KeepDims": False}), tensors)


@pytest.mark.parametrize("name", ["QUANTIZE", "RELU"])
def test_a_value_is_rescaled_up_to_23_bits(name: str, context: ir.Context) -> None:
    for ratio in (2.0**22 * 1.999, 2.0**22, 1000.3, 2.0**-9, 2.0**-31, 2.0**-33, 1e-30):
        assert_equal_to_micro(unary(name, ratio, 1.0), EVERY_VALUE)
    with pytest.raises(UnsupportedModel, match=r"by 8.38861e\+06 of values up to 255"):
        import_model(unary(name, 2.0**23, 1.0))


@pytest.mark.parametrize("name", ["ADD", "SUB"])
@pytest.mark.parametrize("scales", [(1.0, 1e-9, 1.0), (3e5, 1.0, 0.6), (1.0, 2.0**-31, 2e-6)])
def test_sums_of_unlike_scales_are_exact(name: str, scales: tuple[float, float, float]) -> None:
    tensors = [T((1, 256, 256), "int8", scale, zp) for scale, zp in zip(scales, (-128, 127, 4))]  # noqa: B905
    assert_equal_to_micro(binary(name, *tensors), *EVERY_PAIR)


def test_sums_that_tflite_does_not_take_are_refused(context: ir.Context) -> None:
    tensors = [T((1, 4), "int8", scale) for scale in (2.0**20, 1.0, 1.0)]
    with pytest.raises(UnsupportedModel, match="a sum rescaled by 2, which TFLite takes below 1"):
        import_model(binary("ADD", *tensors))


@pytest.mark.parametrize("target", [2.0**-15 * 1.001, 3.0, 1e9])
def test_products_of_unlike_scales_are_exact(target: float) -> None:
    tensors = [T((1, 256, 256), "int8", s, zp) for s, zp in ((1.0, -128), (1.0, 127), (target, 4))]
    assert_equal_to_micro(binary("MUL", *tensors), *EVERY_PAIR)


def test_products_that_leave_32_bits_are_refused(context: ir.Context) -> None:
    tensors = [T((1, 4), "int8", scale) for scale in (1.0, 1.0, 2.0**-15)]
    with pytest.raises(UnsupportedModel, match="by 32768 of values up to 65,025, which leaves"):
        import_model(binary("MUL", *tensors))


@pytest.mark.parametrize("scale", [2.0**15 * 1.1, 0.99, 1e-12])
def test_accumulators_are_rescaled_within_32_bits(scale: float) -> None:
    # 57,885 * 2^15 is below 2^31
    assert_equal_to_micro(convolution(scale / 2), random_int8(1, 1, 4, 4, 1))


def test_accumulators_that_leave_32_bits_are_refused(context: ir.Context) -> None:
    with pytest.raises(UnsupportedModel, match="by 32768 of values up to 57,885, which leaves"):
        import_model(convolution(2.0**15))
    with pytest.raises(UnsupportedModel, match=r"by 0.5 of values up to 2,147,483,885, which"):
        import_model(convolution(0.5, 2**31 - 57_648))


def test_each_channel_has_its_own_reach(context: ir.Context) -> None:
    # channel 0: at most 3 * 255 - 2 * 0 = 765 of either sign; channel 1: 255 * 227
    assert_equal_to_micro(connected([2.0**20, 2.0**14]), random_int8(2, 1, 3))
    with pytest.raises(UnsupportedModel, match=r"by 1.04858e\+06 of values up to 57,885, which"):
        import_model(connected([2.0**14, 2.0**20]))


def test_means_are_rescaled_within_32_bits(context: ir.Context) -> None:
    assert_equal_to_micro(mean(2.0**21), random_int8(3, 1, 64, 4))
    with pytest.raises(UnsupportedModel, match="of values up to 16,320, which leaves"):
        import_model(mean(2.0**23))


def test_an_activation_whose_bounds_leave_32_bits_is_refused(context: ir.Context) -> None:
    tensors = [T((1, 4), "int8", 1e-9), T((1, 4), "int8", 1e-9)]
    with pytest.raises(UnsupportedModel, match="a fused activation at a scale of 1e-09; its"):
        import_model(single(Op("RELU6", [0], [1]), tensors))
