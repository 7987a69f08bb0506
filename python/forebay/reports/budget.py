"""The table and the picture of a budget report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from forebay.cascade.steps import BudgetStep
from forebay.formats.budget_report import BudgetReport, PoolBudgets, ReportedBudget
from forebay.ir.locations import shortened
from forebay.reports.table import ReportPart, TextTable
from forebay.support.listed import listed

HEAD = ("budget", "live rows", "loops", "operators", "added instructions", "added calls")
WIDTH, HEIGHT, LEFT, TOP, GAP = 640, 240, 90, 40, 60
_FONT = 'font-family="Helvetica, Arial, sans-serif" font-size="11"'


def budget_parts(report: BudgetReport) -> Iterator[ReportPart]:
    """Yield the report as lines and tables."""
    for pool in report.pools:
        yield f"{report.model}: pool '{pool.pool}'"
        yield TextTable(HEAD, [_row(one) for one in pool.plans], range(len(HEAD)))
        if pool.by_rows < pool.layer_wise:
            names = listed(list(map(shortened, pool.set_by)))
            yield (
                f"{pool.layer_wise:,} bytes of whole tensors are live together, at least "
                f"{pool.by_rows:,} by rows, in {names}"
            )
        else:
            yield (
                f"{pool.layer_wise:,} bytes of tensors are live together, and rows save none of "
                f"them: each operator at the peak needs all of its inputs at once"
            )


def step_lines(steps: Sequence[BudgetStep]) -> Iterator[str]:
    """Yield a line per pool: the bytes after each step, and the instructions that it adds."""
    for pool in dict.fromkeys(step.pool for step in steps):
        parts: list[str] = []
        for step in steps:
            if step.pool == pool:
                added = f" (+{step.added:,} instructions)" if step.added else ""
                parts.append(f"{step.bytes:,} {step.step}{added}")
        yield f"budget of pool '{pool}': {', '.join(parts)}"


def budget_picture(report: BudgetReport) -> str:
    """Return the report as SVG: per pool, the bytes of each plan against the added instructions."""
    height = TOP + len(report.pools) * (HEIGHT + GAP)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 20}" height="{height}" '
        f'{_FONT}><rect width="100%" height="100%" fill="white"/>'
        f'<text x="{LEFT}" y="20" font-size="14" font-weight="bold">{_escaped(report.model)}</text>'
    ]
    for number, pool in enumerate(report.pools):
        parts += _drawing(pool, TOP + number * (HEIGHT + GAP))
    return "\n".join([*parts, "</svg>", ""])


def _row(one: ReportedBudget) -> tuple[str, ...]:
    numbers = (one.peak, one.live, one.loops, one.operators, one.added_instructions)
    return tuple(f"{number:,}" for number in (*numbers, one.added_calls))


def _drawing(pool: PoolBudgets, top: int) -> Iterator[str]:
    """Yield a point per plan: bytes upwards, added instructions to the right."""
    most = max(one.peak for one in pool.plans)
    work = max(1, *(one.added_instructions for one in pool.plans))
    bottom = top + HEIGHT
    points = [
        (
            LEFT + round(one.added_instructions * (WIDTH - 40) / work),
            bottom - round(one.peak * (HEIGHT - 30) / most),
            one,
        )
        for one in pool.plans
    ]
    floor = bottom - round(pool.by_rows * (HEIGHT - 30) / most)
    yield f'<text x="{LEFT}" y="{top + 12}" font-weight="bold">{_escaped(pool.pool)}</text>'
    yield f'<path d="M{LEFT} {top + 20}V{bottom}H{LEFT + WIDTH}" fill="none" stroke="black"/>'
    yield (
        f'<path d="M{LEFT} {floor}H{LEFT + WIDTH}" stroke="#999" stroke-dasharray="4"/>'
        f'<text x="{LEFT - 6}" y="{floor + 4}" text-anchor="end">{pool.by_rows:,} B</text>'
    )
    line = " ".join(f"{x},{y}" for x, y, _ in points)
    yield f'<polyline points="{line}" fill="none" stroke="#36c"/>'
    for x, y, one in points:
        yield (
            f'<circle cx="{x}" cy="{y}" r="3" fill="#36c"><title>{one.peak:,} bytes, '
            f"{one.added_instructions:,} instructions more</title></circle>"
        )
    yield (
        f'<text x="{LEFT - 6}" y="{points[0][1] + 4}" text-anchor="end">{most:,} B</text>'
        f'<text x="{LEFT + WIDTH}" y="{bottom + 16}" text-anchor="end">added instructions: '
        f"{work:,}</text>"
    )


def _escaped(text: str) -> str:
    from html import escape  # noqa: PLC0415  (needed for the picture alone)

    return escape(text)
