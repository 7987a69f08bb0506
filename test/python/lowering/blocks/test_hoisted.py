"""Sums of weights are computed once for all pixels, and give the same bits."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from common.host_jit import BUFFERS, HOST_LOWERING, lower
from common.reduce_cases import Case, check, source
from mlir import ir
from mlir.dialects import arith, scf

from forebay.dialects.accel import DotOp, DotsOp, LoadBetweenOp, ReduceOp
from forebay.ir.nested import ops_nested_in
from forebay.lowering.blocks.filled import takes_fill
from forebay.lowering.blocks.hoisted import dims_of_factors, sums_elements, sums_factors
from forebay.lowering.kernels import scalar

LANES = 16


def window(height: int, width: int, depth: int, channels: int, offset: int) -> Case:
    """Windows of 3x3 with padding, by channel, row and column; columns and depth are one run."""
    run = 3 * depth
    # c, y, x, ky, k
    rows = ((0, 1, 0, 1, 0), -1)
    columns = ((0, 0, depth, 0, 1), -depth)
    weights = [((1, 0, 0, 0, 0), 0), ((0, 0, 0, 1, 0), 0), ((0, 0, 0, 0, 1), 0)]
    return Case(
        (channels, height, width),
        (3, run),
        ((height, width * depth), (channels, 3, run)),
        ((rows, columns), tuple(weights)),
        "i8",
        offset,
    )


def rows_of(case: Case) -> Case:
    """The same windows by row, channel and column."""
    height, (channels, _, width) = case.parallel[1], case.parallel
    order = (1, 0, *range(2, 5))
    forms = tuple(
        tuple((tuple(factors[d] for d in order), constant) for factors, constant in axes)
        for axes in case.forms
    )
    return replace(case, parallel=(height, channels, width), forms=forms)


def schedule(case: Case, channels: int, rows: int, columns: int) -> tuple[list[int], list[int]]:
    word = min(case.reduction[1], LANES)
    return [channels, rows, columns, 1, word], [1, 1, 1, 1, word]


@pytest.mark.parametrize("seed", range(24))
def test_hoisted_sums_and_filled_borders_give_the_same_bits(seed: int) -> None:
    rng = np.random.default_rng(seed)
    height, width = (int(rng.integers(1, 7)) for _ in range(2))
    depth, channels = int(rng.choice([2, 3, 6, 11, 16])), int(rng.integers(1, 6))
    case = window(height, width, depth, channels, int(rng.choice([128, -3, 5, -128])))
    blocks = [int(rng.integers(1, min(3, e) + 1)) for e in case.parallel]
    check(case, *schedule(case, *blocks))


@pytest.mark.parametrize("seed", range(24))
def test_kernels_of_one_row_have_hoisted_sums_and_filled_borders(seed: int) -> None:
    rng = np.random.default_rng(seed)
    height, width = (int(rng.integers(2, 7)) for _ in range(2))
    depth, channels = int(rng.choice([2, 3, 6, 11, 16])), int(rng.integers(1, 6))
    case = rows_of(window(height, width, depth, channels, int(rng.choice([128, -3, 5, -128]))))
    channel, column = (int(rng.integers(1, min(3, e) + 1)) for e in (channels, width))
    is_single = bool(seed % 2)
    step = int(rng.choice([1, depth, 3 * depth])) if is_single else min(3 * depth, LANES)
    words = [] if is_single else [1, 1, 1, 1, step]
    blocks = [1, channel, column, 1, step]
    check(case, blocks, words, row=0)
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(source(case, blocks, words, row=0))
        lower(module, HOST_LOWERING, BUFFERS)
        (op,) = (own for own in ops_nested_in(module.operation) if isinstance(own, ReduceOp))
        assert dims_of_factors(op) == (1,)
        is_cut_in_words = depth % step > 0  # whole words outside are left out instead
        has_fills = not is_single and takes_fill(op) and is_cut_in_words
        lower(module, HOST_LOWERING, BUFFERS, ("func.func(accel-lower-reduce)",))
        found = [op for op in ops_nested_in(module.operation) if isinstance(op, LoadBetweenOp)]
        assert bool(found) is has_fills


@pytest.mark.parametrize("seed", range(24))
def test_partial_sums_begin_with_hoisted_sums(seed: int) -> None:
    rng = np.random.default_rng(seed)
    height, width = (int(rng.integers(2, 7)) for _ in range(2))
    depth, channels = int(rng.choice([2, 3, 6, 11, 16])), int(rng.integers(1, 6))
    case = window(height, width, depth, channels, int(rng.choice([128, -3, 5, -128])))
    row = [None, 0, 1][int(rng.integers(3))]
    if row == 0:
        case = rows_of(case)
    blocks = [int(rng.integers(1, min(3, e) + 1)) for e in case.parallel]
    if row is not None:
        blocks[row] = 1
    check(case, *schedule(case, *blocks), "cortex-a76", row=row, partial_sums=4)


@pytest.mark.parametrize(("cpu", "is_hoisted"), [("cortex-a76", True), ("cascadelake", False)])
def test_products_of_partial_sums_have_no_offset_where_it_is_hoisted(
    cpu: str, is_hoisted: bool
) -> None:
    """A processor with instructions for one offset keeps it."""
    case = window(6, 6, 16, 4, 77)
    with ir.Context(), ir.Location.unknown():
        blocks = [4, 1, 2, 1, 16], [1, 1, 1, 1, 16]
        module = ir.Module.parse(source(case, *blocks, cpu, partial_sums=4))
        lower(module, HOST_LOWERING, BUFFERS)
        (op,) = (own for own in ops_nested_in(module.operation) if isinstance(own, ReduceOp))
        assert sums_factors(op) is is_hoisted
        lower(module, ("func.func(accel-lower-reduce)",))
        found = [op for op in ops_nested_in(module.operation) if isinstance(op, DotsOp)]
        products = [op for op in found if not isinstance(op.lhs.owner.opview, arith.ConstantOp)]
        # Whole words outside of the first and the last column are left out, so these keep it.
        assert {op.offset.value for op in products} == ({0, 77} if is_hoisted else {77})


@pytest.mark.parametrize("seed", range(12))
def test_the_row_may_be_known_only_inside_of_the_loop_over_channels(seed: int) -> None:
    rng = np.random.default_rng(seed)
    depth, channels = int(rng.choice([2, 6, 16])), int(rng.integers(1, 5))
    case = window(int(rng.integers(2, 6)), int(rng.integers(2, 7)), depth, channels, 77)
    step = min(3 * depth, LANES)
    words = [1, 1, 1, 1, step] if seed % 2 else []
    check(case, [min(2, channels), 1, 2, 1, step if words else 1], words, row=1)


@pytest.mark.parametrize("seed", range(16))
def test_hoisted_sums_of_single_elements_give_the_same_bits(seed: int) -> None:
    rng = np.random.default_rng(seed)
    height, width = (int(rng.integers(1, 7)) for _ in range(2))
    depth, channels = int(rng.choice([1, 2, 3, 6])), int(rng.integers(1, 6))
    case = window(height, width, depth, channels, int(rng.choice([128, -3, 300, -128])))
    blocks = [int(rng.integers(1, min(3, e) + 1)) for e in case.parallel]
    check(case, [*blocks, 1, int(rng.choice([1, depth, 3 * depth]))])


def test_products_inside_have_no_offset_and_those_of_borders_do() -> None:
    module_source = source(window(6, 6, 2, 4, 77), [4, 1, 1, 1, 1])
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(module_source)
        lower(module, HOST_LOWERING, BUFFERS, ("func.func(accel-lower-reduce)",))
        found = list(ops_nested_in(module.operation))
        added = [op for op in found if isinstance(op, arith.AddIOp) and _is_offset(op.rhs, 77)]
        scaled = [op for op in found if isinstance(op, arith.MulIOp) and _is_offset(op.rhs, 77)]
        # The sums of four channels are multiplied once, outside of the loops over pixels.
        assert [depth_of(op) for op in scaled] == [0] * 4
        # The elements of windows over a border get the offset for each channel: the columns outside
        # of the rows inside, and all of the other rows.
        assert len(added) == 4 * 2


def _is_offset(value: ir.Value, offset: int) -> bool:
    op = None if isinstance(value.owner, ir.Block) else value.owner.opview
    return (
        isinstance(op, arith.ConstantOp)
        and op.result.type == scalar.i32()
        and (op.literal_value == offset)
    )


def ops_of(case: Case, *blocks: int) -> tuple[ir.Module, list[ir.OpView]]:
    module = ir.Module.parse(source(case, *schedule(case, *blocks)))
    lower(module, HOST_LOWERING, BUFFERS, ("func.func(accel-lower-reduce)",))
    return module, list(ops_nested_in(module.operation))


def depth_of(op: ir.OpView) -> int:
    parent, depth = op.operation.parent, 0
    while parent is not None:
        depth += isinstance(parent.opview, scf.ForOp)
        parent = parent.parent
    return depth


def test_elements_outside_are_filled_in_columns_only() -> None:
    with ir.Context(), ir.Location.unknown():
        _module, found = ops_of(window(6, 6, 8, 4, 128), 4, 1, 1)
        filled = [op for op in found if isinstance(op, LoadBetweenOp)]
        # A word in the first and last columns, of the rows inside and of the others.
        assert len(filled) == 2
        assert {op.fill.value for op in filled} == {-128}


def test_whole_words_outside_are_left_out() -> None:
    with ir.Context(), ir.Location.unknown():
        _module, found = ops_of(window(6, 6, 16, 4, 128), 4, 1, 1)
        assert not [op for op in found if isinstance(op, LoadBetweenOp)]


def test_an_offset_of_no_8_bit_integer_has_no_fill() -> None:
    with ir.Context(), ir.Location.unknown():
        _module, found = ops_of(window(6, 6, 16, 4, 129), 4, 1, 1)
        assert not [op for op in found if isinstance(op, LoadBetweenOp)]


def test_weights_are_summed_outside_of_the_loops_over_pixels() -> None:
    with ir.Context(), ir.Location.unknown():
        _module, found = ops_of(window(6, 6, 16, 4, 128), 4, 1, 1)
        of_ones = [op for op in found if isinstance(op, DotOp) and not _is_load(op.lhs)]
        # A word per channel: of all rows, outside of the loops over pixels; of the rows inside, in
        # the loop over rows; of the columns inside, at each position of a border. All are in the
        # loops over rows and words of a window.
        assert [depth_of(op) for op in of_ones] == [2] * 4 + [3] * 4 + [4] * 4


def _is_load(value: ir.Value) -> bool:
    return value.owner.name in ("vector.load", "accel.load_between")


PIXELS_FIRST = Case(
    (3, 4),
    (8,),
    ((3, 8), (4, 8)),
    ((((1, 0, 0), 0), ((0, 0, 1), 0)), (((0, 1, 0), 0), ((0, 0, 1), 0))),
)


@pytest.mark.parametrize(("case", "dims"), [(window(3, 3, 4, 2, 128), (0,)), (PIXELS_FIRST, None)])
def test_the_dimensions_of_the_weights_must_be_the_first(
    case: Case, dims: tuple[int, ...] | None
) -> None:
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(source(case))
        lower(module, HOST_LOWERING, BUFFERS)
        (op,) = (own for own in ops_nested_in(module.operation) if isinstance(own, ReduceOp))
        assert dims_of_factors(op) == dims
        assert not sums_factors(op)
        assert sums_elements(op) is (case.element == "i8")
