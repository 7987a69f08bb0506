"""Operands that are read in words give the same sums: borders, remainders, zero points, lanes."""

from __future__ import annotations

import numpy as np
import pytest
from common.host_jit import BUFFERS, HOST_LOWERING, lower
from common.reduce_cases import Case, check, source
from mlir import ir
from mlir.dialects import memref, vector

from forebay.dialects.accel import DotOp, ReduceOp
from forebay.ir.nested import ops_nested_in
from forebay.lowering.blocks.words import dims_of_words, offset_of_words

LANES = 4


def axis(*terms: int, constant: int = 0) -> tuple[tuple[int, ...], int]:
    return terms, constant


def window(rng: np.random.Generator) -> Case:
    """Columns and channels are one run of memory, which the border clamps."""
    width, depth = int(rng.integers(4, 9)), int(rng.choice([1, 3, 4, 8]))
    channels, before = int(rng.integers(1, 6)), int(rng.integers(0, 2))
    # x, c, k
    run = 3 * depth
    source_ = (axis(depth, 0, 1, constant=-before * depth),)
    weights = (axis(0, 1, 0), axis(0, 0, 1))
    return Case(
        (width - 2 + 2 * before, channels),
        (run,),
        ((width * depth,), (channels, run)),
        (source_, weights),
        "i8",
        int(rng.choice([0, 128, -3])),
    )


def depthwise(rng: np.random.Generator) -> Case:
    """Channels are neighbours in both operands, and each has a sum of its own."""
    height, width, channels = 5, int(rng.integers(3, 8)), int(rng.integers(4, 14))
    # y, x, c, ky, kx
    source_ = (
        axis(1, 0, 0, 1, 0, constant=-1),
        axis(0, 1, 0, 0, 1, constant=-1),
        axis(0, 0, 1, 0, 0),
    )
    weights = (axis(0, 0, 0, 1, 0), axis(0, 0, 0, 0, 1), axis(0, 0, 1, 0, 0))
    return Case(
        (height, width, channels),
        (3, 3),
        ((height, width, channels), (3, 3, channels)),
        (source_, weights),
        "i8",
        int(rng.choice([0, 128])),
    )


@pytest.mark.parametrize("seed", range(20))
def test_words_of_products_do_not_change_sums(seed: int) -> None:
    rng = np.random.default_rng(seed)
    case = window(rng)
    pixels, channels = (int(rng.integers(1, min(3, e) + 1)) for e in case.parallel)
    words = case.reduction[0] // LANES
    steps = LANES * int(rng.integers(1, words + 1)) if words else 1
    check(case, [pixels, channels, steps], [1, 1, LANES if words else 1])


@pytest.mark.parametrize("seed", range(10))
def test_words_of_lanes_do_not_change_sums(seed: int) -> None:
    rng = np.random.default_rng(seed)
    case = depthwise(rng)
    blocks = [1, int(rng.integers(1, 3)), LANES * (1 + (case.parallel[2] >= 8)), 1, 3]
    check(case, blocks, [1, 1, LANES, 1, 1])


def lowered(case: Case, blocks: list[int], words: list[int]) -> list[type]:
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(source(case, blocks, words))
        lower(module, HOST_LOWERING, BUFFERS, ("func.func(accel-lower-reduce)",))
        kinds = (DotOp, vector.LoadOp, memref.LoadOp)
        return [type(op) for op in ops_nested_in(module.operation) if isinstance(op, kinds)]


def test_points_behind_the_last_word_are_taken_one_by_one() -> None:
    forms = ((axis(0, 1),), (axis(1, 0), axis(0, 1)))
    kinds = lowered(Case((1,), (9,), ((9,), (1, 9)), forms, "i8"), [1, 8], [1, 4])
    assert (kinds.count(DotOp), kinds.count(vector.LoadOp), kinds.count(memref.LoadOp)) == (2, 4, 2)


def test_points_behind_the_last_long_vector_are_a_shorter_one() -> None:
    forms = ((axis(0, 1),), (axis(1, 0), axis(0, 1)))
    case = Case((2,), (27,), ((27,), (2, 27)), forms, "i8", 128)
    kinds = lowered(case, [2, 16], [1, 16])
    # Two vectors for each of two sums, and for each of the two sums of weights.
    assert (kinds.count(DotOp), kinds.count(vector.LoadOp), kinds.count(memref.LoadOp)) == (8, 6, 0)
    check(case, [2, 16], [1, 16])


def test_positions_with_the_same_weights_share_the_sum_of_these() -> None:
    source_, weights = (axis(1, 0, 0), axis(0, 0, 1)), (axis(0, 1, 0), axis(0, 0, 1))
    shapes = ((2, 32), (3, 32))
    case = Case((2, 3), (32,), shapes, (source_, weights), "i8", 128)
    kinds = lowered(case, [2, 3, 32], [1, 1, 16])
    assert kinds.count(DotOp) == 2 * (2 * 3 + 3)
    check(case, [2, 3, 16], [1, 1, 16])
    check(case, [2, 2, 32], [1, 1, 16])


@pytest.mark.parametrize("seed", range(10))
def test_long_words_do_not_change_sums_at_borders(seed: int) -> None:
    rng = np.random.default_rng(seed)
    depth, before = 16 * int(rng.integers(1, 3)), int(rng.integers(0, 2))
    forms = ((axis(depth, 0, 1, constant=-before * depth),), (axis(0, 1, 0), axis(0, 0, 1)))
    shapes = ((5 * depth,), (3, 3 * depth))
    case = Case((3 + 2 * before, 3), (3 * depth,), shapes, forms, "i8", int(rng.choice([0, 128])))
    check(case, [int(rng.integers(1, 3)), int(rng.integers(1, 4)), 32], [1, 1, 16])


def test_a_word_is_loaded_once_for_all_of_its_lanes() -> None:
    forms = ((axis(0, 1), axis(1, 0)), (axis(0, 1), axis(1, 0)))
    kinds = lowered(Case((8,), (3,), ((3, 8), (3, 8)), forms, "i8"), [8, 1], [4, 1])
    assert (kinds.count(DotOp), kinds.count(vector.LoadOp), kinds.count(memref.LoadOp)) == (8, 4, 0)


def words_in(case: Case) -> tuple[int | None, tuple[int, ...]]:
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(source(case))
        lower(module, HOST_LOWERING, BUFFERS)
        (op,) = [op for op in ops_nested_in(module.operation) if isinstance(op, ReduceOp)]
        return offset_of_words(op), dims_of_words(op)


ROW = (axis(0, 1),)
ROWS, COLUMNS, EVERY_SECOND = (axis(1, 0), axis(0, 1)), (axis(0, 1), axis(1, 0)), (axis(0, 2),)


@pytest.mark.parametrize(
    ("case", "found"),
    [
        (Case((2,), (8,), ((8,), (2, 8)), (ROW, ROWS), "i8", 9), (9, (1,))),
        (Case((2,), (8,), ((8,), (8, 2)), (ROW, COLUMNS), "i8"), (0, ())),
        (Case((2,), (4,), ((8,), (2, 4)), (EVERY_SECOND, ROWS), "i8"), (0, ())),
        (Case((2,), (8,), ((8,), (2, 8)), (ROW, ROWS)), (None, (1,))),
    ],
)
def test_words_need_small_elements_that_are_neighbours(case: Case, found: object) -> None:
    assert words_in(case) == found
