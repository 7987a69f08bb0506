"""Planners by name: every module of `forebay.planning.planners` that has a `Planner` in it."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache

from forebay.planning import planners
from forebay.planning.effort import Effort
from forebay.planning.errors import UnknownPlannerError
from forebay.planning.plan import Plan
from forebay.planning.planner import Planner
from forebay.planning.problem import Problem


@cache
def known_planners() -> Mapping[str, type[Planner]]:
    """The planner classes by name, sorted."""
    found: dict[str, type[Planner]] = {}
    for module in pkgutil.iter_modules(planners.__path__, f"{planners.__name__}."):
        for value in vars(importlib.import_module(module.name)).values():
            if isinstance(value, type) and issubclass(value, Planner) and hasattr(value, "name"):
                found[value.name] = value
    return dict(sorted(found.items()))


def planner_names() -> tuple[str, ...]:
    """Names that `find_planner` and `plan` accept."""
    return tuple(known_planners())


def find_planner(name: str, effort: Effort = Effort.NORMAL) -> Planner:
    """The planner of that name; raises `UnknownPlannerError` with the known names."""
    known = known_planners()
    if name not in known:
        names = ", ".join(known)
        raise UnknownPlannerError(f"there is no planner '{name}'; known planners: {names}")
    return known[name](effort)


def plan(problem: Problem, planner: str | Planner = "auto", effort: Effort = Effort.NORMAL) -> Plan:
    """Plan a problem with a planner or the planner of that name; see `Planner.plan` for errors."""
    chosen = find_planner(planner, effort) if isinstance(planner, str) else planner
    return chosen.plan(problem)
