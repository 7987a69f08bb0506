"""The compiled core against its interpreted twins and against written values."""

import random

import numpy as np
import pytest

from forebay.planning import (
    Buffer,
    ByteRange,
    Effort,
    Pool,
    Problem,
    ProblemError,
    live,
    plan,
)
from forebay.planning.core.library import available
from forebay.planning.search import holes
from forebay.planning.search.items import items_of
from forebay.planning.search.pack import pack
from forebay.planning.search.stack import Stack, whole_stack

pytestmark = pytest.mark.skipif(not available(), reason="the compiled core is not built")


def stack(seed: int) -> Stack:
    rng = random.Random(seed)
    buffers: list[Buffer] = []
    for i in range(60):
        start = rng.randrange(30)
        pin = 104 if i == 7 else None
        alignment = rng.choice([1, 4, 16])
        buffers.append(
            Buffer(
                f"b{i}",
                rng.randrange(1, 50),
                live(start, start + rng.randrange(1, 12)),
                ("ram",),
                16 if pin else alignment,
                pinned_offset=pin,
            )
        )
    pool = Pool("ram", alignment=8, base=8, start=5, reserved=(ByteRange(30, 40),))
    return whole_stack(items_of(Problem((pool,), tuple(buffers))))


@pytest.mark.parametrize("seed", range(10))
def test_compiled_first_fit_equals_interpreted(seed: int):
    order = list(range(60))
    random.Random(seed).shuffle(order)
    s = stack(seed)
    compiled = holes._compiled(s, np.array(order, np.int32))  # pyright: ignore
    assert compiled.tolist() == holes._interpreted(s, order).tolist()  # pyright: ignore


def test_the_budget_of_work_decides_and_not_the_clock():
    s = stack(3)
    first, second = (pack(s, 0, 2000, 10**6) for _ in range(2))
    assert first.work == second.work
    assert first.offsets is not None and second.offsets is not None
    assert first.offsets.tolist() == second.offsets.tolist()


def test_the_exact_planner_answers_the_same_twice():
    problem = stack(1).items.problem
    first, second = (plan(problem, "exact", Effort.LOW) for _ in range(2))
    assert first.placements == second.placements


@pytest.mark.parametrize(
    ("pool", "size"),
    [
        (Pool("ram", alignment=2**59), 4),
        (Pool("ram", base=2**61), 4),
        (Pool("ram", reserved=(ByteRange(0, 2**61),)), 4),
        (Pool("ram", start=2**61), 4),
        (Pool("ram"), 2**59),
    ],
)
def test_the_core_refuses_numbers_whose_sums_might_leave_64_bits(pool: Pool, size: int):
    # the problem is not checked here: three of 2^59 bytes or of its padding are above 2^60
    buffers = tuple(Buffer(name, size, live(0, 1), ("ram",)) for name in "abc")
    whole = whole_stack(items_of(Problem((pool,), buffers)))
    with pytest.raises(ProblemError, match="too large for first fit"):
        holes.first_fit(whole, [0, 1, 2])
    with pytest.raises(ProblemError, match="too large for the search"):
        pack(whole, 0, 2**60, 10**6)
