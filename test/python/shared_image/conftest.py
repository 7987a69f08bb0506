"""Compiled folders of small networks, some of which have constants in common."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import forebay

ROOT = Path(__file__).parents[3]
STATE = ROOT / "examples/three_models/best_so_far.mlir"


def product(name: str, *weights: int, columns: int = 8) -> str:
    """A network of a matrix product for each seed of weights, one after the other."""
    lines = [
        f'func.func @main(%x: tensor<1x1x{columns}xf32> {{accel.name = "x"}})'
        f' -> (tensor<1x1x{columns}xf32> {{accel.name = "{name}"}}) {{',
        '  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>',
    ]
    last = "%x"
    for number, seed in enumerate(weights):
        values = np.random.default_rng(seed).integers(-4, 5, (columns, columns)).astype(float)
        text = str([values.tolist()])
        shape = f"tensor<1x{columns}x{columns}xf32>"
        row = f"tensor<1x1x{columns}xf32>"
        lines += [
            f'  %w{number} = "tosa.const"() <{{values = dense<{text}> : {shape}}}> : () -> {shape}',
            f"  %y{number} = tosa.matmul {last}, %w{number}, %z, %z"
            f" : ({row}, {shape}, tensor<1xf32>, tensor<1xf32>) -> {row}",
        ]
        last = f"%y{number}"
    return "\n".join([*lines, f"  return {last} : tensor<1x1x{columns}xf32>", "}"]) + "\n"


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> dict[str, forebay.Compiled]:
    """Networks by name; `first`, `second` and `large` have weights in common."""
    folder = tmp_path_factory.mktemp("models")
    models = {"best_so_far": STATE}
    for name, weights, columns in (
        ("first", (1, 2), 8),
        ("second", (2, 3), 8),
        ("large", (4, 5), 24),
    ):
        models[name] = folder / f"{name}.mlir"
        models[name].write_text(product(name, *weights, columns=columns))
    return {name: forebay.compile(path) for name, path in models.items()}


@pytest.fixture(scope="session")
def folders(
    compiled: dict[str, forebay.Compiled], tmp_path_factory: pytest.TempPathFactory
) -> Callable[..., list[Path]]:
    """A function that returns the written folders of networks."""
    home = tmp_path_factory.mktemp("folders")
    written = {name: network.write(home / name) for name, network in compiled.items()}
    return lambda *names: [written[name] for name in names]
