"""Kernels of weights with a zero point: exchanged factors, and the same bits."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from common.conv_layer import Layer
from common.padded_layers import drawn_layers, kernels_in, on_buffers, text_of
from mlir import ir

import forebay
from forebay.lowering.blocks.words import offset_of_words, offsets_of_factors
from forebay.lowering.schedule.exchange import exchange_factors

INSIDE = Layer(
    size=(6, 5), depth=8, channels=8, kernel=(1, 1), pad=(0, 0, 0, 0), weights_zero_point=-39
)


def test_the_factor_with_a_zero_point_comes_first() -> None:
    """The zero point of the source is in the bias already, as the weights are known."""
    with ir.Context(), ir.Location.unknown():
        module = on_buffers(INSIDE.text())
        (kernel,) = kernels_in(module)
        assert offsets_of_factors(kernel) == (0, 39) and offset_of_words(kernel) is None
        operands, maps = list(kernel.inputs), list(kernel.maps)
        exchanged = exchange_factors(kernel)
        assert list(exchanged.inputs) == operands[::-1]
        assert list(exchanged.maps) == [maps[1], maps[0], *maps[2:]]
        assert offset_of_words(exchanged) == 39
        assert module.operation.verify()
        assert exchange_factors(exchanged) is exchanged, "the second one has no zero point"


@pytest.mark.parametrize(
    "layer",
    [
        replace(INSIDE, weights_zero_point=0),
        replace(INSIDE, size=(7, 7), kernel=(3, 3), pad=(1, 1, 1, 1)),
    ],
    ids=["no zero point", "windows outside of the source"],
)
def test_other_kernels_stay(layer: Layer) -> None:
    with ir.Context(), ir.Location.unknown():
        module = on_buffers(layer.text())
        (kernel,) = kernels_in(module)
        assert exchange_factors(kernel) is kernel


@pytest.mark.parametrize("cpu", ["cortex-m4", "cortex-m55", "x86-64-v3", "cascadelake"])
@pytest.mark.parametrize("seed", range(3))
def test_weights_with_zero_points_have_the_same_bits(tmp_path: Path, seed: int, cpu: str) -> None:
    rng = np.random.default_rng(seed)
    layers = [
        replace(layer, weights_zero_point=int(rng.integers(-128, 128)))
        for layer in (*drawn_layers(seed), INSIDE)
    ]
    last = replace(INSIDE, size=layers[1].out[1:3], depth=layers[1].out[3], batch=layers[1].batch)
    (tmp_path / "net.mlir").write_text(text_of(layers[0], layers[1], last))
    plain = forebay.compile(tmp_path / "net.mlir", optimize="size")
    fast = forebay.compile(tmp_path / "net.mlir", cpu=cpu, budget="1M")
    expected = plain.run(layers[0].source())
    for engine in ("c", "llvm", "emulator"):
        np.testing.assert_array_equal(fast.run(layers[0].source(), engine=engine), expected)
