"""Prints all planning figures side by side: `python benchmarks/planning [--quick] [--effort high]`.

Problems are read from the folder in $FOREBAY_SHARED (default ../shared), under `planning`.
"""

import argparse
import importlib.util
import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from math import exp, log
from pathlib import Path
from typing import Any

import others
import peers
from compiled import print_networks

from forebay.cli.progress import shown_progress
from forebay.planning import Effort, Plan, Planner, Problem, find_planner, lower_bound, read_problem
from forebay.planning.user import UserPlanner
from forebay.reports.table import show

sys.path.append(str(Path(__file__).parents[1]))
from measurement.table import count, figures

ROOT = Path(__file__).parents[2]
FOLDER = Path(os.environ.get("FOREBAY_SHARED", ROOT.parent / "shared")) / "planning"
SLOW = 3000
"""Buffers above which only planners that are made for it run."""
LARGEST = {"auto": 10**9, "best-of-orders": 10**9, "omni": 10**9, "cp-sat": 40}
"""Buffers up to which a planner runs, where that is not `SLOW`."""
HARD = [f"single_pool/minimalloc_{letter}.csv" for letter in "ACDFGIK"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="no problem above 3,000 buffers")
    parser.add_argument("--effort", choices=[e.value for e in Effort], default="normal")
    args = parser.parse_args()
    index = json.loads((FOLDER / "index.json").read_text())
    effort = Effort(args.effort)
    single = [e for e in index if e["file"].startswith("single_pool")]
    if args.quick:
        single = [e for e in single if e["n"] <= SLOW]
    hard = [e for e in single if e["file"] in HARD]
    ordinary = [e for e in single if e["file"] not in HARD]
    planners = contestants(effort)
    print_single("hard", hard, planners)
    print_single("ordinary", ordinary, planners)
    print_single("pinned", [e for e in index if e["file"].startswith("pinned")], ours(effort))
    print_two_pools([e for e in index if e["file"].startswith("two_pool")], effort)
    print_speed(effort)
    print_networks(effort)


def ours(effort: Effort) -> dict[str, Planner]:
    names = ("auto", "best-of-orders", "hill-climb")
    return {name: find_planner(name, effort) for name in names}


def contestants(effort: Effort) -> dict[str, Planner]:
    found = dict(ours(effort))
    for function in (
        others.usmp_by_size,
        others.usmp_by_conflicts,
        others.tflite_micro,
        others.iree,
    ):
        found[function.__name__] = UserPlanner(function.__name__, function)
    if importlib.util.find_spec("ortools") is not None:
        found["cp-sat"] = find_planner("cp-sat", Effort.LOW)
    for name, function in peers.omnimalloc_planners().items():
        found[name] = UserPlanner(name, function)
    return found


def read(entry: dict[str, Any]) -> Problem:
    problem = read_problem(FOLDER / entry["file"])
    if entry["file"].endswith(".csv"):
        pool = replace(problem.pools[0], alignment=entry["align"])
        problem = replace(problem, pools=(pool,))
    return problem


def timed(planner: Planner, problem: Problem) -> tuple[Plan, float]:
    started = time.perf_counter()
    return planner.plan(problem), time.perf_counter() - started


def print_single(
    title: str, entries: Sequence[dict[str, Any]], planners: dict[str, Planner]
) -> None:
    ratios: dict[str, list[float]] = {name: [] for name in planners}
    seconds = dict.fromkeys(planners, 0.0)
    rows: list[list[str]] = []
    with shown_progress() as show_stage:
        for entry in entries:
            show_stage(f"{title}: {entry['file']}")
            problem = read(entry)
            bound = lower_bound(problem, problem.pools[0]).bytes
            row = [title_of(entry), f"{entry['best_known_peak'] / bound:.4f}"]
            for name, planner in planners.items():
                if len(problem.buffers) > LARGEST.get(name, SLOW):
                    row.append("-")
                    continue
                plan, spent = timed(planner, problem)
                ratios[name].append(plan.peak(problem.pools[0].name) / bound)
                seconds[name] += spent
                row.append(f"{ratios[name][-1]:.4f} ({spent:6.2f})")
            rows.append(row)
    rows.append(summary("geo-mean", ratios, lambda r: exp(sum(map(log, r)) / len(r))))
    rows.append(summary("worst", ratios, max))
    at_bound = (f"{sum(x < 1 + 1e-9 for x in r)} of {len(r)}" for r in ratios.values())
    rows.append(["at the bound", "", *at_bound])
    rows.append(["seconds in all", "", *(f"{spent:.2f}" for spent in seconds.values())])
    head = ["problem", "best", *planners]
    show([f"\n{title}: peak / lower bound (seconds)", figures(head, rows)])
    if "omni" in ratios:
        pairs = zip(ratios["best-of-orders"], ratios["omni"], strict=True)
        behind = sum(ours > theirs + 1e-9 for ours, theirs in pairs)
        print(f"problems on which best-of-orders ends above omni: {behind} of {len(entries)}")


def title_of(entry: dict[str, Any]) -> str:
    return Path(entry["file"]).stem[:50]


def summary(
    title: str, ratios: dict[str, list[float]], figure: Callable[[list[float]], float]
) -> list[str]:
    return [title, "", *(f"{figure(r):.4f}" if r else "-" for r in ratios.values())]


def print_two_pools(entries: Sequence[dict[str, Any]], effort: Effort) -> None:
    rows: list[list[str]] = []
    with shown_progress() as show_stage:
        for entry in entries:
            show_stage(f"two pools: {entry['file']}")
            problem = read(entry)
            plan, spent = timed(find_planner("auto", effort), problem)
            greedy, _ = timed(find_planner("greedy-by-size"), problem)
            known = (entry["lb_spill_bytes"], entry["best_known_spill_bytes"])
            costs = map(count, (*known, plan.cost, greedy.cost))
            rows.append([title_of(entry), *costs, f"{spent:.2f}"])
    head = ["problem", "bound", "best known", "auto", "greedy", "seconds"]
    show(["\ntwo pools: cost of spilling, in bytes (seconds)", figures(head, rows)])
    for name in ("usmp_mobilenet_subgraph", "usmp_bounded_random150"):
        problem = read_problem(FOLDER / "usmp" / f"{name}.json")
        plan, spent = timed(find_planner("auto", effort), problem)
        peaks = ", ".join(f"{p.name} {plan.peak(p.name):,}" for p in problem.pools)
        print(f"{name}: {peaks} ({spent:.2f} s)")


def print_speed(effort: Effort) -> None:
    print("\nspeed: seconds for the first 1,000 buffers of somas_tiny_bert")
    problem = read_problem(FOLDER / "single_pool" / "somas_tiny_bert.csv")
    problem = replace(problem, buffers=problem.buffers[:1000])
    for name in ("best-of-orders", "auto"):
        _, spent = timed(find_planner(name, effort), problem)
        print(f"{name}: {spent:.3f}")


if __name__ == "__main__":
    main()
