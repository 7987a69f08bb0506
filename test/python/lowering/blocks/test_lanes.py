"""Results that are stored in lanes have the same bits: borders, remainders, rounding, limits."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from common.host_jit import BUFFERS, HOST_LOWERING, lower, run_host
from common.programs.rescaled_regions import rescaled_regions
from mlir import ir

from forebay.dialects.accel import MultiplyAddOp, ReduceOp, StoreRescaledOp
from forebay.ir.nested import ops_nested_in
from forebay.lowering.blocks.lanes import dims_of_lanes, lanes_of, requantisation_of


@dataclass(frozen=True)
class Layer:
    """A window of 3 columns over `width` of them with padding, in each channel or over all.

    A depthwise layer with `depth` 1 reads the same column for all channels.
    """

    width: int
    channels: int
    depth: int
    is_depthwise: bool
    offset: int
    zero_point: int
    limits: tuple[int, int]

    @property
    def shapes(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        if self.is_depthwise:
            return (self.width, self.depth), (3, self.channels)
        return (self.width * self.depth,), (self.channels, 3 * self.depth)

    @property
    def reduction(self) -> int:
        return 3 if self.is_depthwise else 3 * self.depth

    @property
    def maps(self) -> tuple[str, str]:
        if self.is_depthwise:
            return f"(x + k - 1, {'c' if self.depth > 1 else '0'})", "(k, c)"
        return f"(x * {self.depth} + k - {self.depth})", "(c, k)"


def source_of(layer: Layer, schedule: str) -> str:
    """The op, with a bias, a multiplier and a shift per channel."""
    x, w = layer.shapes
    x_type, w_type = (f"tensor<{'x'.join(map(str, shape))}xi8>" for shape in (x, w))
    c, out = layer.channels, f"tensor<{layer.width}x{layer.channels}xi8>"
    x_map, w_map = layer.maps
    return f"""
      #x = affine_map<(x, c, k) -> {x_map}>
      #w = affine_map<(x, c, k) -> {w_map}>
      #p = affine_map<(x, c) -> (c)>
      #o = affine_map<(x, c) -> (x, c)>
      func.func @main(%x: {x_type}, %w: {w_type}, %b: tensor<{c}xi32>, %m: tensor<{c}xi32>,
          %s: tensor<{c}xi8>) -> {out} {{
        %e = tensor.empty() : {out}
        %r = accel.reduce [{layer.width}, {c} | {layer.reduction}] ins(%x, %w : {x_type}, {w_type})
          params(%b, %m, %s : tensor<{c}xi32>, tensor<{c}xi32>, tensor<{c}xi8>) outs(%e : {out})
          maps [#x, #w, #p, #p, #p, #o] {schedule}
          {rescaled_regions(layer.offset, layer.zero_point, layer.limits)} -> {out}
        return %r : {out}
      }}"""


def rescaled(sum_: int, multiplier: int, shift: int) -> int:
    """TFLite's MultiplyByQuantizedMultiplier: a doubled high product, and a rounding shift."""
    product = sum_ * multiplier
    nudged = product + (1 << 30 if product >= 0 else 1 - (1 << 30))
    high = abs(nudged) >> 31
    magnitude = (high + (1 << (shift - 32))) >> (shift - 31)
    return magnitude if nudged >= 0 else -magnitude


def expected(layer: Layer, inputs: list[np.ndarray]) -> np.ndarray:
    x, w, bias, multiplier, shift = inputs
    columns = x.reshape(layer.width, layer.depth).astype(int) + layer.offset
    padded = np.zeros((layer.width + 2, layer.depth), int)
    padded[1:-1] = columns
    out = np.zeros((layer.width, layer.channels), int)
    for at in range(layer.width):
        window = padded[at : at + 3]
        if layer.is_depthwise:
            sums = (window * w.astype(int)).sum(axis=0)
        else:
            sums = w.astype(int) @ window.reshape(-1)
        for c in range(layer.channels):
            value = rescaled(int(sums[c] + bias[c]), int(multiplier[c]), int(shift[c]))
            out[at, c] = np.clip(value + layer.zero_point, *layer.limits)
    return out


def drawn(rng: np.random.Generator, *, is_depthwise: bool) -> Layer:
    channels = int(rng.choice([4, 8, 11, 16, 20]))
    depth = int(rng.choice([1, channels])) if is_depthwise else int(rng.choice([1, 3, 16]))
    offset, zero_point = int(rng.choice([0, 128, -3])), int(rng.integers(-128, 128))
    low = int(rng.integers(-128, 100))
    limits = (-128, 127) if rng.integers(2) else (low, int(rng.integers(low, 128)))
    return Layer(int(rng.integers(3, 8)), channels, depth, is_depthwise, offset, zero_point, limits)


def inputs_of(layer: Layer, rng: np.random.Generator) -> list[np.ndarray]:
    x, w = (rng.integers(-128, 128, shape).astype(np.int8) for shape in layer.shapes)
    bias = rng.integers(-(2**15), 2**15, layer.channels).astype(np.int32)
    multiplier = rng.integers(2**30, 2**31, layer.channels).astype(np.int32)
    return [x, w, bias, multiplier, rng.integers(36, 46, layer.channels).astype(np.int8)]


def check(layer: Layer, schedule: str, rng: np.random.Generator) -> None:
    inputs = inputs_of(layer, rng)
    source = source_of(layer, schedule)
    (found,) = run_host(source, *inputs, expanded=("memref-pool-lower-to-llvm",))
    np.testing.assert_array_equal(found, expected(layer, inputs))


@pytest.mark.parametrize("seed", range(12))
def test_results_in_lanes_have_the_same_bits(seed: int) -> None:
    rng = np.random.default_rng(seed)
    layer = drawn(rng, is_depthwise=False)
    columns, rows = int(rng.integers(1, 3)), 4 * int(rng.integers(1, 2 + (layer.channels >= 8)))
    step = min(layer.reduction, 16)
    blocks = f"blocks [{columns}, {rows}, {step}] words [1, 1, {step}]"
    check(layer, f"{blocks} lanes [1, 4, 1]", rng)


@pytest.mark.parametrize("seed", range(12))
def test_totals_of_partial_sums_have_the_same_bits(seed: int) -> None:
    rng = np.random.default_rng(seed)
    layer = drawn(rng, is_depthwise=False)
    rows = 4 * int(rng.integers(1, 2 + (layer.channels >= 8)))
    word = min(layer.reduction, int(rng.choice([2, 4, 7, 16])))
    step = word * int(rng.integers(1, 1 + layer.reduction // word))
    blocks = f"blocks [1, {rows}, {step}] words [1, 1, {word}] partial_sums 8"
    check(layer, f"{blocks} lanes [1, {rng.choice([1, 4])}, 1]", rng)


@pytest.mark.parametrize("seed", range(12))
def test_vectors_of_sums_have_the_same_bits(seed: int) -> None:
    rng = np.random.default_rng(seed)
    layer = drawn(rng, is_depthwise=True)
    columns, steps = int(rng.integers(1, 3)), int(rng.choice([1, 3]))
    lanes = int(rng.choice([n for n in (4, 8, 16) if n <= layer.channels]))
    blocks = f"blocks [{columns}, {lanes}, {steps}] words [1, {lanes}, 1]"
    check(layer, f"{blocks} lanes [1, {lanes}, 1]", rng)


LAYER = Layer(6, 16, 16, True, 128, -7, (-7, 127))
SUMS = "blocks [2, 8, 1] words [1, 8, 1] lanes [1, 8, 1]"


def lowered(schedule: str, *phases: tuple[str, ...]) -> list[type]:
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(source_of(LAYER, schedule))
        lower(module, HOST_LOWERING, BUFFERS, *phases)
        return [type(op) for op in ops_nested_in(module.operation)]


def test_a_block_of_two_columns_has_two_vectors_of_sums() -> None:
    found = lowered(SUMS, ("func.func(accel-lower-reduce)",))
    # Blocks of two columns, and a loop over the single columns at the borders.
    assert found.count(MultiplyAddOp) == 3
    assert found.count(StoreRescaledOp) == 3


def test_channels_are_the_dimension_of_lanes() -> None:
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(source_of(LAYER, SUMS))
        lower(module, HOST_LOWERING, BUFFERS)
        (op,) = (o for o in ops_nested_in(module.operation) if isinstance(o, ReduceOp))
        by = requantisation_of(op)
        assert by is not None
        assert (by.bias.param, by.multiplier.param, by.shift.param) == (0, 1, 2)
        assert (by.zero_point, by.low, by.high) == (-7, -7, 127)
        assert dims_of_lanes(op, by) == {1}
        lanes = lanes_of(op)
        assert lanes is not None
        assert (lanes.dim, lanes.count, lanes.has_sums) == (1, 8, True)
