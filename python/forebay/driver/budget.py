"""The report of how few bytes each workspace can have: the model and its trial plans."""

from __future__ import annotations

from pathlib import Path

from mlir import ir

from forebay.cascade.frontier import frontier
from forebay.cascade.search import CascadePlan
from forebay.driver.compilation import imported
from forebay.formats.budget_report import BudgetReport, PoolBudgets, ReportedBudget
from forebay.ir.cascade.pool_cascade import PoolCascade
from forebay.ir.machine.pools import pools_in
from forebay.ir.memory.underlying_buffers import entry_functions
from forebay.ir.module import module_of
from forebay.options import Options
from forebay.pipelines import run_together, stages
from forebay.pools import PoolKind
from forebay.support.files import printable


def budget_report(path: Path, options: Options, points: int) -> BudgetReport:
    """Return the plans of a model file between the layer-wise one and the smallest, per pool.

    Raises `Error` (its subclasses) when the model or a plan is refused.
    """
    with ir.Context(), ir.Location.file(printable(path.name), 0, 0):
        module, chosen = imported(path, options)
        run_together(module, stages.lowering_passes(chosen))
        run_together(module, stages.before_budgets(chosen))
        found = module_of(module)
        function = entry_functions(found)[0]
        pools = [
            _budgets(PoolCascade(found, function, pool.name, chosen.planner), pool.name, points)
            for pool in pools_in(found.operation).values()
            if pool.kind is PoolKind.workspace and not (pool.local or pool.is_register)
        ]
    return BudgetReport(printable(path.stem), tuple(pool for pool in pools if pool.layer_wise))


def _budgets(cascade: PoolCascade, pool: str, points: int) -> PoolBudgets:
    plans = frontier(cascade.search, points)
    reported = [_reported(cascade, choice) for choice in plans]
    best = [
        one
        for number, one in enumerate(reported)
        if all(one.peak < other.peak for other in reported[:number])
    ]
    return PoolBudgets(
        pool,
        cascade.search.layer_wise().bytes,
        plans[-1].bytes,
        cascade.names_at_peak(plans[-1]),
        tuple(best),
    )


def _reported(cascade: PoolCascade, choice: CascadePlan) -> ReportedBudget:
    loops = [segment for segment in choice.segments if segment.by_rows]
    steps = sum(
        cascade.graph.operators[number].steps
        for segment in loops
        for number in range(segment.start, segment.stop)
    )
    return ReportedBudget(
        cascade.trial(choice),
        choice.bytes,
        choice.loops,
        choice.operators,
        choice.work,
        steps - choice.operators,
    )
