"""The budgets of a module's workspaces: the given ones, and capacities that are too small."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects.builtin import ModuleOp
from msgspec import Struct

from forebay.cascade.steps import UNLIMITED
from forebay.errors import Error
from forebay.ir.machine.pools import candidates_of, pools_in
from forebay.ir.memory.underlying_buffers import entry_functions
from forebay.ir.problem.problem import problem_of
from forebay.ir.refused import RefusedError
from forebay.ir.rows.sources import whole_reads
from forebay.planning.contract.bounds import lower_bound
from forebay.pools import Pool, PoolKind
from forebay.support.listed import first_repeated
from forebay.support.sizes import EVERY_POOL, SMALLEST, size_of


class BudgetError(Error):
    """A budget that is no number of bytes."""


class PoolBudget(Struct, frozen=True):
    """The bytes that the plan of a pool may take; None stands for as few as possible.

    `is_capacity` says that no budget was given, but the pool has this capacity. `UNLIMITED` bytes
    are for a pool without both, into which the application hands rows of an input.
    """

    pool: str
    bytes: int | None
    is_capacity: bool = False

    @staticmethod
    def parse(pool: str, text: str) -> PoolBudget:
        """Parse `24K` or `min`; raises `BudgetError`."""
        if text.strip().lower() == SMALLEST:
            return PoolBudget(pool, None)
        try:
            return PoolBudget(pool, size_of(text))
        except ValueError as error:
            raise BudgetError(f"budget of pool '{pool}': {error}, or {SMALLEST}") from error


def budgets_in(module: ModuleOp, given: Sequence[PoolBudget]) -> tuple[PoolBudget, ...]:
    """Return the budgets of the workspaces: the given ones, and capacities that are too small.

    Pools for rows of inputs come first, each with a budget. No budget is above the capacity of its
    pool. Raises `RefusedError` for a pool that does not exist or is no workspace.
    """
    spaces = {
        name: pool
        for name, pool in pools_in(module.operation).items()
        if pool.kind is PoolKind.workspace and not pool.is_register
    }
    by_name = {budget.pool: budget for budget in given}
    twice = first_repeated(budget.pool for budget in given)
    if twice is not None:
        raise RefusedError(module.operation.location, f"pool '{twice}' has two budgets; give one")
    for name in by_name:
        if name not in spaces and name != EVERY_POOL:
            known = ", ".join(f"'{space}'" for space in spaces) or "none"
            raise RefusedError(
                module.operation.location,
                f"there is no workspace pool '{name}' for a budget; workspaces: {known}",
            )
    with_sources = pools_of_sources(module)
    found: list[PoolBudget] = []
    for name, pool in spaces.items():
        wanted = by_name.get(name, by_name.get(EVERY_POOL))
        if wanted is not None:
            limits = [n for n in (wanted.bytes, pool.capacity) if n is not None]
            is_smallest = wanted.bytes is None
            found.append(PoolBudget(name, None if is_smallest else min(limits)))
        elif name in with_sources:
            limit = UNLIMITED if pool.capacity is None else pool.capacity
            found.append(PoolBudget(name, limit, is_capacity=True))
        elif pool.capacity is not None and not pool.local and _is_too_small(module, pool):
            found.append(PoolBudget(name, pool.capacity, is_capacity=True))
    return tuple(sorted(found, key=lambda budget: budget.pool not in with_sources))


def pools_of_sources(module: ModuleOp) -> set[str]:
    """Return the preferred pools of the inputs whose rows the application hands in."""
    reads = [read for function in entry_functions(module) for read in whole_reads(function)]
    return {candidates_of(ir.MemRefType(read.target.type))[0] for read in reads}


def _is_too_small(module: ModuleOp, pool: Pool) -> bool:
    """Return whether the buffers that may only be in a pool need more than its capacity.

    Copies that are not yet transfers may connect memories that no op can reach together. Such a
    program has no plan here, and is not too large.
    """
    try:
        problem = problem_of(module)
    except RefusedError:
        return False
    return lower_bound(problem, pool).bytes > (pool.capacity or 0)
