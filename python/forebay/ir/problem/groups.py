"""Plans in which the buffers that one value may stand for are in one pool, as rows of a tensor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from forebay.ir.problem.problem import ProblemExtraction
from forebay.planning import Plan, PlanInfeasibleError, PlanningError, Problem, plan


def plan_groups(extraction: ProblemExtraction, problem: Problem, planner: str) -> Plan:
    """Plan a problem with the buffers of an extraction, group by group where these are split.

    Raises `PlanningError`.
    """
    solved = plan(problem, planner)
    while split := _split_group(extraction, solved):
        solved = _plan_together(solved.problem, split, planner)
    return solved


def _split_group(extraction: ProblemExtraction, solved: Plan) -> list[str]:
    """Return the names of buffers in several pools that one memref may view, or an empty list."""
    buffers, by_root = extraction.problem.buffers, extraction.by_root()
    groups = {roots for roots in extraction.liveness.aliases.values() if len(roots) > 1}
    groups |= {frozenset((root,)) for root, parts in enumerate(by_root) if len(parts) > 1}
    for group in sorted(groups, key=sorted):
        names = [buffers[part].name for number in sorted(group) for part in by_root[number]]
        if len({solved.placements[name].pool for name in names}) > 1:
            return names
    return []


def _plan_together(problem: Problem, names: Sequence[str], planner: str) -> Plan:
    """Plan with these buffers in the first of their common pools in which all fit."""
    members = [problem.buffer_by_name[name] for name in names]
    common = [pool for pool in members[0].pools if all(pool in m.pools for m in members)]
    failure = PlanningError(
        f"buffers {', '.join(map(repr, names))} meet in one value but have no pool in common",
        buffers=names,
    )
    for pool in common:
        buffers = tuple(
            replace(buffer, candidates=(pool,)) if buffer.name in names else buffer
            for buffer in problem.buffers
        )
        try:
            return plan(replace(problem, buffers=buffers), planner)
        except PlanInfeasibleError as error:
            failure = error
    raise failure
