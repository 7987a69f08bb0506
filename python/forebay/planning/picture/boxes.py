"""What there is to draw: a box per life of a buffer, ticks to the right, bytes upwards."""

from __future__ import annotations

from dataclasses import dataclass

from forebay.planning.plan import Plan


@dataclass(frozen=True)
class Box:
    """One life of a buffer: ticks `[start, end)`, bytes `[low, high)`."""

    name: str
    start: int
    end: int
    low: int
    high: int
    color: str


@dataclass(frozen=True)
class Panel:
    """One pool: its boxes, its peak and its capacity in bytes, the first and the last tick."""

    pool: str
    boxes: tuple[Box, ...]
    peak: int
    capacity: int | None
    bound: int
    first: int
    last: int


COLORS = ("#4e79a7", "#f28e2b", "#76b7b2", "#e15759", "#59a14f", "#edc948", "#b07aa1", "#9c755f")


def panel_of(plan: Plan, pool: str, bound: int) -> Panel:
    """The picture of one pool; what has no lifetime is drawn from the first to the last tick."""
    buffers = plan.problem.buffers
    ticks = [tick for buffer in buffers for interval in buffer.lifetime for tick in interval]
    first, last = min(ticks, default=0), max(ticks, default=1)
    boxes: list[Box] = []
    for number, name in enumerate(plan.in_pool(pool)):
        buffer, (low, high) = plan.problem.buffer_by_name[name], plan.range_of(name)
        always = buffer.always_live or not buffer.lifetime
        color = COLORS[number % len(COLORS)]
        for start, end in [(first, last)] if always else buffer.lifetime:
            boxes.append(Box(name, start, end, low, high, color))
    capacity = plan.problem.pool_by_name[pool].capacity
    return Panel(pool, tuple(boxes), plan.peak(pool), capacity, bound, first, last)
