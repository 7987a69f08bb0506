"""The summary of a sweep: outcomes per network and target, with the best configurations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from forebay.formats.sweep_record import SweepRecord
from forebay.reports.table import ReportPart, TextTable


def sweep_parts(records: Sequence[SweepRecord]) -> list[ReportPart]:
    """Return the lines and the table of the summary."""
    groups: dict[tuple[str, str], list[SweepRecord]] = {}
    for record in records:
        groups.setdefault((record.network, record.target), []).append(record)
    rows = [[*names, *_numbers(group)] for names, group in groups.items()]
    head = ["network", "target", "planned", "refused", "failed", "least workspace", "least cycles"]
    failed = [it for it in records if it.outcome == "failed"]
    without_plan = {
        names: group
        for names, group in groups.items()
        if all(record.outcome == "refused" for record in group)
    }
    return [
        f"{len(records):,} configurations",
        TextTable(head, rows, numbers=range(2, 7)),
        *(f"failed: {it.network} on {it.target} {it.parameters}: {it.reason}" for it in failed),
        *(
            f"refused: {' on '.join(names)}: {_reason(refusal)}"
            for names, refusal in without_plan.items()
        ),
    ]


def _reason(records: Sequence[SweepRecord]) -> str:
    """Return the most frequent reason, and how many others there are."""
    (reason, _), *others = Counter(it.reason for it in records).most_common()
    return f"{reason}; other reasons: {len(others)}" if others else f"{reason}"


def _numbers(records: Sequence[SweepRecord]) -> list[str]:
    counts = [
        str(sum(record.outcome == outcome for record in records))
        for outcome in ("planned", "refused", "failed")
    ]
    return [
        *counts,
        _least([it.workspace for it in records]),
        _least([it.cycles for it in records]),
    ]


def _least(values: Sequence[int | None]) -> str:
    known = [value for value in values if value is not None]
    return f"{min(known):,}" if known else "-"
