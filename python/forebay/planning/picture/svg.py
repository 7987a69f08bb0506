"""The picture as SVG, written by hand: no dependency, the same bytes every time."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from forebay.planning.picture.boxes import Box, Panel

WIDTH, HEIGHT, LEFT, TOP, GAP = 860, 320, 90, 34, 56
FONT = 'font-family="Helvetica, Arial, sans-serif"'


def svg(panels: Sequence[Panel], title: str) -> str:
    """One drawing under another, a pool each."""
    height = TOP + len(panels) * (HEIGHT + GAP)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 20}" height="{height}" '
        f'viewBox="0 0 {LEFT + WIDTH + 20} {height}" {FONT} font-size="11">',
        f'<rect width="100%" height="100%" fill="white"/><text x="{LEFT}" y="18" '
        f'font-size="14" font-weight="bold">{escape(title)}</text>',
    ]
    for number, panel in enumerate(panels):
        parts.extend(_panel(panel, TOP + number * (HEIGHT + GAP)))
    return "\n".join([*parts, "</svg>", ""])


def _panel(panel: Panel, top: int) -> list[str]:
    most = max(panel.peak, panel.bound, 1)
    scale_x = WIDTH / max(1, panel.last - panel.first)
    bottom = top + 14 + HEIGHT - 20

    def x(tick: int) -> float:
        return LEFT + (tick - panel.first) * scale_x

    def y(byte: int) -> float:
        return bottom - byte * (HEIGHT - 20) / most

    capacity = "unlimited" if panel.capacity is None else f"{panel.capacity:,} B"
    parts = [
        f'<text x="{LEFT}" y="{top + 6}" font-weight="bold">{escape(panel.pool)}: '
        f"peak {panel.peak:,} B, lower bound {panel.bound:,} B, capacity {capacity}</text>",
    ]
    parts += [_box(box, x(box.start), x(box.end), y(box.high), y(box.low)) for box in panel.boxes]
    for byte, color, dash in ((panel.peak, "#222", ""), (panel.bound, "#c00", "5 4")):
        parts.append(
            f'<line x1="{LEFT}" x2="{LEFT + WIDTH}" y1="{y(byte):.2f}" y2="{y(byte):.2f}" '
            f'stroke="{color}" stroke-dasharray="{dash}"/>'
        )
    for quarter in range(5):
        byte = most * quarter // 4
        parts.append(
            f'<text x="{LEFT - 6}" y="{y(byte) + 4:.2f}" text-anchor="end">{byte:,}</text>'
        )
        tick = panel.first + (panel.last - panel.first) * quarter // 4
        parts.append(
            f'<text x="{x(tick):.2f}" y="{bottom + 14}" text-anchor="middle">{tick}</text>'
        )
    parts.append(
        f'<path d="M{LEFT} {y(most):.2f}V{bottom}H{LEFT + WIDTH}" fill="none" stroke="#222"/>'
    )
    return parts


def _box(box: Box, left: float, right: float, top: float, bottom: float) -> str:
    width, height = right - left, bottom - top
    name, size = escape(box.name), box.high - box.low
    text = ""
    if width > 7 * len(box.name) and height > 12:
        text = (
            f'<text x="{left + width / 2:.2f}" y="{top + height / 2 + 4:.2f}" '
            f'text-anchor="middle">{name}</text>'
        )
    return (
        f"<g><title>{name}: {size:,} B at {box.low:,}, ticks [{box.start}, {box.end})</title>"
        f'<rect x="{left:.2f}" y="{top:.2f}" width="{width:.2f}" height="{height:.2f}" '
        f'fill="{box.color}" fill-opacity="0.75" stroke="white" stroke-width="0.6"/>{text}</g>'
    )
