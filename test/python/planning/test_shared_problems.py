"""Figures on the shared problems; the whole set is benchmarks/planning's."""

from dataclasses import replace
from typing import Any

import pytest
from common import shared_problems as shared

from forebay.planning import Problem, certify_pool, plan, read_problem
from forebay.planning.core.library import available

pytestmark = [
    shared.needs_problems,
    pytest.mark.skipif(not available(), reason="the compiled core is not built"),
]
LARGEST = 600


def read(entry: dict[str, Any]) -> Problem:
    problem = read_problem(shared.FOLDER / entry["file"])
    if entry["file"].endswith(".csv"):
        pool = replace(problem.pools[0], alignment=entry["align"])
        problem = replace(problem, pools=(pool,))
    return problem


def by_file(entry: dict[str, Any]) -> str:
    return entry["file"]


SINGLE = [e for e in shared.entries("single_pool") if e["n"] <= LARGEST]
SOLVED = [e for e in SINGLE if "minimalloc_D" not in e["file"]]
REAL = [e for e in shared.entries("two_pool") if "minimalloc" not in e["file"]]


@pytest.mark.parametrize("entry", SOLVED, ids=by_file)
def test_auto_reaches_the_best_known_peak(entry: dict[str, Any]):
    found = plan(read(entry))
    # the index rounds the topmost size up to the alignment; a plan need not
    best = entry["best_known_peak"]
    assert best - entry["align"] < found.peak("memory") <= best
    assert certify_pool(found, "memory").optimal


def test_minimalloc_d_is_open_and_at_most_8_percent_over_its_bound():
    entry = next(e for e in SINGLE if "minimalloc_D" in e["file"])
    found = plan(read(entry))
    assert 1_024_000 <= found.peak("memory") <= 1.08 * 986_112
    assert not certify_pool(found, "memory").optimal


@pytest.mark.parametrize("entry", shared.entries("pinned"), ids=by_file)
def test_pinned_problems_reach_their_optimum(entry: dict[str, Any]):
    found = plan(read(entry))
    assert found.peak("memory") == entry["best_known_peak"]


@pytest.mark.parametrize("entry", REAL, ids=by_file)
def test_no_more_bytes_are_spilled_than_the_best_known(entry: dict[str, Any]):
    assert plan(read(entry)).cost == entry["best_known_spill_bytes"]


def test_usmp_mobilenet_subgraph():
    found = plan(read_problem(shared.FOLDER / "usmp" / "usmp_mobilenet_subgraph.json"))
    assert (found.peak("fast_memory"), found.peak("slow_memory")) == (200_704, 1_117_462)


def test_usmp_bounded_random_on_a_general_conflict_graph():
    found = plan(read_problem(shared.FOLDER / "usmp" / "usmp_bounded_random150.json"))
    assert found.peak("default") <= 65_535
    assert found.peak("slow") == 64_408


@pytest.mark.parametrize("planner", ["greedy-by-size", "greedy-by-conflicts"])
def test_usmp_orders_break_ties_by_name(planner: str):
    problem = read_problem(shared.FOLDER / "usmp" / "usmp_name_based_ordering.json")
    offsets = {name: p.offset for name, p in plan(problem, planner).placements.items()}
    assert offsets == {"bi_a": 20, "bi_b": 10, "bi_c": 0}
