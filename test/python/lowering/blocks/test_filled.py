"""Whether elements that are outside can be filled, and where they are."""

from __future__ import annotations

import numpy as np
import pytest
from common.host_jit import BUFFERS, HOST_LOWERING, lower
from common.reduce_cases import Case, check, source
from mlir import ir
from mlir.dialects import arith

from forebay.dialects.accel import LoadBetweenOp, ReduceOp
from forebay.ir.memory.linear import Linear
from forebay.ir.nested import ops_nested_in
from forebay.lowering.blocks.filled import dim_of_fill, load_filled, takes_fill
from forebay.lowering.loops.window_bounds import IndexClamp


def run(length: int, offset: int) -> Case:
    """Windows of a run that may begin before the memory, by channel and position."""
    source_, weights = (((0, 1, 1), -2),), (((1, 0, 0), 0), ((0, 0, 1), 0))
    return Case((4, 9), (length,), ((8,), (4, length)), (source_, weights), "i8", offset)


@pytest.mark.parametrize(
    ("length", "offset", "fills"),
    [(16, 128, True), (16, -127, True), (16, 129, False), (17, 128, False), (18, 128, True)],
)
def test_fills_need_8_bits_and_words(length: int, offset: int, fills: bool) -> None:
    case = run(length, offset)
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(source(case, [1, 1, 16], [1, 1, 16]))
        lower(module, HOST_LOWERING, BUFFERS)
        (op,) = (own for own in ops_nested_in(module.operation) if isinstance(own, ReduceOp))
        assert takes_fill(op) is fills


@pytest.mark.parametrize(
    ("length", "cpu", "fills"),
    [
        (8, "cortex-m55", True),
        (12, "cortex-m55", True),
        (10, "cortex-m55", False),
        (8, "cortex-m4", False),
        (8, None, False),
    ],
)
def test_whole_words_are_filled_where_the_processor_does_so(
    length: int, cpu: str | None, fills: bool
) -> None:
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(source(run(length, 128), [1, 1, 4], [1, 1, 4], cpu))
        lower(module, HOST_LOWERING, BUFFERS)
        (op,) = (own for own in ops_nested_in(module.operation) if isinstance(own, ReduceOp))
        assert takes_fill(op) is fills


@pytest.mark.parametrize(
    ("base", "sums", "dim"),
    [
        (Linear({1: 1}, -2), 8, 1),
        (Linear({0: 3}, -2), 8, 0),
        (Linear({0: 1, 1: 1}, -2), 8, None),
        (Linear({1: 16}, -16), 8, None),
        (Linear({1: 3}, -2), 1, 1),
        (Linear({0: 16}, -16), 1, None),
        (Linear({0: 3}, -2), 1, None),
        (Linear({}, -17), 1, None),
    ],
)
def test_the_dimension_that_cuts_words_with_partial_sums_is_filled(
    base: Linear[int], sums: int, dim: int | None
) -> None:
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(source(run(16, 128), [1, 1, 16], [1, 1, 16]))
        lower(module, HOST_LOWERING, BUFFERS)
        (op,) = (own for own in ops_nested_in(module.operation) if isinstance(own, ReduceOp))
        if sums > 1:
            op.partial_sums = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), sums)
        cut = IndexClamp(2, 1, base, 16, True, True, False)
        assert dim_of_fill(op, [cut]) == dim


@pytest.mark.parametrize("seed", range(8))
def test_filled_words_of_four_elements_give_the_same_bits(seed: int) -> None:
    rng = np.random.default_rng(seed)
    case = run(int(rng.choice([4, 8, 12])), int(rng.choice([128, -3, 5, -127])))
    blocks = [int(rng.integers(1, 4)), int(rng.integers(1, 5)), 4]
    check(case, blocks, [1, 1, 4], "cortex-m55")


def test_an_axis_whose_indices_are_inside_has_no_limit() -> None:
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse("func.func private @f(%m: memref<4x8xi8>, %i: index) { return }")
        function = module.body.operations[0]
        block = function.regions[0].blocks[0]
        memory, index = block.arguments
        with ir.InsertionPoint(block.operations[0]):
            word = load_filled(memory, [index, index], [None, None], (16, -5))
            limited = load_filled(memory, [index, index], [4, 8], (16, -5))
        first, second = word.owner.opview, limited.owner.opview
        assert isinstance(first, LoadBetweenOp)
        ends = [own.owner.opview for own in (first.begin, first.end)]
        assert [own.literal_value for own in ends if isinstance(own, arith.ConstantOp)] == [0, 16]
        assert first.fill.value == -5
        assert isinstance(second.begin.owner.opview, arith.MinSIOp)
        assert isinstance(second.end.owner.opview, arith.SelectOp)
