"""Sums of products of floats have the bits of additions one by one, whatever computes them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from common.oracles.float_convolutions import FloatConvolution, Floats, drawn_convolution

import forebay
from forebay import Compiled

DIGITS = Path(__file__).parents[3] / "examples" / "digits" / "digits_int8.tflite"
ROOM = "64K"
"""Bytes for padded copies."""
CPUS = ("generic", "cortex-m4", "x86-64-v3", "x86-64-v4", "cascadelake")


def assert_same_floats(found: Any, expected: Floats) -> None:
    """Equal bits, but for the payload of a NaN."""
    np.testing.assert_array_equal(np.isnan(found), np.isnan(expected))
    numbers = ~np.isnan(expected)
    np.testing.assert_array_equal(found[numbers].view("u4"), expected[numbers].view("u4"))


def compiled(file: bytes, folder: Path, cpu: str = "generic") -> Compiled:
    path = folder / "net.tflite"
    path.write_bytes(file)
    return forebay.compile(path, cpu=cpu, io="pool", budget=ROOM)


@pytest.mark.parametrize("engine", ["c", "llvm"])
@pytest.mark.parametrize("seed", range(25))
def test_a_convolution_adds_in_the_order_of_its_window(
    seed: int, engine: Literal["c", "llvm"], tmp_path: Path
) -> None:
    rng, layer = np.random.default_rng(seed), drawn_convolution(seed)
    weights, bias = layer.weights(rng)
    source = layer.source(rng, has_edges=seed % 2 == 1)
    program = compiled(layer.file(weights, bias), tmp_path, cpu=CPUS[seed % len(CPUS)])
    found = program.run(source, engine=engine)
    assert_same_floats(found, layer.expected(source, weights, bias))


@pytest.mark.parametrize("weight", [np.inf, np.nan, 3e38])
@pytest.mark.parametrize("cpu", ["generic", "cortex-m4"])
def test_windows_over_borders_multiply_no_zero(weight: float, cpu: str, tmp_path: Path) -> None:
    """A zero beside the image times such a weight would be no number."""
    rng, layer = np.random.default_rng(1), FloatConvolution((8, 8), 4, 8, (3, 3))
    weights, bias = layer.weights(rng)
    weights[:, 0, 0, 0] = weight
    source = layer.source(rng, has_edges=False)
    program = compiled(layer.file(weights, bias), tmp_path, cpu=cpu)
    assert_same_floats(program.run(source), layer.expected(source, weights, bias))
    has_copy = any("padded" in buffer.name for buffer in program.info.buffers)
    assert has_copy == np.isfinite(weight), "zeros times finite weights add nothing"


@pytest.mark.parametrize("seed", range(3))
def test_the_emulator_adds_in_the_same_order(seed: int, tmp_path: Path) -> None:
    rng, layer = np.random.default_rng(seed), drawn_convolution(seed)
    weights, bias = layer.weights(rng)
    source = layer.source(rng, has_edges=True)
    program = compiled(layer.file(weights, bias), tmp_path)
    found = program.run(source, engine="emulator")
    assert_same_floats(found, layer.expected(source, weights, bias))


@pytest.mark.parametrize(("cpu", "is_single"), [("cortex-m55", True), ("cortex-m4", False)])
def test_no_compiler_makes_vectors_of_floats_with_other_results(
    cpu: str, tmp_path: Path, *, is_single: bool
) -> None:
    """The vectors of a Cortex-M55 have no subnormal numbers; its kernels of integers have some."""
    rng, layer = np.random.default_rng(1), FloatConvolution((8, 8), 4, 8, (3, 3))
    program = compiled(layer.file(*layer.weights(rng)), tmp_path, cpu=cpu)
    program.write(tmp_path / "out")
    text = (tmp_path / "out" / "net.c").read_text()
    assert ("\nFOREBAY_SINGLE_FLOATS FOREBAY_NOINLINE static void conv_2d" in text) == is_single
    integers = forebay.compile(DIGITS, cpu=cpu)
    integers.write(tmp_path / "integers")
    assert "FOREBAY_SINGLE_FLOATS" not in (tmp_path / "integers" / "digits_int8.c").read_text()
