"""Times of operators whose work overlaps."""

from __future__ import annotations

from forebay.emulator.machine.operator_times import operator_times
from forebay.emulator.machine.timeline import HOST, Timeline, Work, require_rate


def test_overlapping_work_counts_once() -> None:
    timeline = Timeline()
    timeline.start(Work("load", "a", 10, 64), "load")
    timeline.start(Work("gemm", "a", 4), "run")
    timeline.wait(timeline.start(Work("gemm", "a", 20), "run"), Work("wait", "a"))
    (found,) = operator_times(timeline)
    assert found.cycles == 24
    assert found.busy == {"load": 10, "run": 24}
    assert found.bound == "run"


def test_gaps_do_not_count() -> None:
    timeline = Timeline()
    first = timeline.start(Work("load", "a", 10, 64), "load")
    second = timeline.start(Work("load", "b", 10, 64), "load")
    timeline.start(Work("gemm", "b", 7), "run", [second])
    timeline.start(Work("gemm", "a", 5), "run", [first])
    by_location = {found.location: found for found in operator_times(timeline)}
    assert by_location["a"].cycles == 15
    assert by_location["b"].cycles == 17


def test_the_host_may_be_what_bounds_an_operator() -> None:
    timeline = Timeline(require_rate(1))
    timeline.call(Work("gemm", "a", 5), "run")
    timeline.host(Work("linalg.generic", "a"), 6)
    (found,) = operator_times(timeline)
    assert (found.bound, found.cycles) == (HOST, 11)


def test_the_host_without_a_rate_has_no_time() -> None:
    timeline = Timeline()
    timeline.host(Work("linalg.generic", "a"), 6)
    assert operator_times(timeline) == []
