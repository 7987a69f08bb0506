"""The rules of rigid blocks: buffers with fixed places relative to each other.

The rows of an input image die one by one, but the caller writes it as a whole::

    offset in the block   0        512       1024      1536
                          |row 0   |row 1    |row 2    |row 3
    lifetime              [0, 2)   [0, 3)    [0, 4)    [0, 4)
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Sequence

from forebay.planning.model.buffer import Buffer
from forebay.planning.model.errors import ProblemError
from forebay.pools import Pool


def rigid_blocks_of(buffers: Sequence[Buffer]) -> dict[str, list[Buffer]]:
    """Return the members of each block, in the order of the problem."""
    blocks: dict[str, list[Buffer]] = {}
    for buffer in buffers:
        if buffer.block is not None:
            blocks.setdefault(buffer.block, []).append(buffer)
    return blocks


def check_blocks(buffers: Sequence[Buffer], pools: Sequence[Pool]) -> None:
    """Raise `ProblemError` for a block whose members cannot keep their places."""
    by_name = {pool.name: pool for pool in pools}
    for buffer in buffers:
        if buffer.block is None and buffer.block_offset:
            raise _error(buffer, f"is {buffer.block_offset:,} bytes above no block")
    for name, members in rigid_blocks_of(buffers).items():
        first = members[0]
        for member in members:
            if member.alias is not None:
                raise _error(member, f"is in block '{name}' and in alias group '{member.alias}'")
            if member.pools != first.pools or member.costs is not None:
                raise _error(
                    member, f"has other pools than '{first.name}' of block '{name}', or own costs"
                )
            if member.always_live != first.always_live:
                raise _error(member, f"of block '{name}' is not always live like '{first.name}'")
            if member.block_offset < 0:
                raise _error(member, f"begins below block '{name}'")
            for pool in member.pools:
                _check_alignment(member, by_name[pool])
        pins = {m.pinned_offset - m.block_offset for m in members if m.pinned_offset is not None}
        if len(pins) > 1 or min(pins, default=0) < 0:
            raise _error(first, f"and its block '{name}' are pinned to begin at {sorted(pins)}")
        _check_overlaps(name, members)


def _check_alignment(member: Buffer, pool: Pool) -> None:
    alignment = pool.alignment_of(member.alignment)
    if member.block_offset % alignment:
        raise _error(
            member,
            f"is {member.block_offset:,} bytes above the beginning of block '{member.block}', "
            f"which is not aligned to {alignment}",
        )


def _check_overlaps(name: str, members: Sequence[Buffer]) -> None:
    """Refuse members that are live together and share bytes; a sweep over the ticks finds them."""
    events = [
        (tick, begins, number)
        for number, member in enumerate(members)
        for start, end in member.lifetime
        for tick, begins in ((start, True), (end, False))
    ]
    alive: list[tuple[int, int, int]] = []
    for _, begins, number in sorted(events):
        member = members[number]
        entry = member.block_offset, member.block_offset + member.size, number
        at = bisect_left(alive, entry)
        if not begins:
            del alive[at]
            continue
        for start, end, other in alive[max(at - 1, 0) : at + 1]:
            if start < entry[1] and entry[0] < end:
                raise _error(member, f"shares bytes of block '{name}' with '{members[other].name}'")
        insort(alive, entry)


def _error(member: Buffer, text: str) -> ProblemError:
    return ProblemError(f"buffer '{member.name}' {text}", buffers=[member.name])
