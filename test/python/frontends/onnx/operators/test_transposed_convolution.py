"""ConvTranspose, compared with ONNX's reference evaluator.

The evaluator computes groups wrongly, so a network with one ConvTranspose for each group gives the
expected result.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from common.onnx_networks import OnnxNetwork, exact_reference, reference
from common.sweep import sweep

import forebay
from forebay.errors import Error

IMAGE = [2, 4, 5, 6]
Attributes = dict[str, Any]
FORMS: dict[str, Attributes] = {
    "strides and pads": {"strides": [2, 3], "pads": [0, 1, 2, 1]},
    "output_padding": {"strides": [2, 3], "pads": [1] * 4, "output_padding": [1, 2]},
    "plain": {},
    "dilations": {"dilations": [2, 1], "strides": [1, 2], "pads": [2, 1, 1, 0]},
    "SAME_UPPER": {"auto_pad": "SAME_UPPER", "strides": [2, 1]},
    "SAME_LOWER": {"auto_pad": "SAME_LOWER", "strides": [2, 2]},
    "VALID": {"auto_pad": "VALID", "strides": [3, 3], "kernel_shape": [3, 4]},
    "output_shape": {"auto_pad": "SAME_UPPER", "output_shape": [10, 11], "strides": [2, 2]},
}


def _f32(*shape: int, seed: int = 5) -> Any:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def _layer(net: OnnxNetwork, x: str, w: Any, b: Any, **attributes: Any) -> str:
    return net.op("ConvTranspose", x, net.constant(w), net.constant(b), **attributes)


def _by_groups(net: OnnxNetwork, x: str, groups: int, w: Any, b: Any, **attributes: Any) -> str:
    parts = net.op("Split", x, outputs=groups, axis=1, num_outputs=groups)
    weights, biases = np.split(w, groups), np.split(b, groups)
    results = [_layer(net, *own, **attributes) for own in zip(parts, weights, biases, strict=True)]
    return net.op("Concat", *results, axis=1)


def _assert_close(y: Any, golden: Any) -> None:
    assert (y.shape, y.dtype) == (golden.shape, golden.dtype)
    assert np.abs(y - golden).max() <= 1e-6 * np.abs(golden).max()


@pytest.mark.parametrize("form", sweep(FORMS, fast=2))
def test_floats_equal_the_reference(form: str, tmp_path: Path) -> None:
    net = OnnxNetwork()
    x = net.input("x", IMAGE)
    net.output(_layer(net, x, _f32(4, 5, 3, 4), _f32(5), **FORMS[form]))
    path, data = net.save(tmp_path / "net.onnx"), _f32(*IMAGE, seed=2)
    _assert_close(forebay.compile(path).run(data), reference(path, [data])[0])


@pytest.mark.parametrize("groups", [2, 4])
def test_groups_equal_the_reference_of_each_group(groups: int, tmp_path: Path) -> None:
    w, b, data = _f32(4, 3, 3, 2), _f32(3 * groups), _f32(*IMAGE, seed=2)
    paths: list[Path] = []
    for build in (_layer, _by_groups):
        net = OnnxNetwork()
        x = net.input("x", IMAGE)
        attributes = {"strides": [2, 1], "pads": [1, 0, 1, 1], "output_padding": [1, 0]}
        if build is _layer:
            name = _layer(net, x, w, b, group=groups, **attributes)
        else:
            name = _by_groups(net, x, groups, w, b, **attributes)
        net.output(name)
        paths.append(net.save(tmp_path / f"{build.__name__}.onnx"))
    _assert_close(forebay.compile(paths[0]).run(data), reference(paths[1], [data])[0])


def test_one_spatial_dimension_equals_the_reference(tmp_path: Path) -> None:
    net = OnnxNetwork()
    x = net.input("x", [2, 4, 9])
    y = _layer(net, x, _f32(4, 3, 8), _f32(3), strides=[4], pads=[2, 2], dilations=[2])
    net.output(net.op("Relu", y))
    path, data = net.save(tmp_path / "net.onnx"), _f32(2, 4, 9, seed=2)
    _assert_close(forebay.compile(path).run(data), reference(path, [data])[0])


def _quantised(net: OnnxNetwork, *, per_channel: bool, unsigned: bool) -> str:
    q = net.quantised(net.input("x", IMAGE))
    axis = 1 if per_channel else None
    w, scales = net.weights(4, 6, 3, 3, axis=axis, unsigned=unsigned)
    bias = net.bias(6, net.scale_of(q) * scales)
    y = net.op("ConvTranspose", q, w, bias, strides=[2, 2], pads=[1] * 4, dilations=[1, 2])
    return net.quantised(net.op("Relu", y), 0.2)


@pytest.mark.parametrize("unsigned", [False, True], ids=["int8", "uint8"])
@pytest.mark.parametrize("per_channel", [True, False])
def test_integers_have_the_bits_of_the_reference(
    per_channel: bool, unsigned: bool, tmp_path: Path
) -> None:
    net = OnnxNetwork(7, unsigned=unsigned)
    net.output(_quantised(net, per_channel=per_channel, unsigned=unsigned and not per_channel))
    path, data = net.save(tmp_path / "net.onnx"), _f32(*IMAGE, seed=2)
    compiled = forebay.compile(path)
    np.testing.assert_array_equal(
        compiled.run(data), exact_reference(path, [data])[0].astype(np.float32)
    )
    # Integers take a quarter of the bytes of floats: the image and the result.
    assert compiled.plan.peak("workspace") < 4 * 2 * 6 * 9 * 13


def test_groups_of_integers_have_the_bits_of_exact_sums(tmp_path: Path) -> None:
    net = OnnxNetwork(7)
    q = net.quantised(net.input("x", IMAGE), 0.03, 5)
    w, scales = net.weights(4, 3, 3, 3, axis=1)
    bias = net.bias(6, np.float32(0.03) * np.tile(scales, 2))
    y = net.op("ConvTranspose", q, w, bias, strides=[2, 2], group=2)
    net.output(net.quantised(y, 0.2, -3))
    path, data = net.save(tmp_path / "net.onnx"), _f32(*IMAGE, seed=2)

    rng = np.random.default_rng(7)
    weights = rng.integers(-128, 128, (4, 3, 3, 3))
    scales = np.tile(rng.uniform(0.002, 0.01, 3).astype(np.float32), 2).astype(np.float64)
    offsets = rng.integers(-3000, 3000, 6)
    stored = np.clip(np.rint(data / np.float32(0.03)) + 5, -128, 127).astype(np.int64) - 5
    sums = np.tile(offsets[:, None, None], (2, 1, 11, 13))
    for i, ky, kx in np.ndindex(4, 3, 3):
        first = i // 2 * 3
        step = stored[:, i, None] * weights[i, :, ky, kx, None, None]
        sums[:, first : first + 3, ky : ky + 10 : 2, kx : kx + 12 : 2] += step
    # Scales have 24 bits, so no product of them and a sum lies between two integers.
    real = sums * (scales * np.float32(0.03) / np.float32(0.2))[:, None, None]
    expected = np.clip(np.rint(real) - 3, -128, 127) + 3
    y = forebay.compile(path).run(data)
    np.testing.assert_array_equal(y, expected.astype(np.float32) * np.float32(0.2))


@pytest.mark.parametrize(
    ("attributes", "error"),
    [
        ({"pads": [3, 0, 0, 0]}, r"operator 0 \(ConvTranspose\): .*as wide as the kernel"),
        ({"output_shape": [20, 20]}, r"a result of 20 from 7 rows"),
        ({"strides": [2]}, r"a window of \[3, 3\]"),
    ],
)
def test_other_windows_are_refused(attributes: Attributes, error: str, tmp_path: Path) -> None:
    net = OnnxNetwork()
    x = net.input("x", IMAGE)
    net.output_of(_layer(net, x, _f32(4, 5, 3, 3), _f32(5), **attributes), "float32", 4)
    with pytest.raises(Error, match=error):
        forebay.compile(net.save(tmp_path / "net.onnx"))
