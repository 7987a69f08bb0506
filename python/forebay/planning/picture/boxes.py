"""What there is to draw: a box per life of a buffer, ticks to the right, bytes upwards."""

from __future__ import annotations

from dataclasses import dataclass

from forebay.planning.contract.certificate import PoolCertificate
from forebay.planning.model.plan import Plan
from forebay.planning.model.pool import ByteRange


@dataclass(frozen=True)
class PictureBox:
    """One life of a buffer: ticks `[start, end)`, bytes `[low, high)`.

    `at_bound`: whether it is one of the buffers that the lower bound is made of.
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
    """One pool: its boxes, its peak and its capacity in bytes, the first and the last tick.

    `live`: bytes that live from each of the ticks to the next one, ascending ticks.
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
        """Highest byte that the picture shows: the capacity, unless it is far above the peak."""
        most = max(self.peak, self.bound, 1)
        near = self.capacity is not None and most < self.capacity <= 1.25 * most
        return self.capacity if near and self.capacity is not None else most

    @property
    def still(self) -> bool:
        """Whether nothing is born and nothing dies: constants and state."""
        return all((box.start, box.end) == (self.first, self.last) for box in self.boxes)

    @property
    def caption(self) -> str:
        """What was achieved in the pool."""
        limit = "unlimited" if self.capacity is None else f"{self.capacity:,} B"
        proof = "optimal" if self.peak == self.bound else f"lower bound {self.bound:,} B"
        return f"peak {self.peak:,} B ({proof}), capacity {limit}"


COLORS = ("#4e79a7", "#f28e2b", "#76b7b2", "#e15759", "#59a14f", "#edc948", "#b07aa1", "#9c755f")


def panel_of(plan: Plan, certificate: PoolCertificate) -> Panel:
    """The picture of one pool; what has no lifetime is drawn from the first to the last tick."""
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
    """Live bytes from tick to tick; members of an alias group count each."""
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
    """A size on an axis: 512, 12 KiB, 1.5 MiB."""
    for unit, name in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if value >= unit:
            return f"{value / unit:.3g} {name}"
    return f"{value:.0f}"


def byte_ticks(top: int) -> list[int]:
    """About five round sizes from 0 to `top`: multiples of a power of two."""
    step = 1
    while top // step > 6:
        step *= 2
    return list(range(0, top + 1, step))
