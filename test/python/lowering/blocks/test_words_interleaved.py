"""Words of interleaved weights that are added to vectors of sums give the sums of NumPy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from common.host_jit import BUFFERS, HOST_LOWERING, lower, run_host
from common.oracles.numpy_kernels import rescale
from common.programs.rescaled_regions import rescaled_regions
from mlir import ir

from forebay._libs._forebay import has_features, host_triple
from forebay.cpus.costs.weighted_nest import WordDots
from forebay.dialects.accel import DotEachOp, ReduceOp
from forebay.ir.nested import ops_nested_in
from forebay.lowering.blocks.words import Words, dots_of, words_of

FORMS = ("memref-pool-lower-to-llvm", "memref-pool-lower-to-llvm{byte-products=vpdpbusd}")
"""The general form of the op for LLVM, and the instruction."""


@dataclass(frozen=True)
class Layer:
    """Windows of three columns of `words` words, over `width` columns with `padding`.

    There are `groups` of `lanes` channels, which have their weights in words of `word` elements.
    """

    width: int
    padding: int
    groups: int
    lanes: int
    words: int
    word: int
    offset: int
    zero_point: int
    limits: tuple[int, int]

    @property
    def columns(self) -> int:
        return self.width - 2 + 2 * self.padding

    @property
    def channels(self) -> int:
        return self.groups * self.lanes

    @property
    def depth(self) -> int:
        return self.words * self.word


def source_of(layer: Layer, blocks: tuple[int, int, int, int]) -> str:
    """The op, whose blocks are of columns, groups, columns of windows, and words."""
    columns, groups, window, words = blocks
    own, c = layer, layer.channels
    x = f"tensor<{own.width}x{own.depth}xi8>"
    w = f"tensor<{own.groups}x3x{own.words}x{own.lanes * own.word}xi8>"
    out = f"tensor<{own.columns}x{c}xi8>"
    return f"""
      #x = affine_map<(x, c, l, j, k, t) -> (x + j - {own.padding}, k * {own.word} + t)>
      #w = affine_map<(x, c, l, j, k, t) -> (c, j, k, l * {own.word} + t)>
      #p = affine_map<(x, c, l) -> (c * {own.lanes} + l)>
      #o = affine_map<(x, c, l) -> (x, c * {own.lanes} + l)>
      func.func @main(%x: {x}, %w: {w}, %b: tensor<{c}xi32>, %m: tensor<{c}xi32>,
          %s: tensor<{c}xi8>) -> {out} {{
        %e = tensor.empty() : {out}
        %r = accel.reduce [{own.columns}, {own.groups}, {own.lanes} | 3, {own.words}, {own.word}]
          ins(%x, %w : {x}, {w})
          params(%b, %m, %s : tensor<{c}xi32>, tensor<{c}xi32>, tensor<{c}xi8>) outs(%e : {out})
          maps [#x, #w, #p, #p, #p, #o]
          blocks [{columns}, {groups}, {own.lanes}, {window}, {words}, {own.word}]
          words [1, 1, {own.lanes}, 1, 1, {own.word}] lanes [1, 1, {own.lanes}, 1, 1, 1]
          {rescaled_regions(own.offset, own.zero_point, own.limits)} -> {out}
        return %r : {out}
      }}"""


def expected(layer: Layer, inputs: list[np.ndarray]) -> np.ndarray:
    """Of weights [channel][column of the window][element]."""
    x, w, bias, multiplier, shift = inputs
    pad = layer.padding
    padded = np.zeros((layer.width + 2 * pad, layer.depth), int)
    padded[pad : pad + layer.width] = x.astype(int) + layer.offset
    windows = np.stack([padded[at : at + 3] for at in range(layer.columns)])
    sums = np.einsum("xjk,cjk->xc", windows, w.astype(int)) + bias
    low, high = layer.limits
    numbers = multiplier.tolist(), shift.tolist()
    return rescale(sums, *numbers, layer.zero_point, low=low, high=high)


def interleaved(layer: Layer, weights: np.ndarray) -> np.ndarray:
    """The weights [channel][column][element] as [group][column][word][lane and element]."""
    out = np.zeros((layer.groups, 3, layer.words, layer.lanes * layer.word), np.int8)
    for (c, j, k), value in np.ndenumerate(weights):
        group, lane = divmod(c, layer.lanes)
        word, element = divmod(k, layer.word)
        out[group, j, word, lane * layer.word + element] = value
    return out


def drawn(rng: np.random.Generator, lanes: int, word: int, *, padding: int) -> Layer:
    offset, zero_point = int(rng.choice([0, 128, -3, 300])), int(rng.integers(-128, 128))
    low = int(rng.integers(-128, 100))
    limits = (-128, 127) if rng.integers(2) else (low, int(rng.integers(low, 128)))
    width, groups, words = (int(n) for n in rng.integers([4, 1, 1], [9, 4, 5]))
    return Layer(width, padding, groups, lanes, words, word, offset, zero_point, limits)


def inputs_of(layer: Layer, rng: np.random.Generator) -> list[np.ndarray]:
    shapes = (layer.width, layer.depth), (layer.channels, 3, layer.depth)
    x, w = (rng.integers(-128, 128, shape).astype(np.int8) for shape in shapes)
    bias = rng.integers(-(2**15), 2**15, layer.channels).astype(np.int32)
    multiplier = rng.integers(2**30, 2**31, layer.channels).astype(np.int32)
    return [x, w, bias, multiplier, rng.integers(36, 46, layer.channels).astype(np.int8)]


def check(
    layer: Layer, blocks: tuple[int, int, int, int], rng: np.random.Generator, form: str
) -> None:
    if form != FORMS[0] and not has_features(host_triple(), "native", "avx512vl,avx512vnni"):
        pytest.skip("this processor has no AVX-512 VNNI")
    inputs = inputs_of(layer, rng)
    x, w, *others = inputs
    memory = [x, interleaved(layer, w), *others]
    (found,) = run_host(source_of(layer, blocks), *memory, expanded=(form,))
    np.testing.assert_array_equal(found, expected(layer, inputs))


def blocks_of(layer: Layer, rng: np.random.Generator) -> tuple[int, int, int, int]:
    """Blocks of columns and groups may leave a rest, the others may not."""
    columns = int(rng.integers(1, layer.columns + 1))
    groups = int(rng.integers(1, layer.groups + 1))
    words = int(rng.choice([n for n in range(1, layer.words + 1) if layer.words % n == 0]))
    return columns, groups, int(rng.choice([1, 3])), words


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("padding", [0, 1])
@pytest.mark.parametrize("lanes", [8, 16])
@pytest.mark.parametrize("seed", range(4))
def test_words_of_four_have_the_same_bits(seed: int, lanes: int, padding: int, form: str) -> None:
    rng = np.random.default_rng([seed, lanes, padding])
    layer = drawn(rng, lanes, 4, padding=padding)
    check(layer, blocks_of(layer, rng), rng, form)


@pytest.mark.parametrize("seed", range(6))
def test_words_of_other_lengths_have_the_same_bits(seed: int) -> None:
    rng = np.random.default_rng(seed)
    layer = drawn(rng, int(rng.choice([2, 4, 32])), int(rng.choice([2, 3, 8])), padding=1)
    check(layer, blocks_of(layer, rng), rng, FORMS[0])


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("offset", [128, 0, -3, 300])
def test_each_offset_has_the_same_bits(offset: int, form: str) -> None:
    rng = np.random.default_rng(0)
    layer = Layer(7, 1, 2, 16, 2, 4, offset, -7, (-7, 127))
    check(layer, (3, 2, 1, 2), rng, form)


LAYER = Layer(8, 0, 2, 16, 2, 4, 128, -7, (-7, 127))


def test_a_block_of_pixels_and_groups_has_as_many_vectors() -> None:
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(source_of(LAYER, (3, 2, 1, 2)))
        lower(module, HOST_LOWERING, BUFFERS, ("func.func(accel-lower-reduce)",))
        found = [op for op in ops_nested_in(module.operation) if isinstance(op, DotEachOp)]
        # Two words of three pixels and two groups.
        assert len(found) == 2 * 3 * 2
        assert {op.offset.value for op in found} == {128}


def test_the_second_operand_says_which_words_there_are() -> None:
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(source_of(LAYER, (3, 2, 1, 2)))
        lower(module, HOST_LOWERING, BUFFERS)
        (op,) = (o for o in ops_nested_in(module.operation) if isinstance(o, ReduceOp))
        assert dots_of(op) == WordDots(dim=2, lanes=16, dot_length=4)
        words = words_of(op)
        assert words is not None
        assert words == Words(2, 16, 128, dot_length=4)
        # Words are along the last dimension only; that of the lanes is not reduced.
        assert [words.along(dim, 5) for dim in (3, 4, 5)] == [1, 1, 4]
