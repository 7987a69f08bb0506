"""Registry of planners by name: each module of `planning.planners` has the planner of its name."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from forebay.planning import planners
from forebay.planning.contract.effort import Effort
from forebay.planning.contract.planner import Planner
from forebay.planning.model.errors import PlannerFailedError, UnknownPlannerError
from forebay.planning.model.plan import Plan
from forebay.planning.model.problem import Problem
from forebay.support.given import ObjectTable

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from forebay.planning.user import UserFunction

_GROUP = "forebay.planners"

_given: ObjectTable[Planner] = ObjectTable("planner")


@cache
def _modules() -> Mapping[str, str]:
    """Return the module of each built-in planner by the planner's name, sorted."""
    found = sorted(module.name for module in pkgutil.iter_modules(planners.__path__))
    return {name.replace("_", "-"): f"{planners.__name__}.{name}" for name in found}


def _built_in(name: str) -> type[Planner]:
    """Import one built-in planner; the others would take longer than planning a small network."""
    module = importlib.import_module(_modules()[name])
    for value in vars(module).values():
        is_planner = isinstance(value, type) and issubclass(value, Planner)
        if is_planner and getattr(value, "name", None) == name:
            return value
    raise PlannerFailedError(f"{module.__name__} does not define the planner '{name}'")


def planner_names() -> tuple[str, ...]:
    """Return the names that `find_planner` and `plan` accept.

    Built-in planners come first, then the planners of installed packages.
    """
    return (*_modules(), *(entry.name for entry in _entry_points()))


def find_planner(name: str, effort: Effort = Effort.NORMAL) -> Planner:
    """Return the planner with this name, or load it from a Python file if the name ends in `.py`.

    Raises `UnknownPlannerError`, which lists the known names, when no planner has this name.
    Raises `PlannerFailedError` when the planner cannot be loaded.
    """
    given = _given.get(name)
    if given is not None:
        return given
    if name.endswith(".py"):
        from forebay.planning.user import load_planner_file  # noqa: PLC0415  (seldom used)

        return load_planner_file(Path(name), effort)
    if name in _modules():
        return _built_in(name)(effort)
    for entry in _entry_points():
        if entry.name == name:
            return _load(entry, effort)
    names = ", ".join(planner_names())
    raise UnknownPlannerError(f"there is no planner '{name}'; known planners: {names}")


def name_for_planner(planner: Planner) -> str:
    """Return a name by which `find_planner` finds this planner object.

    The name is valid while a reference to the planner exists.
    """
    return _given.name_for(planner)


def planner_of(given: str | Path | Planner | UserFunction) -> Planner:
    """Return the planner for a name, the path of a Python file, a `Planner` or a function."""
    if isinstance(given, Planner):
        return given
    if isinstance(given, str | Path):
        return find_planner(str(given))
    from forebay.planning.user import function_planner  # noqa: PLC0415  (seldom used)

    return function_planner(given)


def _load(entry: EntryPoint, effort: Effort) -> Planner:
    from forebay.planning.user import UserPlanner  # noqa: PLC0415  (seldom used)

    try:
        found = entry.load()
        if isinstance(found, type) and issubclass(found, Planner):
            return found(effort)
    except Exception as error:
        raise PlannerFailedError(
            f"planner '{entry.name}' of '{entry.value}' does not load: "
            f"{type(error).__name__}: {error}"
        ) from error
    return UserPlanner(entry.name, found, effort)


def _entry_points() -> list[EntryPoint]:
    """Return the entry points of installed packages, each a `Planner` class or a user function.

    Module `user` describes the signature of such a function.
    """
    from importlib.metadata import entry_points  # noqa: PLC0415  (15 ms, for unknown names only)

    return sorted(entry_points(group=_GROUP), key=lambda entry: entry.name)


def plan(
    problem: Problem,
    planner: str | Planner | UserFunction = "auto",
    effort: Effort = Effort.NORMAL,
) -> Plan:
    """Plan a problem with a planner object, a function, or the planner of that name.

    Raises the errors of `find_planner` and `Planner.plan`.
    """
    chosen = find_planner(planner, effort) if isinstance(planner, str) else planner_of(planner)
    return Planner.plan(chosen, problem)  # a subclass cannot bypass the checks by overriding `plan`
