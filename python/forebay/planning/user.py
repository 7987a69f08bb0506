"""Planners of the user's own: a function in a file outside the tree, its answer verified.

::

    def plan(buffers, pools):
        return {buffer.name: (pool name, offset in bytes) for every buffer}
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from forebay.planning.contract.conflicts import conflict_sets
from forebay.planning.contract.effort import Effort
from forebay.planning.contract.planner import Planner
from forebay.planning.model.buffer import Lifetime
from forebay.planning.model.errors import PlannerFailedError
from forebay.planning.model.pool import Pool
from forebay.planning.model.problem import Problem
from forebay.support.user_code import place_of, summary


@dataclass(frozen=True)
class UserBuffer:
    """What a user's function sees of a buffer.

    `size`: bytes to keep for it; all buffers of an alias group need as many as the largest.
    `alignment`: bytes, the largest that any candidate pool asks for. `conflicts`: names of the
    buffers that must not share bytes with it. `alias`: buffers with the same one share an address.
    """

    name: str
    size: int
    alignment: int
    lifetime: Lifetime
    conflicts: tuple[str, ...]
    candidates: tuple[str, ...]
    pinned_offset: int | None
    alias: str | None


UserFunction = Callable[[Sequence[UserBuffer], Sequence[Pool]], Mapping[str, tuple[str, int]]]


class UserPlanner(Planner):
    """Runs a user's function under the contract of all planners."""

    def __init__(self, name: str, function: UserFunction, effort: Effort = Effort.NORMAL) -> None:
        super().__init__(effort)
        self.name = name
        self._function = function

    def _place(self, problem: Problem) -> Any:
        return self._function(user_buffers(problem), problem.pools)


def load_file(path: Path, effort: Effort = Effort.NORMAL) -> UserPlanner:
    """The planner in a Python file that defines `plan(buffers, pools)`."""
    spec = importlib.util.spec_from_file_location(f"forebay_user_{path.stem}", path)
    if not path.is_file() or spec is None or spec.loader is None:
        raise PlannerFailedError(f"there is no planner file '{path}'")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise PlannerFailedError(
            f"planner file '{path}' does not load: {summary(error)}", place_of(error)
        ) from error
    function: Any = getattr(module, "plan", None)
    if not callable(function):
        raise PlannerFailedError(f"planner file '{path}' has no function plan(buffers, pools)")
    return UserPlanner(path.stem, cast(UserFunction, function), effort)


def function_planner(function: Any) -> UserPlanner:
    """The planner that a function plan(buffers, pools) is."""
    if not callable(function):
        raise PlannerFailedError(
            f"{function!r} is no planner: give a name, a file, a Planner or a function "
            "plan(buffers, pools)"
        )
    name = getattr(function, "__name__", type(function).__name__)
    return UserPlanner(name.strip("<>"), cast(UserFunction, function))


def user_buffers(problem: Problem) -> tuple[UserBuffer, ...]:
    """The buffers of a problem as a user's function sees them."""
    conflicts = conflict_sets(problem, [buffer.name for buffer in problem.buffers])
    return tuple(
        UserBuffer(
            b.name,
            max(problem.taken_in(b, problem.pool_by_name[name]) for name in b.pools),
            max(problem.alignment_in(b, problem.pool_by_name[name]) for name in b.pools),
            b.lifetime,
            tuple(sorted(conflicts[b.name])),
            b.pools,
            problem.pin_of(b),
            b.alias,
        )
        for b in problem.buffers
    )
