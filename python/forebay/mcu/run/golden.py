"""Expected outputs: from the user's file, or from the LLVM engine on drawn inputs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from forebay.driver.compiled import Compiled, EngineName
from forebay.golden.steps import random_input
from forebay.network.fixed_memory import FixedMemoryError
from forebay.network.model import GoldenStep, ModelInfo

_OFFSET, _PRIME, _MASK = 0xCBF29CE484222325, 0x100000001B3, (1 << 64) - 1


def drawn_golden(compiled: Compiled, steps: int = 3) -> tuple[GoldenStep, ...]:
    """Return `steps` inferences on inputs drawn from a fixed seed.

    LLVM on this host computes the outputs, or the emulator if the host has no memory at a pool's
    address.
    """
    generator, engine = np.random.default_rng(0), _oracle(compiled)
    golden: list[GoldenStep] = []
    for _ in range(steps):
        inputs = tuple(random_input(generator, port) for port in compiled.inputs)
        result = compiled.run(*inputs, engine=engine)
        golden.append(GoldenStep(inputs, result if isinstance(result, tuple) else (result,)))
    return tuple(golden)


def _oracle(compiled: Compiled) -> EngineName:
    """Return the engine that computes the expected outputs, after a reset."""
    try:
        compiled.reset("llvm")
    except FixedMemoryError:
        compiled.reset("emulator")
        return "emulator"
    return "llvm"


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
