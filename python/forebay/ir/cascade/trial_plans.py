"""Plans of a module for one pool: its peak, and a plan within a budget."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from mlir.dialects.builtin import ModuleOp

from forebay.ir.machine.budget_limits import limit_to_budget
from forebay.ir.machine.pools import pool_ops
from forebay.ir.problem.groups import plan_groups
from forebay.ir.problem.problem import ProblemExtraction, extract_problem
from forebay.planning import Plan, PlanInfeasibleError, Problem, plan


def peak_of(module: ModuleOp, pool: str, planner: str) -> int:
    """Return the peak of a pool in the plan of a module, without its capacity."""
    extraction = extract_problem(module)
    problem = extraction.problem
    has_choice = any(len(b.pools) > 1 for b in problem.buffers if pool in b.pools)
    if has_choice:
        with suppress(PlanInfeasibleError):
            return _planned_with_others(extraction, pool, None, planner).peak(pool)
    return _planned_alone(problem, pool, planner).peak(pool)


def _planned_with_others(
    extraction: ProblemExtraction, pool: str, capacity: int | None, planner: str
) -> Plan:
    """Return the plan of all pools; buffers that prefer a smaller pool may be in this one."""
    problem = extraction.problem
    pools = tuple(replace(p, capacity=capacity) if p.name == pool else p for p in problem.pools)
    return plan_groups(extraction, replace(problem, pools=pools), planner)


def planned_within(module: ModuleOp, pool: str, budget: int, planner: str) -> Plan | None:
    """Return a plan of all pools in which a pool is within a budget, and others take the rest."""
    extraction = extract_problem(module)
    buffers = extraction.problem.buffers
    if not any(len(buffer.pools) > 1 and buffer.pools[0] == pool for buffer in buffers):
        return None
    with suppress(PlanInfeasibleError):
        return _planned_with_others(extraction, pool, budget, planner)
    return None


def _planned_alone(problem: Problem, pool: str, planner: str) -> Plan:
    """Return the plan of the buffers that prefer a pool, without a limit of its bytes."""
    buffers = tuple(
        replace(buffer, candidates=(pool,), costs=None)
        for buffer in problem.buffers
        if buffer.pools[0] == pool
    )
    names = {buffer.name for buffer in buffers}
    conflicts = tuple(pair for pair in problem.conflicts if names.issuperset(pair))
    pools = tuple(replace(p, capacity=None) for p in problem.pools if p.name == pool)
    return plan(Problem(pools, buffers, conflicts), planner)


def limit_pool(module: ModuleOp, pool: str, bytes_: int) -> None:
    """Set the capacity of a pool in use, so that no later plan is above it."""
    for op in pool_ops(module.operation):
        if op.sym_name.value == pool and bytes_ > 0:
            limit_to_budget(op, bytes_)
