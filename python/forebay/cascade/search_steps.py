"""The steps from the tensors of a network to the plan that a search has chosen."""

from __future__ import annotations

from forebay.cascade.graph import RowGraph
from forebay.cascade.search import CascadePlan, CascadeSearch
from forebay.cascade.steps import CASCADE, IN_PLACE, PACK, PLAN, SINGLE_ROWS, BudgetStep


def steps_to(
    pool: str, graph: RowGraph, search: CascadeSearch, chosen: CascadePlan, peak: int
) -> tuple[BudgetStep, ...]:
    """Return the steps from the tensors of a graph to a plan of the merged graph of a search."""
    layer_wise = search.layer_wise()
    single = search.one_by_one(chosen.bytes)
    found = [
        BudgetStep(pool, PACK, CascadeSearch(graph).layer_wise().bytes, 0),
        BudgetStep(pool, IN_PLACE, layer_wise.bytes, 0),
        BudgetStep(pool, SINGLE_ROWS, single.bytes, single.work),
        BudgetStep(pool, CASCADE, chosen.bytes, chosen.work),
    ]
    kept = [found[0]]
    for step in found[1:]:
        if chosen.bytes <= step.bytes < kept[-1].bytes:
            kept.append(step)
    return (*kept, BudgetStep(pool, PLAN, peak, chosen.work))
