"""Modules of PyTorch as int8, compared with TFLite Micro; where the extra `forebay[torch]` is."""

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
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        importlib.util.find_spec("litert_torch") is None, reason="needs the extra forebay[torch]"
    ),
]
nn = torch.nn


class Cnn(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            *(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2)),
            *(nn.Conv2d(8, 8, 3, padding=1, groups=8), nn.ReLU6(), nn.AdaptiveAvgPool2d(1)),
            *(nn.Flatten(), nn.Linear(8, 4), nn.Softmax(-1)),
        )

    def forward(self, x: Any) -> Any:
        return self.layers(x)


class Keywords(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.last = nn.Conv1d(4, 8, 3, padding=1), nn.Linear(8, 3)

    def forward(self, x: Any) -> Any:
        return self.last(torch.relu(self.first(x)).mean(-1))


class Recurrent(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.gru, self.last = nn.GRUCell(6, 8), nn.Linear(8, 3)

    def forward(self, x: Any) -> Any:
        state = torch.zeros(1, 8)
        for i in range(4):
            state = self.gru(x[:, i], state)
        return self.last(state)


class Encoder(nn.Module):
    """A layer of a transformer with two heads."""

    def __init__(self) -> None:
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(8, 8) for _ in range(3))
        self.norm, self.up, self.down = nn.LayerNorm(8), nn.Linear(8, 16), nn.Linear(16, 8)

    def forward(self, x: Any) -> Any:
        query, key, value = (self._heads(f(x)) for f in (self.query, self.key, self.value))
        mixed = torch.softmax(query @ key.transpose(-1, -2) / 2, -1) @ value
        y = self.norm(x + mixed.transpose(1, 2).reshape(x.shape))
        return y + self.down(torch.relu(self.up(y)))

    def _heads(self, x: Any) -> Any:
        return x.reshape(1, 6, 2, 4).transpose(1, 2)


NETWORKS = [
    (Cnn, (1, 3, 8, 8)),
    (Keywords, (1, 4, 16)),
    (Recurrent, (1, 4, 6)),
    (Encoder, (1, 6, 8)),
]


@pytest.mark.parametrize(("network", "shape"), NETWORKS, ids=[n.__name__ for n, _ in NETWORKS])
def test_a_module_has_the_bits_of_tflite_micro(
    network: Any, shape: tuple[int, ...], tmp_path: Path
) -> None:
    torch.manual_seed(1)
    module = network()
    samples = [(torch.randn(shape),) for _ in range(8)]
    path = tmp_path / "net.tflite"
    export_torch(module, samples[0], samples, path)
    compiled = forebay.compile(path)
    for seed in range(4):
        x = np.random.default_rng(seed).integers(-128, 128, shape).astype(np.int8)
        np.testing.assert_array_equal(compiled.run(x), micro(path.read_bytes(), [x])[0])


def test_floats_and_a_saved_program_equal_the_module(tmp_path: Path) -> None:
    torch.manual_seed(2)
    module, x = Keywords().eval(), torch.randn(1, 4, 16)
    expected = module(x).detach().numpy()
    path = tmp_path / "keywords.pt2"
    torch.export.save(torch.export.export(module, (x,)), path)
    for compiled in (forebay.compile(path), forebay.from_torch(module, (x,))):
        found = compiled.run(x.numpy())
        assert np.abs(found - expected).max() <= 1e-6 * np.abs(expected).max()
