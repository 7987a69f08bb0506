"""An error of planning names its buffers and pools as data, not only in its message."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from forebay.planning import Buffer, Interval, Placement, Plan, PlanningError, Pool, Problem, plan
from forebay.planning.contract.verify import verify

POOL = Pool("ram", capacity=64)


def buffer(name: str, size: int = 16, **settings: object) -> Buffer:
    return Buffer(name, size, (Interval(0, 2),), candidates=("ram",), **settings)  # pyright: ignore


def problem(*buffers: Buffer, pool: Pool = POOL) -> Problem:
    return Problem((pool,), buffers)


def wrong(placements: dict[str, tuple[str, int]], *buffers: Buffer) -> Callable[[], object]:
    places = {name: Placement(*place) for name, place in placements.items()}
    return lambda: verify(Plan(problem(*buffers), places, "test"))


CASES: dict[str, tuple[Callable[[], object], tuple[str, ...], tuple[str, ...]]] = {
    "unknown": (wrong({"x": ("ram", 0)}), ("x",), ()),
    "missing": (wrong({}, buffer("a")), ("a",), ()),
    "wrong pool": (wrong({"a": ("rom", 0)}, buffer("a")), ("a",), ("rom",)),
    "misaligned": (wrong({"a": ("ram", 1)}, buffer("a", alignment=16)), ("a",), ("ram",)),
    "outside": (wrong({"a": ("ram", 64)}, buffer("a")), ("a",), ("ram",)),
    "overlap": (
        wrong({"a": ("ram", 0), "b": ("ram", 8)}, buffer("a"), buffer("b")),
        ("b", "a"),
        ("ram",),
    ),
    "no size": (lambda: plan(problem(buffer("a", 0))), ("a",), ()),
    "no room": (lambda: plan(problem(buffer("a", 48), buffer("b", 32))), ("a", "b"), ("ram",)),
    "bad pool": (
        lambda: plan(problem(pool=Pool("ram", alignment=3))),
        (),
        ("ram",),
    ),
    "too large": (lambda: plan(problem(buffer("a", 2**61))), ("a",), ()),
}


@pytest.mark.parametrize("name", CASES)
def test_names_are_data(name: str) -> None:
    fails, buffers, pools = CASES[name]
    with pytest.raises(PlanningError) as caught:
        fails()
    assert (caught.value.buffers, caught.value.pools) == (buffers, pools)
    assert all(repr(named) in str(caught.value) for named in (*buffers, *pools))
