"""Normalisations of groups and by mean squares, compared with ONNX's reference evaluator."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from common.onnx_networks import OnnxNetwork, reference

import forebay
from forebay.errors import Error


def _f32(*shape: int, seed: int = 5) -> Any:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def _assert_reference(net: OnnxNetwork, x: Any, tmp_path: Path) -> None:
    path = net.save(tmp_path / "net.onnx")
    golden = reference(path, [x])[0]
    assert np.abs(forebay.compile(path).run(x) - golden).max() <= 1e-6 * np.abs(golden).max()


def test_groups_of_channels_equal_the_reference(tmp_path: Path) -> None:
    net = OnnxNetwork()
    parameters = [net.constant(_f32(6, seed=i)) for i in range(2)]
    x = net.input("x", [2, 6, 5, 3])
    net.output_of(net.op("GroupNormalization", x, *parameters, num_groups=2), "float32", 4)
    _assert_reference(net, _f32(2, 6, 5, 3), tmp_path)


@pytest.mark.parametrize(("axis", "shape"), [(-1, (7,)), (1, (5, 7))])
def test_mean_squares_equal_the_reference(
    axis: int, shape: tuple[int, ...], tmp_path: Path
) -> None:
    net = OnnxNetwork(opset=23)
    x = net.input("x", [2, 5, 7])
    y = net.op("RMSNormalization", x, net.constant(_f32(*shape)), axis=axis)
    net.output_of(y, "float32", 3)
    _assert_reference(net, _f32(2, 5, 7, seed=2), tmp_path)


@pytest.mark.parametrize("axis", [-1, 1])
def test_the_mean_and_the_deviation_of_a_layer_equal_the_reference(
    axis: int, tmp_path: Path
) -> None:
    net = OnnxNetwork()
    x = net.input("x", [2, 3, 4])
    size = (4,) if axis == -1 else (3, 4)
    parameters = [net.constant(_f32(*size, seed=i)) for i in range(2)]
    for result in net.op("LayerNormalization", x, *parameters, outputs=3, axis=axis):
        net.output_of(result, "float32", 3)
    path, data = net.save(tmp_path / "net.onnx"), _f32(2, 3, 4, seed=3) + np.float32(1)
    for found, golden in zip(forebay.compile(path).run(data), reference(path, [data]), strict=True):
        assert found.shape == golden.shape
        assert np.abs(found - golden).max() <= 1e-6 * np.abs(golden).max()


@pytest.mark.parametrize("p", [1, 2])
def test_norms_equal_the_reference(p: int, tmp_path: Path) -> None:
    net = OnnxNetwork()
    net.output(net.op("LpNormalization", net.input("x", [2, 3, 4]), axis=1, p=p))
    # The reference sums x itself, not its magnitude, for p of 1.
    x = np.abs(_f32(2, 3, 4))
    x[0, :, 1] = 0
    _assert_reference(net, x, tmp_path)


def test_groups_that_do_not_divide_the_channels_are_refused(tmp_path: Path) -> None:
    net = OnnxNetwork()
    parameters = [net.constant(_f32(6)) for _ in range(2)]
    x = net.input("x", [2, 6, 5, 3])
    net.output_of(net.op("GroupNormalization", x, *parameters, num_groups=4), "float32", 4)
    with pytest.raises(Error, match=r"operator 0 \(GroupNormalization\): .* in 4 groups"):
        forebay.compile(net.save(tmp_path / "net.onnx"))
