"""The reasons why no plan by rows meets a request."""

from __future__ import annotations

from forebay.cascade.search import CascadePlan
from forebay.cascade.sources import RowSource
from forebay.ir.cascade.pool_cascade import PoolCascade
from forebay.ir.locations import shortened
from forebay.ir.refused import PoolShortageError, RefusedError
from forebay.support.listed import listed


def unreadable_input(cascade: PoolCascade) -> RefusedError:
    """Return the refusal of the first input whose rows are all needed at once."""
    reasons = (_reason(cascade, source) for source in cascade.search.sources)
    return next(filter(None, reasons), None) or RefusedError(
        cascade.module.operation.location,
        "no loop reads all inputs row by row: the operators between their readers do not "
        "compute rows; leave out one --input-rows",
    )


def _reason(cascade: PoolCascade, source: RowSource) -> RefusedError | None:
    """Return why no loop over rows reads an input, if its own operators are the reason."""
    start, stop = source.operator, max(source.readers) + 1
    outer = cascade.search.loop(start, stop)
    if outer is not None and source.is_streamed(outer):
        return None
    operators = cascade.graph.operators
    names = [shortened(op.name) for op in operators]
    between = [n for n in range(start, stop) if operators[n].is_fixed]
    obstacle = between[0] if between else source.whole_reader()
    does = "does not compute rows" if between else f"needs all {source.rows} rows at once"
    return RefusedError(
        cascade.ops[obstacle].op.location,
        f"input '{names[source.operator]}' cannot be handed in row by "
        f"row: '{names[obstacle]}' {does}; leave out --input-rows for it",
    )


def budget_shortage(
    cascade: PoolCascade, smallest: CascadePlan, budget: int, needed: int
) -> PoolShortageError:
    """Return the refusal of a budget; `needed` bytes work, and `smallest` names the operators."""
    peak = cascade.search.peak(cascade.segment_at_peak(smallest))
    names = listed([shortened(name) for name in cascade.names_at_peak(smallest)])
    return PoolShortageError(
        cascade.ops[peak.operator].op.location,
        f"pool '{cascade.pool}' cannot hold this program in {budget:,} bytes; "
        f"the smallest budget that works is {needed:,}, set by {names}",
    )
