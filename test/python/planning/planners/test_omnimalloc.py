import sys

import pytest

from forebay.planning import (
    Buffer,
    ByteRange,
    Interval,
    Kind,
    PlanInfeasibleError,
    Pool,
    Problem,
    live,
    plan,
)
from forebay.planning.model.errors import ExtraMissingError, UnsupportedProblemError

HERE = ("ram",)


def test_without_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "omnimalloc.allocators", None)
    with pytest.raises(ExtraMissingError) as refusal:
        plan(Problem((Pool("ram"),), (Buffer("a", 8, live(0, 1), HERE),)), "omnimalloc")
    assert str(refusal.value) == (
        "planner 'omnimalloc' needs the package 'omnimalloc', which is not installed: "
        "pip install 'forebay[omnimalloc]'"
    )


class TestInstalled:
    @pytest.fixture(autouse=True)
    def _needs_omnimalloc(self):
        pytest.importorskip("omnimalloc", reason="pip install 'forebay[omnimalloc]'")

    def test_bytes_are_reused(self):
        buffers = (
            Buffer("a", 10, live(0, 2), HERE),
            Buffer("b", 30, live(1, 3), HERE),
            Buffer("c", 20, live(2, 4), HERE),
        )
        assert plan(Problem((Pool("ram"),), buffers), "omnimalloc").peak("ram") == 50

    def test_alignment_base_start_reserved_bytes_and_pins_are_obeyed(self):
        # base 4: aligned to 8 are 4, 12, ...; 12 is the first from start 5; [20, 24) is reserved
        pool = Pool(
            "ram", capacity=100, alignment=4, reserved=(ByteRange(20, 24),), start=5, base=4
        )
        buffers = (
            Buffer("a", 8, live(0, 2), HERE, 8),
            Buffer("b", 3, live(1, 3), HERE),
            Buffer("p", 8, live(0, 3), HERE, pinned_offset=28),
            Buffer("w", 5, candidates=HERE, kind=Kind.CONSTANT),
        )
        found = plan(Problem((pool,), buffers), "omnimalloc")
        offsets = {name: place.offset for name, place in found.placements.items()}
        assert offsets["p"] == 28
        assert sorted(offsets.values()) == [12, 28, 36, 44]

    def test_what_does_not_fit_is_infeasible(self):
        buffers = tuple(Buffer(name, 8, live(0, 1), HERE) for name in "ab")
        with pytest.raises(PlanInfeasibleError):
            plan(
                Problem((Pool("ram", capacity=15, reserved=(ByteRange(15, 16),)),), buffers),
                "omnimalloc",
            )

    @pytest.mark.parametrize(
        ("problem", "message"),
        [
            (
                Problem((Pool("ram"),), (Buffer("a", 8, (Interval(0, 1), Interval(2, 3)), HERE),)),
                "planner 'omnimalloc' takes one life per buffer and no explicit conflicts, unlike "
                "pool 'ram'; try 'auto'",
            ),
            (
                Problem(
                    (Pool("ram"),),
                    (
                        Buffer("a", 8, live(0, 1), HERE, 64),
                        Buffer("b", 8, live(0, 1), HERE, pinned_offset=72),
                    ),
                ),
                "planner 'omnimalloc' places in steps of 64 bytes, the largest alignment in pool "
                "'ram', and a buffer there is pinned to 72; try 'auto'",
            ),
        ],
    )
    def test_what_it_cannot_express_is_refused(self, problem: Problem, message: str):
        with pytest.raises(UnsupportedProblemError) as refusal:
            plan(problem, "omnimalloc")
        assert str(refusal.value) == message
