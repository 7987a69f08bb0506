"""Pad in its modes, compared with ONNX's reference evaluator."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from common.onnx_networks import OnnxNetwork, reference
from common.sweep import sweep

import forebay
from forebay.errors import Error

IMAGE = [2, 3, 5, 6]
MODES = ["reflect", "edge", "wrap", "constant"]
AMOUNTS = [0, 0, 1, 2, 0, 0, 3, 0]


def _f32(*shape: int, seed: int = 5) -> Any:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def _padded(net: OnnxNetwork, x: str, amounts: list[int], **attributes: Any) -> str:
    return net.op("Pad", x, net.constant(np.array(amounts, np.int64)), **attributes)


@pytest.mark.parametrize("mode", MODES)
def test_a_border_equals_the_reference(mode: str, tmp_path: Path) -> None:
    net = OnnxNetwork()
    x = net.input("x", IMAGE)
    y = net.op("Conv", x, net.constant(_f32(4, 3, 1, 1)))
    net.output(net.op("Add", _padded(net, y, AMOUNTS, mode=mode), net.constant(np.float32(1))))
    net.output(_padded(net, x, [1, 0, 2, 0, 0, 1, 0, 5], mode="edge"))
    path, data = net.save(tmp_path / "net.onnx"), _f32(*IMAGE)
    for y, golden in zip(forebay.compile(path).run(data), reference(path, [data]), strict=True):
        assert y.shape == golden.shape
        assert np.abs(y - golden).max() <= 1e-6 * np.abs(golden).max()


@pytest.mark.parametrize("dtype", ["int8", "uint8"])
@pytest.mark.parametrize("mode", sweep(MODES, fast=2))
def test_a_border_of_integers_has_the_bits_of_the_reference(
    mode: str, dtype: str, tmp_path: Path
) -> None:
    net = OnnxNetwork(unsigned=dtype == "uint8")
    net.output(_padded(net, net.quantised(net.input("x", IMAGE)), AMOUNTS, mode=mode))
    path, data = net.save(tmp_path / "net.onnx"), _f32(*IMAGE)
    compiled = forebay.compile(path)
    np.testing.assert_array_equal(compiled.run(data), reference(path, [data])[0])


def test_a_negative_size_cuts(tmp_path: Path) -> None:
    net = OnnxNetwork()
    y = _padded(net, net.input("x", IMAGE), [0, 0, -1, 2, 0, 0, 1, -3], mode="edge")
    net.output_of(y, "float32", 4)
    data = _f32(*IMAGE)
    expected = np.pad(data[:, :, 1:, :3], [(0, 0), (0, 0), (0, 1), (2, 0)], mode="edge")
    y = forebay.compile(net.save(tmp_path / "net.onnx")).run(data)
    np.testing.assert_array_equal(y, expected)


@pytest.mark.parametrize(
    ("amounts", "mode", "error"),
    [
        ([0, 0, 5, 0, 0, 0, 0, 0], "reflect", "5 elements of a border from 4"),
        ([0, 0, 0, 0, 0, 0, 0, 7], "wrap", "7 elements of a border from 6"),
        ([0, 0, -5, 0, 0, 0, 0, 0], "constant", "without elements"),
        ([0, 0, 1, 0, 0, 0, 0, 0], "mirror", "the mode mirror"),
    ],
)
def test_other_borders_are_refused(
    amounts: list[int], mode: str, error: str, tmp_path: Path
) -> None:
    net = OnnxNetwork()
    y = _padded(net, net.input("x", IMAGE), amounts, mode=mode)
    net.output_of(net.op("Relu", y), "float32", 4)
    with pytest.raises(Error, match=error):
        forebay.compile(net.save(tmp_path / "net.onnx"))
