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


def test_groups_that_do_not_divide_the_channels_are_refused(tmp_path: Path) -> None:
    net = OnnxNetwork()
    parameters = [net.constant(_f32(6)) for _ in range(2)]
    x = net.input("x", [2, 6, 5, 3])
    net.output_of(net.op("GroupNormalization", x, *parameters, num_groups=4), "float32", 4)
    with pytest.raises(Error, match=r"operator 0 \(GroupNormalization\): .* in 4 groups"):
        forebay.compile(net.save(tmp_path / "net.onnx"))
