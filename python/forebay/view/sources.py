"""The contents of a page, read from files: a project, a memory map, a planning problem."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec

from forebay.errors import Error
from forebay.formats.budget_report import BudgetReport
from forebay.formats.memory_map import MemoryMap
from forebay.formats.reading import read_file
from forebay.planning import plan, read_problem
from forebay.view.from_memory_map import data_of_memory_map
from forebay.view.from_plan import data_of_plan
from forebay.view.plan_data import PlanData, ShownBudget


class ViewError(Error):
    """A file or a directory that has no plan."""


class _Named(msgspec.Struct):
    format: str = ""


def is_plan_file(path: Path) -> bool:
    """Return whether `read_plan_file` reads the path: a directory, or a file of its suffixes."""
    return path.is_dir() or path.suffix in (".json", ".csv")


def require_plan_source(path: Path) -> None:
    """Raise `ViewError` if nothing has this path."""
    if not path.exists():
        raise ViewError(f"{path}: there is no such file or directory")


def read_plan_file(path: Path, planner: str) -> PlanData:
    """Return the plan of a project's directory, of a memory map, or of a planning problem.

    A problem is planned by this planner. Raises `Error` (its subclasses) for anything else.
    """
    require_plan_source(path)
    if path.is_dir():
        return data_of_memory_map(_read_map(_map_in(path)))
    if path.suffix == ".json" and _is_map(path):
        return data_of_memory_map(_read_map(path))
    return data_of_plan(plan(read_problem(path), planner))


def with_frontier(data: PlanData, report: BudgetReport) -> PlanData:
    """Return the plan with the budgets of a report of `forebay budget`."""
    frontier = tuple(
        ShownBudget(pool.pool, _described(one.loops), one.peak, one.added_instructions)
        for pool in report.pools
        for one in pool.plans
    )
    return msgspec.structs.replace(data, frontier=frontier)


def _described(loops: int) -> str:
    if not loops:
        return "whole tensors"
    return "1 loop over rows" if loops == 1 else f"{loops} loops over rows"


def _read_map(path: Path) -> MemoryMap:
    """Return a memory map whose indices all refer to something."""
    found = read_file(path, MemoryMap)
    pools = {pool.name for pool in (*found.pools, *(found.inside or ()))}
    buffers, steps = len(found.buffers), len(found.steps)
    for number, buffer in enumerate(found.buffers):
        uses = (*buffer.consumers, *(() if buffer.producer is None else (buffer.producer,)))
        _require(path, f"buffers[{number}]", "step", uses, steps)
        if buffer.pool not in pools:
            raise ViewError(f"{path}: $.buffers[{number}] is in the unknown pool '{buffer.pool}'")
    for number, step in enumerate(found.steps):
        _require(path, f"steps[{number}]", "buffer", (*step.reads, *step.writes), buffers)
        operator = () if step.operator is None else (step.operator,)
        _require(path, f"steps[{number}]", "operator", operator, len(found.operators))
    for number, pool in enumerate(found.pools):
        counted = () if pool.bound is None else pool.bound.buffers
        _require(path, f"pools[{number}]", "buffer", counted, buffers)
    return found


def _require(path: Path, place: str, noun: str, numbers: Iterable[int], count: int) -> None:
    wrong = next((number for number in numbers if number >= count), None)
    if wrong is not None:
        raise ViewError(f"{path}: $.{place} refers to {noun} {wrong} of {count}")


def _map_in(directory: Path) -> Path:
    maps = [path for path in sorted(directory.glob("*.json")) if _is_map(path)]
    if len(maps) != 1:
        found = ", ".join(path.name for path in maps) or "none"
        raise ViewError(
            f"{directory}: a directory of one project has one memory map; here: {found}. "
            "`forebay compile MODEL -o DIR` writes it"
        )
    return maps[0]


def _is_map(path: Path) -> bool:
    try:
        return msgspec.json.decode(path.read_bytes(), type=_Named).format == "forebay-memory-map"
    except (OSError, msgspec.DecodeError):
        return False
