"""An op with blocks computes what it computes without: borders, remainders, counts and order."""

from __future__ import annotations

import numpy as np
import pytest
from common.host_jit import BUFFERS, HOST_LOWERING, lower
from common.reduce_cases import Case, check, source
from mlir import ir
from mlir.dialects import memref

from forebay.ir.nested import ops_nested_in


def axis(*terms: int, constant: int = 0) -> tuple[tuple[int, ...], int]:
    return terms, constant


def convolution(rng: np.random.Generator) -> Case:
    """A window over rows and columns with strides, dilation and padding."""
    height, width, channels, depth = (int(n) for n in rng.integers(1, 8, 4))
    kernel = rng.integers(2, 4, 2)
    stride, dilation, before = rng.integers(1, 3, 2), rng.integers(1, 3, 2), rng.integers(0, 3, 2)
    rows, columns = (int(n) for n in rng.integers(1, 10, 2))
    # y, x, c, ky, kx, k
    source = (
        axis(int(stride[0]), 0, 0, int(dilation[0]), 0, 0, constant=-int(before[0])),
        axis(0, int(stride[1]), 0, 0, int(dilation[1]), 0, constant=-int(before[1])),
        axis(0, 0, 0, 0, 0, 1),
    )
    weights = tuple(axis(*(int(d == own) for d in range(6))) for own in (2, 3, 4, 5))
    reduction = (int(kernel[0]), int(kernel[1]), depth)
    return Case(
        (rows, columns, channels),
        reduction,
        ((height, width, depth), (channels, *reduction)),
        (source, weights),
    )


def depthwise(rng: np.random.Generator) -> Case:
    """Each channel has a window of its own."""
    height, width, channels = (int(n) for n in rng.integers(2, 9, 3))
    stride, before = int(rng.integers(1, 3)), int(rng.integers(0, 2))
    source = (
        axis(stride, 0, 0, 1, 0, constant=-before),
        axis(0, stride, 0, 0, 1, constant=-before),
        axis(0, 0, 1, 0, 0),
    )
    weights = (axis(0, 0, 0, 1, 0), axis(0, 0, 0, 0, 1), axis(0, 0, 1, 0, 0))
    rows, columns = -(-height // stride), -(-width // stride)
    return Case(
        (rows, columns, channels),
        (3, 3),
        ((height, width, channels), (3, 3, channels)),
        (source, weights),
    )


def from_behind(rng: np.random.Generator) -> Case:
    """A transposed convolution gathers: its window runs against the direction of the output."""
    extent, kernel = (int(n) for n in rng.integers(3, 9, 2))
    return Case(
        (extent, 3),
        (kernel,),
        ((extent,), (3, kernel)),
        ((axis(1, 0, -1, constant=int(rng.integers(0, 3))),), (axis(0, 1, 0), axis(0, 0, 1))),
    )


def drawn_blocks(rng: np.random.Generator, case: Case) -> list[int]:
    parallel = [int(rng.integers(1, min(extent, 4) + 1)) for extent in case.parallel]
    divisors = [[n for n in range(1, e + 1) if e % n == 0] for e in case.reduction]
    return [*parallel, *(int(rng.choice(own)) for own in divisors)]


@pytest.mark.parametrize("seed", range(25))
@pytest.mark.parametrize("draw", [convolution, depthwise, from_behind])
def test_blocks_do_not_change_values(draw, seed: int) -> None:
    rng = np.random.default_rng(seed)
    case = draw(rng)
    check(case, drawn_blocks(rng, case))


def drawn_dims(rng: np.random.Generator, case: Case) -> list[int]:
    return [d for d in range(len(case.parallel)) if rng.integers(2)]


@pytest.mark.parametrize("seed", range(15))
@pytest.mark.parametrize("draw", [convolution, depthwise, from_behind])
def test_peeled_dimensions_do_not_change_values(draw, seed: int) -> None:
    """The counts of the points are right, too, at positions with loops of their own."""
    rng = np.random.default_rng(seed)
    case = draw(rng)
    check(case, drawn_blocks(rng, case), peeled=drawn_dims(rng, case))


@pytest.mark.parametrize("seed", range(15))
@pytest.mark.parametrize("draw", [convolution, depthwise, from_behind])
def test_a_peeled_row_of_a_box_has_constant_limits_inside(draw, seed: int) -> None:
    """Each row decides at run time which of its loops run."""
    rng = np.random.default_rng(seed)
    case = draw(rng)
    blocks = [1, *drawn_blocks(rng, case)[1:]]
    row = 0 if case.parallel[0] > 1 else None
    check(case, blocks, row=row, peeled=[0, *(d for d in drawn_dims(rng, case) if d > 0)])


def quantised(rng: np.random.Generator) -> Case:
    """A convolution of 8 bits with an offset, whose channels are the outermost dimension."""
    case = convolution(rng)
    order = (2, 0, 1, 3, 4, 5)
    forms = tuple(
        tuple((tuple(own[d] for d in order), constant) for own, constant in axes)
        for axes in case.forms
    )
    rows, columns, channels = case.parallel
    parallel, offset = (channels, rows, columns), int(rng.integers(-128, 129))
    return Case(parallel, case.reduction, case.shapes, forms, "i8", offset)


@pytest.mark.parametrize("seed", range(25))
def test_peeled_dimensions_keep_sums_that_begin_early(seed: int) -> None:
    rng = np.random.default_rng(seed)
    case = quantised(rng)
    check(case, drawn_blocks(rng, case), peeled=drawn_dims(rng, case))


@pytest.mark.parametrize("seed", range(25))
def test_a_peeled_row_keeps_sums_that_begin_early(seed: int) -> None:
    rng = np.random.default_rng(seed)
    case = quantised(rng)
    blocks = drawn_blocks(rng, case)
    blocks[1] = 1
    row = 1 if case.parallel[1] > 1 else None
    check(case, blocks, row=row, peeled=sorted({1, *drawn_dims(rng, case)}))


@pytest.mark.parametrize("seed", range(15))
def test_peeled_dimensions_keep_words(seed: int) -> None:
    """Words of the last dimension, which may be cut by the border."""
    rng = np.random.default_rng(seed)
    case = quantised(rng)
    lanes = 4 if case.reduction[-1] >= 4 else 1
    blocks = [*drawn_blocks(rng, case)[:-1], lanes]
    words = [1, 1, 1, 1, 1, lanes] if lanes > 1 else []
    check(case, blocks, words, peeled=drawn_dims(rng, case))


def test_an_index_of_two_reduction_dimensions_takes_no_blocks() -> None:
    case = Case((4,), (2, 3), ((5,),), ((((1, 1, 2), -1),),))
    with pytest.raises(ir.MLIRError, match="takes no blocks"):
        check(case, [2, 1, 1])


def test_a_window_contains_what_its_block_reads() -> None:
    """The rows of a window that are unrolled around the innermost loop belong to its view, too."""
    forms = (axis(1, 1, 0), axis(0, 0, 1)), (axis(0, 1, 0), axis(0, 0, 1))
    case = Case((4,), (2, 3), ((5, 3), (2, 3)), forms)
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(source(case, [2, 2, 1]))
        lower(module, HOST_LOWERING, BUFFERS, ("func.func(accel-lower-reduce)",))
        views = [op for op in ops_nested_in(module.operation) if isinstance(op, memref.SubViewOp)]
        sizes = {tuple(ir.DenseI64ArrayAttr(op.static_sizes)) for op in views}
    assert sizes == {(3, 3), (2, 3)}
