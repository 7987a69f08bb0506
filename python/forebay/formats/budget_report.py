"""The report of `forebay budget`: how few bytes a pool can have, and for how much work."""

from __future__ import annotations

from typing import Annotated, ClassVar

from msgspec import Meta

from forebay.formats.record import Count, Document, Record


class ReportedBudget(Record, frozen=True):
    """One plan of a pool."""

    peak: Annotated[Count, Meta(description="Bytes of the plan, the least budget that gives it.")]
    live: Annotated[Count, Meta(description="Most bytes of rows that are live together.")]
    loops: Annotated[Count, Meta(description="Loops over rows.")]
    operators: Annotated[Count, Meta(description="Operators in these loops.")]
    added_instructions: Annotated[
        Count, Meta(description="Estimate of the instructions of guards and of addresses of rows.")
    ]
    added_calls: Annotated[
        Count, Meta(description="Calls of row kernels instead of calls of whole operators.")
    ]


class PoolBudgets(Record, frozen=True):
    """The plans of one pool."""

    pool: Annotated[str, Meta(description="Name of the pool.")]
    layer_wise: Annotated[
        Count, Meta(description="Most bytes of whole tensors that are live together.")
    ]
    by_rows: Annotated[Count, Meta(description="Fewest live bytes of all plans by rows.")]
    set_by: Annotated[
        tuple[str, ...], Meta(description="The operators that are live at that number.")
    ]
    plans: Annotated[
        tuple[ReportedBudget, ...], Meta(description="Plans, that of the most bytes first.")
    ]


class BudgetReport(Document, frozen=True):
    """The bytes of each workspace pool against the work that row by row execution adds."""

    document: ClassVar[str] = "budget-report"
    title: ClassVar[str] = "Budget report"

    model: Annotated[str, Meta(description="Name of the model.")]
    pools: Annotated[tuple[PoolBudgets, ...], Meta(description="The workspace pools in use.")]
