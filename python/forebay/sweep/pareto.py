"""A page with the workspace of each configuration against its cycles, as SVG without scripts."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence

from msgspec import Struct

from forebay.formats.sweep_record import SweepRecord

_WIDTH, _HEIGHT, _MARGIN = 640, 360, 64
_COLORS = ("#3366cc", "#dc7a00", "#109618", "#990099", "#0099c6", "#b82e2e")


class ParetoPoint(Struct, frozen=True):
    """A configuration: its bytes, its cost, its group and its description."""

    bytes: int
    cost: int
    group: str
    title: str


def pareto_points(records: Sequence[SweepRecord]) -> dict[str, list[ParetoPoint]]:
    """Return the planned records with a cost, by network.

    The cost is the cycles; without them the instructions.
    """
    found: dict[str, list[ParetoPoint]] = {}
    for record in records:
        cost = record.instructions if record.cycles is None else record.cycles
        if record.workspace is not None and cost is not None:
            point = ParetoPoint(record.workspace, cost, record.target, _title(record))
            found.setdefault(record.network, []).append(point)
    return found


def undominated(points: Sequence[ParetoPoint]) -> list[ParetoPoint]:
    """Return the points of which no other has fewer bytes and no higher cost, by bytes."""
    best: list[ParetoPoint] = []
    for point in sorted(points, key=lambda it: (it.bytes, it.cost)):
        if not best or point.cost < best[-1].cost:
            best.append(point)
    return best


def pareto_page(records: Sequence[SweepRecord], title: str) -> str:
    """Return an HTML page with a picture per network."""
    parts = [
        f"<h2>{html.escape(network)}</h2>\n{_picture(points)}"
        for network, points in pareto_points(records).items()
    ]
    body = "\n".join(parts) or "<p>No configuration has both a plan and a cost.</p>"
    return f"""\
<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<title>{html.escape(title)}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ font: 14px sans-serif; max-width: {_WIDTH}px; margin: 2em auto; }}
text {{ font: 12px sans-serif; fill: currentColor; }}
</style>
<h1>{html.escape(title)}</h1>
<p>Workspace against cost of each configuration. The line connects those that no other improves.</p>
{body}
</html>
"""


def _picture(points: Sequence[ParetoPoint]) -> str:
    x = _scale([it.bytes for it in points], _MARGIN, _WIDTH - 16)
    y = _scale([it.cost for it in points], _HEIGHT - _MARGIN, 16)
    groups = list(dict.fromkeys(it.group for it in points))
    color = {name: _COLORS[at % len(_COLORS)] for at, name in enumerate(groups)}
    line = " ".join(f"{x(it.bytes):.1f},{y(it.cost):.1f}" for it in undominated(points))
    dots = [
        f'<circle cx="{x(it.bytes):.1f}" cy="{y(it.cost):.1f}" r="4" fill="{color[it.group]}">'
        f"<title>{html.escape(it.title)}</title></circle>"
        for it in points
    ]
    legend = [
        f'<text x="{_WIDTH - 16}" y="{28 + 16 * at}" text-anchor="end" '
        f'style="fill:{color[name]}">{html.escape(name)}</text>'
        for at, name in enumerate(groups)
    ]
    return "\n".join(
        [
            f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img">',
            *_axes(points, x, y),
            f'<polyline points="{line}" fill="none" stroke="currentColor" stroke-opacity="0.5"/>',
            *dots,
            *legend,
            "</svg>",
        ]
    )


def _axes(
    points: Sequence[ParetoPoint], x: Callable[[int], float], y: Callable[[int], float]
) -> list[str]:
    """Return the smallest and largest numbers beside the axes."""
    bottom = _HEIGHT - _MARGIN
    sizes, costs = [it.bytes for it in points], [it.cost for it in points]
    lines = [
        f'<text x="{x(value):.1f}" y="{bottom + 20}" text-anchor="middle">{value:,}</text>'
        for value in sorted({min(sizes), max(sizes)})
    ]
    lines += [
        f'<text x="{_MARGIN - 8}" y="{y(value):.1f}" text-anchor="end">{value:,}</text>'
        for value in sorted({min(costs), max(costs)})
    ]
    lines.append(f'<text x="{_WIDTH / 2}" y="{bottom + 44}" text-anchor="middle">bytes</text>')
    return lines


def _scale(values: Sequence[int], first: float, last: float) -> Callable[[int], float]:
    """Return the linear map of the values' range; a single value is in the middle."""
    low, high = min(values), max(values)
    if low == high:
        return lambda _: (first + last) / 2
    return lambda value: first + (last - first) * (value - low) / (high - low)


def _title(record: SweepRecord) -> str:
    facts = {**record.parameters, "planner": record.planner, "budget": record.budget}
    words = [f"{name}={value}" for name, value in (facts | record.options).items() if value]
    return f"{record.target} {' '.join(words)}: {record.workspace:,} bytes"
