"""Greedy rules of other systems, written again as functions for `UserPlanner`: one pool, no limits.

They differ in the order, and in whether they fill gaps:
* TVM USMP stacks each buffer on top of the highest conflicting one, and never fills a gap.
* TFLite Micro: largest first, into the first gap.
* IREE LayoutSlices: in order of allocation, into the smallest gap that fits.
* `hill-climb` here corresponds to the hill climbs of Vela and USMP.
"""

from forebay.planning import Pool
from forebay.planning.user import UserBuffer

Answer = dict[str, tuple[str, int]]


def usmp_by_size(buffers: tuple[UserBuffer, ...], pools: tuple[Pool, ...]) -> Answer:
    return _stacked(sorted(buffers, key=lambda b: (-b.size, -len(b.conflicts))), pools[0])


def usmp_by_conflicts(buffers: tuple[UserBuffer, ...], pools: tuple[Pool, ...]) -> Answer:
    return _stacked(sorted(buffers, key=lambda b: (-len(b.conflicts), -b.size)), pools[0])


def tflite_micro(buffers: tuple[UserBuffer, ...], pools: tuple[Pool, ...]) -> Answer:
    return _filled(sorted(buffers, key=lambda b: -b.size), pools[0], smallest=False)


def iree(buffers: tuple[UserBuffer, ...], pools: tuple[Pool, ...]) -> Answer:
    return _filled(sorted(buffers, key=lambda b: b.lifetime[0].start), pools[0], smallest=True)


def _stacked(buffers: list[UserBuffer], pool: Pool) -> Answer:
    ends: dict[str, int] = {}
    placed: Answer = {}
    for buffer in buffers:
        top = max((ends[name] for name in buffer.conflicts if name in ends), default=0)
        offset = _round_up(top, buffer.alignment)
        placed[buffer.name], ends[buffer.name] = (pool.name, offset), offset + buffer.size
    return placed


def _filled(buffers: list[UserBuffer], pool: Pool, smallest: bool) -> Answer:
    ranges: dict[str, tuple[int, int]] = {}
    for buffer in buffers:
        taken = sorted(ranges[name] for name in buffer.conflicts if name in ranges)
        offset, holes = 0, []
        for start, end in taken:
            if offset + buffer.size <= start:
                holes.append((start - offset, offset))
            offset = max(offset, _round_up(end, buffer.alignment))
        chosen = (min(holes) if smallest else holes[0])[1] if holes else offset
        ranges[buffer.name] = (chosen, chosen + buffer.size)
    return {name: (pool.name, start) for name, (start, _) in ranges.items()}


def _round_up(value: int, alignment: int) -> int:
    return -(-value // alignment) * alignment
