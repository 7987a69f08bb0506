"""The contents of a picture: one box per lifetime interval; x is time in ticks, y is bytes."""

from __future__ import annotations

from dataclasses import dataclass

from forebay.planning.contract.certificate import PoolCertificate
from forebay.planning.model.plan import Plan
from forebay.pools import ByteRange


@dataclass(frozen=True)
class PictureBox:
    """One lifetime interval of a buffer: ticks `[start, end)`, bytes `[low, high)`.

    `at_bound`: whether the lower bound counts this buffer.
    """

    name: str
    start: int
    end: int
    low: int
    high: int
    color: str
    at_bound: bool = False


@dataclass(frozen=True)
class Panel:
    """The picture of one pool: its boxes, peak and capacity in bytes, first and last tick.

    `live`: pairs of a tick and the bytes that are live from it to the next tick, in tick order.
    """

    pool: str
    boxes: tuple[PictureBox, ...]
    peak: int
    capacity: int | None
    bound: int
    first: int
    last: int
    reserved: tuple[ByteRange, ...] = ()
    live: tuple[tuple[int, int], ...] = ()

    @property
    def top(self) -> int:
        """Return the highest byte of the picture: the capacity, or the peak if it is far lower."""
        most = max(self.peak, self.bound, 1)
        near = self.capacity is not None and most < self.capacity <= 1.25 * most
        return self.capacity if near and self.capacity is not None else most

    @property
    def still(self) -> bool:
        """Return whether all boxes span the whole time, as constants and state do."""
        return all((box.start, box.end) == (self.first, self.last) for box in self.boxes)

    @property
    def caption(self) -> str:
        """Return the peak, the proof or lower bound, and the capacity of the pool as text."""
        limit = "unlimited" if self.capacity is None else f"{self.capacity:,} B"
        proof = "optimal" if self.peak == self.bound else f"lower bound {self.bound:,} B"
        return f"peak {self.peak:,} B ({proof}), capacity {limit}"


COLORS = ("#4e79a7", "#f28e2b", "#76b7b2", "#e15759", "#59a14f", "#edc948", "#b07aa1", "#9c755f")


def panel_of(plan: Plan, certificate: PoolCertificate) -> Panel:
    """Return the picture of one pool.

    A buffer without a lifetime is drawn from the first tick to the last one.
    """
    buffers, pool = plan.problem.buffers, certificate.pool
    ticks = [tick for buffer in buffers for interval in buffer.lifetime for tick in interval]
    first, last = min(ticks, default=0), max(ticks, default=1)
    at_bound = set(certificate.at_bound)
    boxes: list[PictureBox] = []
    for number, name in enumerate(plan.in_pool(pool)):
        buffer, (low, high) = plan.problem.buffer_by_name[name], plan.range_of(name)
        always = buffer.always_live or not buffer.lifetime
        color = COLORS[number % len(COLORS)]
        for start, end in [(first, last)] if always else buffer.lifetime:
            boxes.append(PictureBox(name, start, end, low, high, color, name in at_bound))
    owner = plan.problem.pool_by_name[pool]
    return Panel(
        pool,
        tuple(boxes),
        certificate.peak,
        owner.capacity,
        certificate.lower_bound,
        first,
        last,
        tuple(sorted(owner.reserved)),
        _live(boxes),
    )


def _live(boxes: list[PictureBox]) -> tuple[tuple[int, int], ...]:
    """Return the live bytes from each tick to the next one; each alias group member counts."""
    change: dict[int, int] = {}
    for box in boxes:
        size = box.high - box.low
        change[box.start] = change.get(box.start, 0) + size
        change[box.end] = change.get(box.end, 0) - size
    total, steps = 0, list[tuple[int, int]]()
    for tick in sorted(change):
        total += change[tick]
        steps.append((tick, total))
    return tuple(steps)


def bytes_label(value: float) -> str:
    """Return the axis label of a size, such as 512, 12 KiB or 1.5 MiB."""
    for unit, name in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if value >= unit:
            return f"{value / unit:.3g} {name}"
    return f"{value:.0f}"


def byte_ticks(top: int) -> list[int]:
    """Return about five axis positions from 0 to `top`: multiples of a power of two."""
    step = 1
    while top // step > 6:
        step *= 2
    return list(range(0, top + 1, step))
