"""The instructions of a run on a board, joined with the operators of a plan."""

from __future__ import annotations

from msgspec import structs

from forebay.errors import Error
from forebay.formats.mcu_report import McuReport
from forebay.view.plan_data import PlanData


class OtherModelError(Error):
    """A report of a board is of another model than the plan."""


def with_instructions(plan: PlanData, report: McuReport) -> PlanData:
    """Return the plan with the instructions of each operator in the first inference of a report.

    Raises `OtherModelError` when the names or the operators of the models differ.
    """
    if report.model != plan.name:
        raise OtherModelError(f"the report is of '{report.model}', but the plan of '{plan.name}'")
    counts: dict[int, int] = {}
    kinds: dict[int, str] = {}
    for part in report.functions:
        if part.operator is not None:
            counts[part.operator] = counts.get(part.operator, 0) + part.instructions[0]
            kinds[part.operator] = part.kind
    shown = {it.index: it.kind for it in plan.operators if it.index is not None}
    for index, kind in kinds.items():
        if shown.get(index) != kind:
            raise OtherModelError(
                f"the report has an operator {index} {kind}, but the plan of '{plan.name}' has not"
            )
    operators = tuple(
        structs.replace(it, instructions=counts[it.index]) if it.index in counts else it
        for it in plan.operators
    )
    total = ("instructions", f"{report.instructions[0]:,} on {report.board}")
    return structs.replace(plan, operators=operators, facts=(*plan.facts, total))
