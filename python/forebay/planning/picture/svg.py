"""The picture as SVG, generated as text: it needs no package and its bytes are reproducible."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from forebay.planning.picture.boxes import Panel, PictureBox, byte_ticks, bytes_label

WIDTH, HEIGHT, LEFT, TOP, GAP = 860, 320, 90, 40, 70
FONT = 'font-family="Helvetica, Arial, sans-serif"'


def svg(panels: Sequence[Panel], title: str) -> str:
    """Return an SVG document with one drawing per pool, below each other."""
    width, height = LEFT + WIDTH + 20, TOP + len(panels) * (HEIGHT + GAP)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" {FONT} font-size="11">',
        '<defs><pattern id="reserved" width="6" height="6" patternUnits="userSpaceOnUse" '
        'patternTransform="rotate(45)"><rect width="6" height="6" fill="#eee"/>'
        '<path d="M0 0V6" stroke="#999" stroke-width="2"/></pattern></defs>',
        f'<rect width="100%" height="100%" fill="white"/><text x="{LEFT}" y="20" '
        f'font-size="14" font-weight="bold">{escape(title)}</text>',
    ]
    for number, panel in enumerate(panels):
        parts.extend(_Drawing(panel, TOP + number * (HEIGHT + GAP)).parts())
    return "\n".join([*parts, "</svg>", ""])


@dataclass(frozen=True)
class _Drawing:
    """A panel and the y coordinate of its top edge on the page."""

    panel: Panel
    top: int

    @property
    def bottom(self) -> int:
        return self.top + HEIGHT

    def x(self, tick: int) -> float:
        span = max(1, self.panel.last - self.panel.first)
        return LEFT + (tick - self.panel.first) * WIDTH / span

    def y(self, byte: int) -> float:
        return self.bottom - byte * (HEIGHT - 20) / self.panel.top

    def parts(self) -> list[str]:
        return [
            f'<text x="{LEFT}" y="{self.top + 6}"><tspan font-weight="bold">'
            f"{escape(self.panel.pool)}</tspan>  {self.panel.caption}</text>",
            *self._reserved(),
            *(self._box(box) for box in self.panel.boxes),
            self._live(),
            *self._lines(),
            *self._axes(),
        ]

    def _reserved(self) -> list[str]:
        shown = [r for r in self.panel.reserved if r.start < self.panel.top]
        return [
            f'<rect x="{LEFT}" y="{self.y(min(end, self.panel.top)):.2f}" width="{WIDTH}" '
            f'height="{self.y(start) - self.y(min(end, self.panel.top)):.2f}" '
            f'fill="url(#reserved)"><title>reserved [{start:,}, {end:,})</title></rect>'
            for start, end in shown
        ]

    def _box(self, box: PictureBox) -> str:
        left, top = self.x(box.start), self.y(box.high)
        width, height = self.x(box.end) - left, self.y(box.low) - top
        name = escape(box.name)
        edge = min(0.6, width / 6, height / 6)
        text = ""
        if width > 6.5 * len(box.name) and height > 12:
            text = (
                f'<text x="{left + width / 2:.2f}" y="{top + height / 2 + 4:.2f}" '
                f'text-anchor="middle">{name}</text>'
            )
        return (
            f"<g><title>{name}: {box.high - box.low:,} B at {box.low:,}, "
            f"ticks [{box.start}, {box.end})</title>"
            f'<rect x="{left:.2f}" y="{top:.2f}" width="{width:.2f}" height="{height:.2f}" '
            f'fill="{box.color}" fill-opacity="{0.95 if box.at_bound else 0.6}" stroke="white" '
            f'stroke-width="{edge:.2f}"/>{text}</g>'
        )

    def _live(self) -> str:
        """Return a step line of the live bytes, which a plan without holes would need."""
        path, before = [f"M{LEFT} {self.y(0):.2f}"], 0
        for tick, size in self.panel.live:
            path.append(f"L{self.x(tick):.2f} {self.y(before):.2f}V{self.y(size):.2f}")
            before = size
        return f'<path d="{"".join(path)}" fill="none" stroke="#222" stroke-opacity="0.6"/>'

    def _lines(self) -> list[str]:
        levels = [(self.panel.peak, "#222", "", "peak")]
        if self.panel.bound < self.panel.peak:
            levels.append((self.panel.bound, "#c00", "5 4", "lower bound"))
        if self.panel.capacity is not None and self.panel.capacity <= self.panel.top:
            levels.append((self.panel.capacity, "#06c", "2 3", "capacity"))
        return [
            f'<path d="M{LEFT} {self.y(byte):.2f}h{WIDTH}" stroke="{color}" '
            f'stroke-dasharray="{dash}"><title>{what} {byte:,} B</title></path>'
            for byte, color, dash, what in levels
        ]

    def _axes(self) -> list[str]:
        first, last = self.panel.first, self.panel.last
        ticks = sorted({first + (last - first) * quarter // 4 for quarter in range(5)})
        return [
            *(
                f'<text x="{LEFT - 6}" y="{self.y(byte) + 4:.2f}" text-anchor="end">'
                f"{bytes_label(byte)}</text>"
                for byte in byte_ticks(self.panel.top)
            ),
            *(
                f'<text x="{self.x(tick):.2f}" y="{self.bottom + 14}" '
                f'text-anchor="middle">{tick:,}</text>'
                for tick in ticks
            ),
            f'<text x="{LEFT + WIDTH / 2}" y="{self.bottom + 28}" text-anchor="middle" '
            f'fill="#555">time; the step line is what lives, dark boxes make the bound</text>',
            f'<path d="M{LEFT} {self.y(self.panel.top):.2f}V{self.bottom}H{LEFT + WIDTH}" '
            f'fill="none" stroke="#222"/>',
        ]
