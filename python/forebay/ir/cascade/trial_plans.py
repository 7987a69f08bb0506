"""Plans of a module for one pool: its peak, and a plan within a budget."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from mlir.dialects.builtin import ModuleOp

from forebay.ir.machine.budget_limits import limit_to_budget, pools_with_budgets
from forebay.ir.machine.pools import pool_ops
from forebay.ir.problem.problem import problem_of
from forebay.planning import Plan, PlanInfeasibleError, Problem, plan


def peak_of(module: ModuleOp, pool: str, planner: str) -> int:
    """Return the peak of a pool in the plan of a module, without its capacity."""
    problem = problem_of(module)
    has_choice = any(len(b.pools) > 1 for b in problem.buffers if pool in b.pools)
    if has_choice:
        with suppress(PlanInfeasibleError):
            return _planned_with_others(problem, pool, planner).peak(pool)
    return _planned_alone(problem, pool, planner).peak(pool)


def _planned_with_others(problem: Problem, pool: str, planner: str) -> Plan:
    """Return the plan of all pools; buffers that prefer a smaller pool may be in this one."""
    pools = tuple(replace(p, capacity=None) if p.name == pool else p for p in problem.pools)
    return plan(replace(problem, pools=pools), planner)


def planned_within(problem: Problem, pool: str, budget: int, planner: str) -> Plan | None:
    """Return a plan of all pools in which a pool is within a budget, and others take the rest."""
    if not any(len(buffer.pools) > 1 and buffer.pools[0] == pool for buffer in problem.buffers):
        return None
    pools = tuple(replace(p, capacity=budget) if p.name == pool else p for p in problem.pools)
    with suppress(PlanInfeasibleError):
        return plan(replace(problem, pools=pools), planner)
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


def limit_to_trial(module: ModuleOp, pool: str, bytes_: int) -> None:
    """Set the capacity of a pool to the peak of a trial plan, unless a budget fills it.

    Which rows of tensors that prefer a pool with a budget are in this one is decided by a later
    plan, whose peak may be another one.
    """
    budgeted = pools_with_budgets(module.operation) - {pool}
    buffers = [buffer for buffer in problem_of(module).buffers if pool in buffer.pools]
    if all(buffer.pools[0] not in budgeted for buffer in buffers):
        limit_pool(module, pool, bytes_)


def limit_pool(module: ModuleOp, pool: str, bytes_: int) -> None:
    """Set the capacity of a pool in use, so that no later plan is above it."""
    for op in pool_ops(module.operation):
        if op.sym_name.value == pool and bytes_ > 0:
            limit_to_budget(op, bytes_)
