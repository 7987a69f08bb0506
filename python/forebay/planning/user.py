"""Planners that the user writes: a function in a Python file, whose answer is verified.

The function has this form::

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
from forebay.planning.model.problem import Problem
from forebay.pools import Pool
from forebay.support.user_code import error_summary, location_of


@dataclass(frozen=True)
class UserBuffer:
    """A buffer in the form that a user's function receives.

    `size`: bytes to allocate; in an alias group, the size of the largest member.
    `alignment`: bytes, the largest that any candidate pool requires.
    `conflicts`: names of the buffers that must not share bytes with this one.
    `alias`: buffers with the same `alias` share one address.
    `block`: buffers with the same `block` are `block_offset` bytes above its beginning.
    """

    name: str
    size: int
    alignment: int
    lifetime: Lifetime
    conflicts: tuple[str, ...]
    candidates: tuple[str, ...]
    pinned_offset: int | None
    alias: str | None
    block: str | None
    block_offset: int


UserFunction = Callable[[Sequence[UserBuffer], Sequence[Pool]], Mapping[str, tuple[str, int]]]


class UserPlanner(Planner):
    """A planner that calls a user's function and applies the same checks as for every planner."""

    def __init__(self, name: str, function: UserFunction, effort: Effort = Effort.NORMAL) -> None:
        super().__init__(effort)
        self.name = name
        self._function = function

    def _place(self, problem: Problem) -> Any:
        return self._function(user_buffers(problem), problem.pools)


def load_planner_file(path: Path, effort: Effort = Effort.NORMAL) -> UserPlanner:
    """Load the planner from a Python file that defines `plan(buffers, pools)`.

    Raises `PlannerFailedError` when the file does not exist, fails to load or lacks the function.
    """
    spec = importlib.util.spec_from_file_location(f"forebay_user_{path.stem}", path)
    if not path.is_file() or spec is None or spec.loader is None:
        raise PlannerFailedError(f"there is no planner file '{path}'")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise PlannerFailedError(
            f"planner file '{path}' does not load: {error_summary(error)}", location_of(error)
        ) from error
    function: Any = getattr(module, "plan", None)
    if not callable(function):
        raise PlannerFailedError(f"planner file '{path}' has no function plan(buffers, pools)")
    return UserPlanner(path.stem, cast(UserFunction, function), effort)


def function_planner(function: Any) -> UserPlanner:
    """Wrap a function `plan(buffers, pools)` as a planner.

    Raises `PlannerFailedError` when the argument is not callable.
    """
    if not callable(function):
        raise PlannerFailedError(
            f"{function!r} is no planner: give a name, a file, a Planner or a function "
            "plan(buffers, pools)"
        )
    name = getattr(function, "__name__", type(function).__name__)
    return UserPlanner(name.strip("<>"), cast(UserFunction, function))


def user_buffers(problem: Problem) -> tuple[UserBuffer, ...]:
    """Return the buffers of a problem in the form that a user's function receives."""
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
            b.block,
            b.block_offset,
        )
        for b in problem.buffers
    )
