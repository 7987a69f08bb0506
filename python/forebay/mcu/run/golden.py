"""Expected outputs: from the user's file, or the model's own outputs on drawn inputs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from forebay.driver.compiled import Compiled
from forebay.network.model import GoldenStep, ModelInfo

_OFFSET, _PRIME, _MASK = 0xCBF29CE484222325, 0x100000001B3, (1 << 64) - 1


def drawn_golden(compiled: Compiled, steps: int = 3) -> tuple[GoldenStep, ...]:
    """Return `steps` inferences on inputs drawn from a fixed seed, with outputs as in `compile -o`.

    Raises `DifferentValuesError` when the program computes other values than the model.
    """
    return compiled.expected_outputs(steps=steps).steps


def with_golden(model: ModelInfo, golden: tuple[GoldenStep, ...]) -> ModelInfo:
    """Return the model with golden outputs; float outputs may differ by 1e-5."""
    is_float = any(np.dtype(port.dtype).kind == "f" for port in model.outputs)
    return replace(model, golden=golden, tolerance=1e-5 if is_float else 0.0)


def expected_hashes(model: ModelInfo) -> dict[tuple[int, int], int]:
    """Return the hash of each golden integer output by (step, output)."""
    return {
        (step, number): fnv1a(np.asarray(data, port.dtype).tobytes())
        for step, golden in enumerate(model.golden)
        for number, (port, data) in enumerate(zip(model.outputs, golden.outputs, strict=True))
        if np.dtype(port.dtype).kind != "f"
    }


def fnv1a(data: bytes) -> int:
    """Return the 64-bit FNV-1a hash (Fowler, Noll, Vo)."""
    value = _OFFSET
    for byte in data:
        value = (value ^ byte) * _PRIME & _MASK
    return value
