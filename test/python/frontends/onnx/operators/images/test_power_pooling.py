"""GlobalLpPool, which ONNX's reference evaluator lacks; LpPool is in `test_operators.py`."""

from pathlib import Path

import numpy as np
import pytest
from common.onnx_networks import OnnxNetwork

import forebay


@pytest.mark.parametrize("p", [1, 2, 3])
def test_a_norm_of_all_elements_is_that_of_numpy(p: int, tmp_path: Path) -> None:
    net = OnnxNetwork()
    net.output(net.op("GlobalLpPool", net.input("x", [2, 3, 4, 5]), p=p))
    x = np.random.default_rng(1).normal(size=(2, 3, 4, 5)).astype(np.float32)
    y = forebay.compile(net.save(tmp_path / "net.onnx")).run(x)
    golden = np.linalg.norm(x.reshape(2, 3, 1, 20), p, axis=-1, keepdims=True)
    assert y.shape == golden.shape
    assert np.abs(y - golden).max() <= 1e-6 * golden.max()
