"""Convolutions after the host lowering equal NumPy's, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest
from common.host_jit import run_host
from common.oracles import numpy_kernels
from common.oracles.quantised_convolution import Layer, attributes, output_size
from common.tosa_text import Main, tensor, type_of

WINDOWS = {
    "same 3x3": {"pad": (1, 1, 1, 1)},
    "valid 3x3": {},
    "stride 2, padded behind": {"stride": (2, 2), "pad": (0, 1, 0, 1)},
    "stride 2 and 3, asymmetric": {"stride": (2, 3), "pad": (2, 0, 1, 1)},
    "dilation 2": {"dilation": (2, 2), "pad": (2, 2, 2, 2)},
    "dilation 3 and 2, padded before": {"dilation": (3, 2), "pad": (4, 0, 3, 1)},
    "dilation 2, stride 2": {"dilation": (2, 2), "stride": (2, 2), "pad": (1, 2, 1, 2)},
    "windows outside": {"pad": (4, 4, 4, 4)},
}


def convolution(window: dict, kernel=(3, 3), size=(7, 8), **options) -> Layer:
    sizes = [output_size(size[i], kernel[i], i, window) for i in (0, 1)]
    shapes = ((2, *size, 3), (4, *kernel, 3), (2, *sizes, 4))
    return Layer("tosa.conv2d", *shapes, attributes(window), **options)


@pytest.mark.parametrize("name", WINDOWS)
def test_convolution_equals_numpy(name: str) -> None:
    # TOSA asks that the windows end exactly at the padding's end.
    sizes = {"stride 2, padded behind": (6, 8), "stride 2 and 3, asymmetric": (7, 7)}
    sizes |= {"dilation 2, stride 2": (6, 8)}
    layer = convolution(WINDOWS[name], size=sizes.get(name, (7, 8)))
    sums = numpy_kernels.convolution(*layer.without_zero_points(), **WINDOWS[name])
    actual = layer.run(layer.rescaled())
    assert len(np.unique(actual)) > 20
    np.testing.assert_array_equal(actual, layer.expected(sums))


@pytest.mark.parametrize("size", [(1, 1), (1, 6), (2, 1)])
def test_image_smaller_than_the_window(size: tuple[int, int]) -> None:
    window = {"pad": (1, 1, 1, 1)}
    layer = convolution(window, size=size)
    sums = numpy_kernels.convolution(*layer.without_zero_points(), **window)
    np.testing.assert_array_equal(layer.run(layer.rescaled()), layer.expected(sums))


def test_padded_kernel_of_one() -> None:
    window = {"pad": (1, 0, 2, 1)}
    layer = convolution(window, kernel=(1, 1))
    sums = numpy_kernels.convolution(*layer.without_zero_points(), **window)
    np.testing.assert_array_equal(layer.run(layer.rescaled()), layer.expected(sums))


def test_one_factor_for_all_channels() -> None:
    layer = convolution(WINDOWS["same 3x3"], per_channel=False)
    sums = numpy_kernels.convolution(*layer.without_zero_points(), **WINDOWS["same 3x3"])
    np.testing.assert_array_equal(layer.run(layer.rescaled()), layer.expected(sums))


def test_clamp_narrows_the_range() -> None:
    layer = convolution(WINDOWS["same 3x3"])
    sums = numpy_kernels.convolution(*layer.without_zero_points(), **WINDOWS["same 3x3"])
    actual = layer.run(layer.main.clamp(layer.rescaled(), layer.narrow, -20, 33))
    np.testing.assert_array_equal(actual, layer.expected(sums, -20, 33))


def test_unsigned_result_saturates_at_its_own_ends() -> None:
    layer = convolution(WINDOWS["same 3x3"])
    sums = numpy_kernels.convolution(*layer.without_zero_points(), **WINDOWS["same 3x3"])
    actual = layer.run(layer.rescaled(unsigned=(False, True)))
    np.testing.assert_array_equal(actual.view(np.uint8), layer.expected(sums, 0, 255))


def test_single_rounding() -> None:
    layer = convolution(WINDOWS["same 3x3"])
    sums = numpy_kernels.convolution(*layer.without_zero_points(), **WINDOWS["same 3x3"])
    actual = layer.run(layer.rescaled(rounding="SINGLE_ROUND"))
    np.testing.assert_array_equal(actual, layer.expected(sums, double=False))


def test_without_rescale_the_result_is_the_sum() -> None:
    layer = convolution(WINDOWS["same 3x3"])
    sums = numpy_kernels.convolution(*layer.without_zero_points(), **WINDOWS["same 3x3"])
    source = layer.main.returning(layer.value, layer.wide)
    np.testing.assert_array_equal(run_host(source, layer.x)[0], sums + layer.bias)


@pytest.mark.parametrize("multiplier", [1, 3])
@pytest.mark.parametrize("name", ["same 3x3", "dilation 3 and 2, padded before"])
def test_depthwise_equals_numpy(multiplier: int, name: str) -> None:
    window = WINDOWS[name]
    sizes = [output_size(size, 3, i, window) for i, size in enumerate((7, 8))]
    layer = Layer(
        "tosa.depthwise_conv2d",
        (2, 7, 8, 4),
        (3, 3, 4, multiplier),
        (2, *sizes, 4 * multiplier),
        attributes(window),
    )
    sums = numpy_kernels.depthwise(*layer.without_zero_points(), **window)
    np.testing.assert_array_equal(layer.run(layer.rescaled()), layer.expected(sums))


@pytest.mark.parametrize("pad", [(0, 0, 0, 0), (-1, -1, -1, 0), (1, 2, 0, -1)])
@pytest.mark.parametrize("stride", [(1, 1), (2, 2), (2, 3)])
def test_transpose_convolution_equals_numpy(pad: tuple[int, ...], stride: tuple[int, int]) -> None:
    sizes = [
        (n - 1) * s + 3 + sum(pad[2 * i : 2 * i + 2])
        for i, (n, s) in enumerate(zip((4, 5), stride, strict=True))
    ]
    spelled = f"out_pad = array<i64: {', '.join(map(str, pad))}>, "
    spelled += f"stride = array<i64: {', '.join(map(str, stride))}>"
    layer = Layer("tosa.transpose_conv2d", (1, 4, 5, 3), (2, 3, 3, 3), (1, *sizes, 2), spelled)
    sums = numpy_kernels.transpose_convolution(*layer.without_zero_points(), stride=stride, pad=pad)
    np.testing.assert_array_equal(layer.run(layer.rescaled()), layer.expected(sums))


def test_fully_connected_between_reshapes() -> None:
    layer = Layer("tosa.conv2d", (2, 1, 1, 12), (5, 1, 1, 12), (2, 1, 1, 5), attributes({}))
    x, w = layer.without_zero_points()
    sums = (x.reshape(2, 12) @ w.reshape(5, 12).T).reshape(2, 1, 1, 5)
    np.testing.assert_array_equal(layer.run(layer.rescaled()), layer.expected(sums))


def test_floats_are_summed_in_the_order_of_tflite() -> None:
    rng = np.random.default_rng(3)
    x = rng.standard_normal((1, 5, 5, 6), dtype=np.float32)
    w = rng.standard_normal((2, 3, 3, 6), dtype=np.float32)
    bias = rng.standard_normal(2, dtype=np.float32)
    main, kind = Main((type_of(x),)), tensor((1, 5, 5, 2), "f32")
    operands = [
        ("%x0", type_of(x)),
        (main.constant(w), type_of(w)),
        (main.constant(bias), type_of(bias)),
    ]
    operands += [(main.zero_point(0, "float32"), "tensor<1xf32>")] * 2
    value = main.op(
        "tosa.conv2d", operands, f"acc_type = f32, {attributes({'pad': (1, 1, 1, 1)})}", kind
    )
    value = main.clamp(value, kind, 0.0, 6.0)
    expected = np.zeros((1, 5, 5, 2), np.float32)
    for y, z, c in np.ndindex(5, 5, 2):
        total = np.float32(0)
        for ky, kx, k in np.ndindex(3, 3, 6):
            if 0 <= y + ky - 1 < 5 and 0 <= z + kx - 1 < 5:
                total += x[0, y + ky - 1, z + kx - 1, k] * w[c, ky, kx, k]
        expected[0, y, z, c] = min(max(total + bias[c], np.float32(0)), np.float32(6))
    np.testing.assert_array_equal(run_host(main.returning(value, kind), x)[0], expected)
