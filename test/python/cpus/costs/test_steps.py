"""Elements that compilers keep in registers: for later points of a body, and for later steps."""

import pytest

from forebay.cpus.costs.steps import carried, distances_of, work_of_elements
from forebay.cpus.costs.weighted_nest import BlockSizes, WeightedNest
from forebay.cpus.cpu import Cpu
from forebay.regions import LoopNest, OperandAccess, induction_variables

Y, X, C, L, K = range(5)
CPU = Cpu(name="plain", registers=16)


def windows(stride: int, depth: int) -> WeightedNest:
    """Windows of 3 rows and 3 columns in a padded image; columns and depth are one run."""
    y, x, c, row, k = induction_variables(5)
    source = OperandAccess((64, 64 * depth), (y * stride + row, x * (stride * depth) + k))
    weights = OperandAccess((16, 3, 3 * depth), (c, row, k))
    out = OperandAccess((16, 16, 16), (y, x, c))
    nest = LoopNest((16, 16, 16), (3, 3 * depth), (source, weights), (out,))
    return WeightedNest(nest, nest.inputs, (0, 0))


def carried_by(weighted: WeightedNest, block: BlockSizes, cpu: Cpu = CPU) -> int:
    return carried(weighted, [distances_of(own, 5) for own in weighted.ins], block, cpu)


@pytest.mark.parametrize(
    ("depth", "block", "kept"),
    [
        (3, {X: 2, C: 4}, 3),  # in[k + 3] is in[k] three steps later
        (3, {X: 4, C: 2}, 9),  # so are in[k + 6] and in[k + 9]
        (3, {Y: 2, C: 4}, 0),  # the other row is in another run
        (3, {X: 2, C: 4, K: 3}, 3),  # three elements of the next step
        (16, {X: 2, C: 4}, 0),  # sixteen steps are too far
        (4, {X: 2, C: 4}, 0),  # GCC keeps an element for three steps, not for four
        (12, {X: 2, C: 4, K: 4}, 12),  # three steps of four elements
        (16, {X: 2, C: 4, K: 4}, 0),
        (1, {X: 2, C: 4, K: 3}, 0),  # no row of the window is a row of the next one
        (1, {Y: 2, C: 4, K: 3}, 3),  # the second row becomes the first one
        (2, {X: 4, K: 6}, 0),  # the loop over rows has no rows in common
        (2, {X: 2, K: 3}, 2),  # in[k + 3] and in[k + 4] are in[k] and in[k + 1] of the next step
    ],
)
def test_elements_of_later_steps(depth: int, block: BlockSizes, kept: int) -> None:
    assert carried_by(windows(1, depth), block) == kept


def test_no_elements_are_kept_for_steps_behind_the_last_one() -> None:
    """A pixel of 8 channels is the next pixel two steps of 4 channels later, or 4 of 2."""
    x, k = induction_variables(2)
    source = OperandAccess((16, 8), (x, k))
    nest = LoopNest((16,), (8,), (source,), (OperandAccess((16,), (x,)),))
    weighted = WeightedNest(nest, nest.inputs, (0,))
    for steps in (2, 4, 8):
        assert carried(weighted, [distances_of(source, 2)], {0: 2, 1: steps}, CPU) == 0


def test_a_short_inner_loop_is_part_of_the_body() -> None:
    """The second of two rows of six elements is the first one of the next row of the window."""
    unrolling = Cpu(name="unrolling", registers=16, unrolled=2)
    assert carried_by(windows(1, 2), {Y: 2, K: 3}) == 0
    assert carried_by(windows(1, 2), {Y: 2, K: 3}, unrolling) == 6


@pytest.mark.parametrize(
    ("stride", "block", "waiting"),
    [
        (1, {X: 4, K: 3}, 3),  # 1, 2, 3 for the second point, then 2, 3, 4
        (2, {X: 4, K: 3}, 3),  # 2, 4, 6 from the first point to the third one
        (3, {X: 4, K: 3}, 0),  # windows without elements in common
        (1, {X: 2, K: 3}, 1),
    ],
)
def test_elements_of_later_points(stride: int, block: BlockSizes, waiting: int) -> None:
    weighted = windows(stride, 1)
    distances = [distances_of(own, 5) for own in weighted.ins]
    _, held = work_of_elements(weighted, distances, block, 1)
    assert held == 1 + 1 + waiting  # a weight, the element that is loaded, and those that wait
