"""Modules of PyTorch, as floats and as int8; runs where the extra `forebay[torch]` is."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from common.tflite_reference import micro

import forebay
from forebay.frontends.bridges.from_torch import export_torch

torch = pytest.importorskip("torch", reason="needs the extra forebay[torch]")
if importlib.util.find_spec("litert_torch") is None:
    pytest.skip("needs the extra forebay[torch]", allow_module_level=True)
pytestmark = pytest.mark.slow

from common.models.torch_networks import NETWORKS, TorchNetwork  # noqa: E402  (needs PyTorch)


def assert_close(found: Any, expected: Any) -> None:
    assert found.shape == expected.shape
    assert np.abs(found - expected).max() <= 1e-6 * np.abs(expected).max()


def drawn(network: TorchNetwork, compiled: Any, seed: int) -> Any:
    """An input of any integers that the network takes."""
    port, rng = compiled.inputs[0], np.random.default_rng(seed)
    low, high = (0, network.tokens) if network.tokens else (-128, 128)
    return rng.integers(low, high, port.shape).astype(port.dtype)


def outputs_of(found: Any) -> list[Any]:
    return list(found) if isinstance(found, tuple) else [found]


@pytest.mark.parametrize("name", NETWORKS)
def test_a_module_as_floats_equals_pytorch(name: str) -> None:
    network = NETWORKS[name]
    module, inputs = network.module(), network.inputs(3)
    compiled = forebay.from_torch(module, inputs[0])
    for (x,) in inputs:
        with torch.no_grad():
            expected = outputs_of(module(x))
        found = outputs_of(compiled.run(x.numpy().astype(compiled.inputs[0].dtype)))
        assert len(found) == len(expected)
        for ours, y in zip(found, expected, strict=True):
            assert_close(ours, y.numpy())


@pytest.mark.parametrize("name", NETWORKS)
def test_a_calibrated_module_has_the_bits_of_tflite_micro(name: str, tmp_path: Path) -> None:
    network = NETWORKS[name]
    samples = network.inputs(8)
    path = tmp_path / "net.tflite"
    export_torch(network.module(), samples[0], samples, path)
    compiled = forebay.compile(path)
    assert {port.dtype for port in compiled.outputs} == {"int8"}
    for seed in range(4):
        x = drawn(network, compiled, seed)
        found = outputs_of(compiled.run(x))
        for ours, y in zip(found, micro(path.read_bytes(), [x]), strict=True):
            np.testing.assert_array_equal(ours, y)


def test_a_saved_program_equals_the_module(tmp_path: Path) -> None:
    network = NETWORKS["temporal"]
    module, ((x,),) = network.module(), network.inputs(1)
    path = tmp_path / "temporal.pt2"
    torch.export.save(torch.export.export(module, (x,)), path)
    assert_close(forebay.compile(path).run(x.numpy()), module(x).detach().numpy())


def test_a_layer_that_no_operator_computes_is_refused() -> None:
    class Sorted(torch.nn.Module):
        def forward(self, x: Any) -> Any:
            return torch.linalg.qr(x)[0]

    with pytest.raises(forebay.Error, match="Sorted"):
        forebay.from_torch(Sorted(), (torch.randn(4, 4),))


def test_calibration_without_inputs_is_refused() -> None:
    network = NETWORKS["cnn"]
    with pytest.raises(forebay.Error, match="calibration has no inputs"):
        forebay.from_torch(network.module(), network.inputs(1)[0], [])
