import pytest

from forebay.planning import Buffer, PlanInfeasibleError, Pool, Problem, ProblemError, live
from forebay.planning.contract.feasible import check_feasible

BOTH = ("fast", "slow")


def check(*buffers: Buffer, conflicts: tuple[tuple[str, str], ...] = ()) -> None:
    check_feasible(Problem((Pool("fast", capacity=8), Pool("slow")), buffers, conflicts))


def test_buffers_that_can_go_elsewhere_are_no_shortage():
    check(*(Buffer(name, 8, live(0, 1), BOTH) for name in "ab"))


def test_buffers_with_one_pool_must_fit_into_it():
    with pytest.raises(PlanInfeasibleError) as caught:
        check(*(Buffer(name, 5, live(0, 1), ("fast",)) for name in "ab"))
    error = caught.value
    assert (error.pool, error.needed, error.available, error.proved) == ("fast", 10, 8, True)
    assert [live.buffer for live in error.live] == ["a", "b"]


def pinned(name: str, offset: int, begin: int, end: int, alias: str | None = None) -> Buffer:
    return Buffer(name, 4, live(begin, end), ("fast",), pinned_offset=offset, alias=alias)


def test_pins_may_share_bytes_at_different_times():
    check(pinned("a", 0, 0, 1), pinned("b", 2, 1, 2))
    check(pinned("a", 0, 0, 2), pinned("b", 4, 0, 2))
    check(pinned("a", 0, 0, 2, "g"), pinned("b", 0, 1, 3, "g"))


@pytest.mark.parametrize("how", ["lifetimes", "pairs"])
def test_pins_onto_each_other_contradict_the_problem(how: str):
    end = 2 if how == "lifetimes" else 1
    conflicts = (("a", "b"),) if how == "pairs" else ()
    with pytest.raises(ProblemError, match=r"'a' at \[0, 4\) and 'b' at \[3, 7\)"):
        check(pinned("a", 0, 0, end), pinned("b", 3, 1, 2), conflicts=conflicts)
