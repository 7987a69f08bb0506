"""Claims about plans with rigid blocks."""

from __future__ import annotations

from itertools import permutations
from random import Random

import pytest

from forebay.planning import Buffer, Pool, Problem, certify, live, plan
from forebay.planning.model.errors import PlanInfeasibleError
from forebay.planning.search.exact import block_offsets, with_pinned_blocks
from forebay.planning.search.items import items_of
from forebay.planning.search.stack import whole_stack


def _image(rows: int, size: int) -> list[Buffer]:
    """Return the rows of an image that die one after the other."""
    return [
        Buffer(
            f"x[{y}]", size, live(0, y + 1), ("ws",), alignment=1, block="x", block_offset=size * y
        )
        for y in range(rows)
    ]


def _problem(*buffers: Buffer, **pool) -> Problem:
    return Problem((Pool("ws", **pool),), buffers)


def test_a_result_grows_into_the_dead_rows_of_an_image():
    results = [Buffer(f"y[{y}]", 10, live(y, 9), ("ws",), alignment=1) for y in range(8)]
    found = plan(_problem(*_image(8, 10), *results))
    assert found.peak("ws") == 90
    assert certify(found)[0].optimal


def test_larger_rows_take_the_bytes_below_a_block_at_the_top():
    results = [Buffer(f"y[{y}]", 25, live(2 * y + 1, 9), ("ws",), alignment=1) for y in range(4)]
    found = plan(_problem(*_image(8, 10), *results))
    live_bytes = max(
        sum(b.size for b in found.problem.buffers if b.lifetime[0].start <= t < b.lifetime[0].end)
        for t in range(9)
    )
    assert found.peak("ws") == live_bytes == 110
    assert found.placements["x[0]"].offset > 0


def test_blocks_below_each_other_at_the_top_and_at_the_bottom():
    two = [
        Buffer(f"{name}[{y}]", 6, live(0, 4), ("ws",), alignment=2, block=name, block_offset=6 * y)
        for name in "xz"
        for y in range(2)
    ]
    stack = whole_stack(items_of(_problem(*two, alignment=4)))
    choices = list(block_offsets(stack, stack.sizes * 0, 33))
    assert choices == [{0: 20, 1: 8}, {0: 0, 1: 12}, {0: 0, 1: 0}]
    assert with_pinned_blocks(stack, choices[2]) is None
    pinned = with_pinned_blocks(stack, choices[0])
    assert pinned is not None
    assert pinned.pins.tolist() == [20, 26, 8, 14]


def test_a_capacity_is_kept_or_refused():
    results = [Buffer(f"y[{y}]", 10, live(y, 9), ("ws",), alignment=1) for y in range(8)]
    assert plan(_problem(*_image(8, 10), *results, capacity=90)).peak("ws") == 90
    with pytest.raises(PlanInfeasibleError) as caught:
        plan(_problem(*_image(8, 10), *results, capacity=89))
    assert caught.value.proved


@pytest.mark.parametrize("seed", range(30))
def test_small_random_problems_are_near_the_best_of_all_orders(seed):
    random = Random(seed)
    buffers = _image(random.randint(2, 5), random.randint(1, 9))
    for number in range(random.randint(1, 4)):
        start = random.randint(0, 5)
        size, end = random.randint(1, 12), start + random.randint(1, 4)
        buffers.append(Buffer(f"y{number}", size, live(start, end), ("ws",), alignment=1))
    found = plan(_problem(*buffers))
    assert found.peak("ws") <= min(_first_fit(buffers, order) for order in _orders(buffers))


def _orders(buffers: list[Buffer]):
    names = sorted({buffer.block or buffer.name for buffer in buffers})
    return permutations(names)


def _first_fit(buffers: list[Buffer], order: tuple[str, ...]) -> int:
    """Place blocks and buffers at the lowest byte without an overlap, one byte after the other."""
    placed: list[tuple[int, Buffer]] = []
    for name in order:
        members = [b for b in buffers if (b.block or b.name) == name]
        base = 0
        while any(
            one.live_with(other)
            and base + one.block_offset < low + other.size
            and low < base + one.block_offset + one.size
            for one in members
            for low, other in placed
        ):
            base += 1
        placed += [(base + member.block_offset, member) for member in members]
    return max(low + buffer.size for low, buffer in placed)


def test_rows_that_live_one_after_the_other_leave_their_bytes_to_others():
    # rows of 64 bytes live at [0, 2), [4, 6), [8, 10); each other is beside one or two of them
    rows = [
        Buffer(f"x[{n}]", 64, live(4 * n, 4 * n + 2), ("ws",), block="x", block_offset=64 * n)
        for n in range(3)
    ]
    times = {"a": (0, 4), "b": (2, 8), "c": (6, 10)}
    others = [Buffer(name, 64, live(*life), ("ws",)) for name, life in times.items()]
    assert plan(_problem(*others, *rows)).peak("ws") == 192
