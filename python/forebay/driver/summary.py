"""The summary of a compilation: pools, bounds, operators, seconds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Protocol

from forebay.reports.budget import step_lines
from forebay.reports.table import ReportPart, TextTable, plain_text

if TYPE_CHECKING:
    from forebay.network.model import ModelInfo
    from forebay.planning import PoolCertificate
    from forebay.reports.copies import PoolCopy
    from forebay.reports.loops import UnoverlappedCode, UnpipelinedLoop
    from forebay.reports.plan_report import PlanReport


class SummarySource(Protocol):
    """The attributes of a compiled network that a summary reads."""

    info: ModelInfo
    plan: PlanReport
    operators: int
    seconds: dict[str, float]


def summary(compiled: SummarySource) -> str:
    """Return the summary of a compilation: pools, bounds, operators, seconds; sizes in bytes."""
    return plain_text(summary_parts(compiled))


def summary_parts(compiled: SummarySource) -> list[ReportPart]:
    """Return the lines and the table of the summary."""
    info = compiled.info
    kinds = {pool.name: pool.kind.name for pool in (*info.pools, *info.inside)}
    weights = sum(pool.size for pool in info.constant_pools)
    rows = [
        [c.pool, kinds[c.pool], f"{c.peak:,}", f"{c.lower_bound:,}", f"{c.gap:,}", _optimality(c)]
        for c in compiled.plan.certificates
        if c.peak
    ]
    stages = ", ".join(f"{stage} {taken:.2f}" for stage, taken in compiled.seconds.items())
    head = ["pool", "kind", "peak", "lower bound", "gap", ""]
    return [
        f"{info.name}: {_count(compiled.operators, 'operator')}, {weights:,} bytes of weights",
        *([TextTable(head, rows, numbers=(2, 3, 4))] if rows else []),
        *step_lines(compiled.plan.steps),
        *_counted(copy for copy in compiled.plan.copies if copy.is_between_pools),
        *_counted(compiled.plan.unpipelined),
        *_counted(compiled.plan.unoverlapped),
        *([str(compiled.plan.rings)] if compiled.plan.rings.variables else []),
        f"{sum(compiled.seconds.values()):.2f} s: {stages}",
    ]


def summary_html(compiled: SummarySource) -> str:
    """Return the line and the table of the summary, and the picture of the plan."""
    title, *parts = summary_parts(compiled)
    table = next((part for part in parts if isinstance(part, TextTable)), None)
    from html import escape  # noqa: PLC0415  (notebooks only)

    from forebay.planning.picture.files import picture_html  # noqa: PLC0415  (notebooks only)

    picture = picture_html(compiled.plan.plan)
    return f"<p><b>{escape(str(title))}</b></p>{'' if table is None else _html(table)}{picture}"


def _html(table: TextTable) -> str:
    from html import escape  # noqa: PLC0415  (notebooks only)

    head = "".join(f"<th>{escape(text)}</th>" for text in table.head)
    rows = ("".join(f"<td>{escape(text)}</td>" for text in row) for row in table.rows)
    body = "".join(f"<tr>{cells}</tr>" for cells in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _counted(facts: Iterable[PoolCopy | UnpipelinedLoop | UnoverlappedCode]) -> list[str]:
    """Return a line for each fact; equal ones appear once, with their number."""
    counts = Counter(map(str, facts))
    return [f"{text}{'' if n == 1 else f', {n} times'}" for text, n in counts.items()]


def _optimality(certificate: PoolCertificate) -> str:
    return f"optimal ({certificate.argument})" if certificate.optimal else "not proved optimal"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
