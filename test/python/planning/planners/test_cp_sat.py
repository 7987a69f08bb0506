import sys

import pytest

from forebay.planning import (
    Buffer,
    ByteRange,
    PlanInfeasibleError,
    Pool,
    Problem,
    certify,
    live,
    plan,
)
from forebay.planning.model.errors import ExtraMissingError

HERE = ("ram",)


def test_without_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "ortools.sat.python.cp_model", None)
    with pytest.raises(ExtraMissingError) as refusal:
        plan(Problem((Pool("ram"),), (Buffer("a", 8, live(0, 1), HERE),)), "cp-sat")
    assert str(refusal.value) == (
        "planner 'cp-sat' needs the package 'ortools', which is not installed: "
        "pip install 'forebay[cp-sat]'"
    )


class TestInstalled:
    @pytest.fixture(autouse=True)
    def _needs_ortools(self):
        pytest.importorskip("ortools", reason="pip install 'forebay[cp-sat]'")

    def test_a_lower_peak_than_any_order_reaches_is_proved(self):
        # best-of-orders 23; at tick 4 live b, c, d: 22
        rows = {
            "a": (9, 6, 10),
            "b": (8, 4, 5),
            "c": (7, 1, 5),
            "d": (7, 3, 7),
            "e": (8, 0, 2),
            "f": (2, 2, 4),
            "g": (4, 0, 4),
        }
        buffers = tuple(Buffer(n, size, live(s, e), HERE) for n, (size, s, e) in rows.items())
        problem = Problem((Pool("ram"),), buffers)
        assert plan(problem, "best-of-orders").peak("ram") == 23
        assert plan(problem, "cp-sat").peak("ram") == 22

    def test_a_bound_that_no_clique_shows_is_its_own_proof(self):
        # two of 3 bytes at multiples of 4 and one of 6: 0, 4, [8, 14); the cheap bound is 13
        buffers = (
            Buffer("a", 3, live(0, 1), HERE, 4),
            Buffer("b", 3, live(0, 1), HERE, 4),
            Buffer("c", 6, live(0, 1), HERE, 2),
        )
        (found,) = certify(plan(Problem((Pool("ram"),), buffers), "cp-sat"))
        assert (found.peak, found.optimal, found.argument) == (14, True, "CP-SAT")

    def test_the_cheapest_choice_of_pools_comes_before_the_peaks(self):
        pools = (
            Pool("fast", capacity=10, alignment=4, reserved=(ByteRange(0, 2),), base=4),
            Pool("slow"),
        )
        both = ("fast", "slow")
        buffers = (
            Buffer("a", 6, live(0, 2), both),
            Buffer("b", 4, live(1, 3), both, pinned_pool="fast", pinned_offset=4),
            Buffer("c", 5, live(2, 4), both),
        )
        problem = Problem(pools, buffers, (("a", "c"),))
        found = plan(problem, "cp-sat")
        assert (found.cost, found.peak("slow")) == (11, 11)

    def test_what_fits_nowhere_is_infeasible(self):
        buffers = tuple(Buffer(n, 8, live(0, 1), ("a", "b")) for n in "xyz")
        with pytest.raises(PlanInfeasibleError):
            plan(Problem((Pool("a", capacity=8), Pool("b", capacity=9)), buffers), "cp-sat")

    def test_no_buffers_need_no_bytes(self):
        assert plan(Problem((Pool("ram"),), ()), "cp-sat").peak("ram") == 0

    def test_a_low_peak_is_no_reason_to_spill(self):
        # everything in slow would have no weighted peak at all
        pools = (Pool("fast"), Pool("slow", weight=0))
        problem = Problem(pools, (Buffer("a", 8, live(0, 1), ("fast", "slow")),))
        assert plan(problem, "cp-sat").placements["a"].pool == "fast"
