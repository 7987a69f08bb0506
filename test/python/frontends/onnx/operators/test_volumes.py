"""Convolutions and pools over three spatial dimensions, and dilated pools."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from common.onnx_networks import OnnxNetwork, exact_reference, reference
from common.sweep import sweep

import forebay

VOLUME = [2, 4, 5, 6, 7]
Build = Callable[[OnnxNetwork, str], str]


def _f32(*shape: int, seed: int = 5) -> Any:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def _conv(*weights: int, **attributes: Any) -> Build:
    def build(net: OnnxNetwork, x: str) -> str:
        constants = [net.constant(_f32(*weights)), net.constant(_f32(weights[0]))]
        return net.op("Conv", x, *constants, **attributes)

    return build


def _pool(kind: str, *kernel: int, **attributes: Any) -> Build:
    return lambda net, x: net.op(kind, x, kernel_shape=list(kernel), **attributes)


BUILDS: dict[str, Build] = {
    "Conv": _conv(6, 4, 2, 3, 3, pads=[1, 0, 1, 0, 2, 1], strides=[2, 1, 2]),
    "Conv of groups": _conv(6, 2, 2, 2, 3, group=2, dilations=[1, 2, 2]),
    "Conv of each channel": _conv(8, 1, 3, 3, 3, group=4, auto_pad="SAME_UPPER"),
    "MaxPool": _pool("MaxPool", 2, 3, 2, strides=[2, 2, 1], pads=[0, 1, 1, 1, 1, 0]),
    "MaxPool dilated": _pool("MaxPool", 2, 2, 2, dilations=[2, 1, 3]),
    "AveragePool": _pool("AveragePool", 3, 2, 3, pads=[1, 1, 1, 1, 1, 1], strides=[1, 2, 2]),
    "AveragePool counted": _pool(
        "AveragePool", 3, 3, 3, pads=[1, 0, 1, 1, 2, 0], count_include_pad=1
    ),
}


@pytest.mark.parametrize("name", sweep(BUILDS, fast=1))
def test_a_volume_equals_the_reference(name: str, tmp_path: Path) -> None:
    net = OnnxNetwork()
    net.output(BUILDS[name](net, net.input("x", VOLUME)))
    path, x = net.save(tmp_path / "net.onnx"), _f32(*VOLUME)
    golden = reference(path, [x])[0]
    y = forebay.compile(path).run(x)
    assert y.shape == golden.shape
    assert np.abs(y - golden).max() <= 1e-6 * np.abs(golden).max()


def test_means_of_dilated_windows_equal_the_reference(tmp_path: Path) -> None:
    net = OnnxNetwork()
    x = net.input("x", [1, 3, 9, 8])
    net.output(net.op("AveragePool", x, kernel_shape=[2, 3], dilations=[3, 2], pads=[1, 2, 0, 1]))
    path, data = net.save(tmp_path / "net.onnx"), _f32(1, 3, 9, 8)
    golden = reference(path, [data])[0]
    assert np.abs(forebay.compile(path).run(data) - golden).max() <= 1e-6 * np.abs(golden).max()


def test_a_quantised_volume_has_the_bits_of_the_reference(tmp_path: Path) -> None:
    net = OnnxNetwork(3)
    x = net.quantised(net.input("x", VOLUME))
    w, scales = net.weights(6, 4, 3, 2, 3)
    y = net.op("Conv", x, w, net.bias(6, net.scale_of(x) * scales), pads=[1, 0, 1, 1, 1, 1])
    y = net.quantised(net.op("Relu", y), 0.3, -100)
    net.output_of(net.op("MaxPool", y, kernel_shape=[2, 2, 2], strides=[2, 2, 2]), "float32", 5)
    path, data = net.save(tmp_path / "net.onnx"), _f32(*VOLUME)
    golden = exact_reference(path, [data])[0].astype(np.float32)
    np.testing.assert_array_equal(forebay.compile(path).run(data), golden)
