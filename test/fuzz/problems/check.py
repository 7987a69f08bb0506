"""What holds for every planner on every problem; see the package."""

from __future__ import annotations

from collections import Counter
from importlib.util import find_spec
from random import Random

from forebay.planning import (
    Placement,
    Plan,
    PlanInfeasibleError,
    PlanRefusedError,
    Problem,
    ProblemError,
    certify,
    plan,
    planner_names,
    verify,
)
from forebay.planning.formats.json_problem import parse_json_problem, print_json_problem
from forebay.planning.model.errors import UnsupportedProblemError
from fuzz.cases import Wrong
from fuzz.problems.draw import draw_problem, scaled
from fuzz.problems.oracle import Oracle

EXACT = {"auto", "exact"}
EXTRAS = {"cp-sat": "ortools", "omnimalloc": "omnimalloc"}
CHOICES = 256
"""With so few ways to choose pools the exact planners try all of them."""


def check(seed: int) -> Counter[str]:
    """Judge every planner on the problem of this number."""
    problem, rng = draw_problem(seed), Random(seed)
    counts: Counter[str] = Counter()
    try:
        problem.check()
    except ProblemError as error:
        _refused_rightly(problem, str(error))
        return Counter({"problems that contradict themselves": 1})
    oracle = Oracle(problem)
    counts["problems with a plan" if oracle.best else "problems without a plan"] += 1
    if parse_json_problem(print_json_problem(problem), "") != problem:
        raise Wrong("the problem is another one after writing and reading")
    for name in _planners(rng):
        _check_planner(name, problem, oracle, counts, rng)
    _check_scaled(problem, rng, counts)
    return counts


def _planners(rng: Random) -> list[str]:
    """All that are installed; CP-SAT, which is slow, now and then."""
    slow = rng.random() < 0.05
    return [
        name
        for name in planner_names()
        if name not in EXTRAS or (find_spec(EXTRAS[name]) and (name != "cp-sat" or slow))
    ]


def _refused_rightly(problem: Problem, message: str) -> None:
    """A pin that its pool does not allow leaves no plan."""
    if "pinned to" not in message or "several candidate pools" in message:
        return
    if "members of alias group" not in message and Oracle(problem).best is not None:
        raise Wrong(f"refused although there is a plan: {message}")


def _check_planner(
    name: str, problem: Problem, oracle: Oracle, counts: Counter[str], rng: Random
) -> None:
    complete = name in EXACT and oracle.choices <= CHOICES
    try:
        found = plan(problem, name)
    except UnsupportedProblemError:
        counts["problems that a planner cannot express"] += 1
        return
    except PlanInfeasibleError as error:
        if oracle.best is not None and (error.proved or complete):
            raise Wrong(f"{name}: no plan, but there is one of {oracle.best}: {error}") from error
        counts["refusals, proved" if error.proved else "refusals, not proved"] += 1
        return
    except ProblemError as error:
        if oracle.best is not None:
            raise Wrong(f"{name}: {error}, but there is a plan of {oracle.best}") from error
        counts["refusals, proved"] += 1
        return
    counts["plans"] += 1
    _check_plan(name, found, oracle, counts)
    if complete and oracle.value(found.placements) != oracle.best:
        raise Wrong(f"{name}: {oracle.value(found.placements)}, the best is {oracle.best}")
    _check_verifier(found, oracle, rng, counts)


def _check_plan(name: str, found: Plan, oracle: Oracle, counts: Counter[str]) -> None:
    fault = oracle.fault(found.placements)
    if fault is not None:
        raise Wrong(f"{name}: {fault}")
    value = oracle.value(found.placements)
    if oracle.best is None or value < oracle.best:
        raise Wrong(f"{name}: {value} is below {oracle.best}, the best by brute force")
    if value != (found.cost, found.weighted_peaks):
        raise Wrong(f"{name}: says {found.cost, found.weighted_peaks}, but it is {value}")
    for pool, certificate in zip(found.problem.pools, certify(found), strict=True):
        lowest = oracle.lowest(pool, oracle.inside(found.placements, pool))
        peak = oracle.peak(found.placements, pool)
        if lowest is None or certificate.lower_bound > lowest:
            raise Wrong(f"{name}: bound {certificate.lower_bound} of '{pool.name}', not {lowest}")
        if certificate.peak != peak or certificate.optimal != (peak == certificate.lower_bound):
            raise Wrong(f"{name}: {certificate}, but the peak is {peak}")
        counts["pools proved optimal" if certificate.optimal else "pools with a gap"] += 1


def _check_verifier(found: Plan, oracle: Oracle, rng: Random, counts: Counter[str]) -> None:
    """The project's verification agrees with brute force on a plan with one place changed."""
    name, (pool, offset) = rng.choice(list(found.placements.items()))
    pools = [pool, *(p.name for p in found.problem.pools)]
    moved = Placement(rng.choice(pools), max(0, offset + rng.randint(-6, 6)))
    places = {**found.placements, name: moved}
    fault = oracle.fault(places)
    try:
        verify(Plan(found.problem, places, found.planner))
    except PlanRefusedError as refusal:
        if fault is None:
            raise Wrong(f"verification refuses a right plan, {places}: {refusal}") from refusal
        counts["wrong plans refused"] += 1
        return
    if fault is not None:
        raise Wrong(f"verification accepts {places}: {fault}")


def _check_scaled(problem: Problem, rng: Random, counts: Counter[str]) -> None:
    """In units of 2^k bytes the plan is as good, or the problem is refused as too large."""
    large = scaled(problem, 2 ** rng.choice([20, 40, 50, 53, 55, 57, 59, 61, 62, 63]))
    for name in ("exact", "first-fit", "hill-climb"):
        try:
            found = plan(large, name)
        except PlanInfeasibleError:
            continue
        except ProblemError as error:
            if "pinned onto each other" in str(error):
                continue
            if "too large" not in str(error) and "0 to 2^63 - 1" not in str(error):
                raise Wrong(f"{name} on large numbers: {error}") from error
            counts["large problems refused"] += 1
            continue
        _check_large(name, found, problem, counts)


def _check_large(name: str, found: Plan, small: Problem, counts: Counter[str]) -> None:
    factor = found.problem.buffers[0].size // small.buffers[0].size
    if any(offset % factor for _, offset in found.placements.values()):
        raise Wrong(f"{name} on numbers x {factor:,}: offsets between units: {found.placements}")
    places = {n: Placement(p, o // factor) for n, (p, o) in found.placements.items()}
    oracle = Oracle(small)
    fault = oracle.fault(places)
    if fault is not None:
        raise Wrong(f"{name} on numbers x {factor:,}: {fault}")
    if name == "exact" and oracle.choices <= CHOICES and oracle.value(places) != oracle.best:
        raise Wrong(f"{name} on numbers x {factor:,}: {oracle.value(places)}, not {oracle.best}")
    counts["large problems planned"] += 1
