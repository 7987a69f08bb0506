"""The rules that a problem must satisfy before planning starts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise

from forebay.planning.model.buffer import Buffer
from forebay.planning.model.errors import ProblemError
from forebay.planning.model.separation import Separation
from forebay.pools import Pool

LARGEST = 2**63 - 1
"""Largest capacity. Capacities are only compared; sums have the limit of module `magnitudes`."""


def check_pools(pools: Sequence[Pool]) -> None:
    """Raise `ProblemError` for a pool with inconsistent fields or two pools with one name."""
    _unique("pool", (pool.name for pool in pools))
    for pool in pools:
        refuse = _refusal(pool)
        if pool.capacity is not None and not 0 <= pool.capacity <= LARGEST:
            raise refuse(f"has capacity {pool.capacity:,}; it must be 0 to 2^63 - 1 bytes")
        if not _is_power_of_two(pool.alignment):
            raise refuse(f"has alignment {pool.alignment}; it must be a power of two")
        if pool.unit < 1:
            raise refuse(f"has rows of {pool.unit} bytes; they must have at least 1")
        if min(pool.start, pool.weight, pool.cost or 0, pool.base or 0) < 0:
            raise refuse("has a negative start, base, weight or cost")
        if pool.base_bytes % pool.alignment_of(None):
            raise refuse(f"has base {pool.base:#x}, not aligned to {pool.alignment_of(None)}")
        _check_banks(pool)
        for start, end in pool.reserved:
            if not 0 <= start < end:
                raise refuse(f"reserves [{start:,}, {end:,}), which is not a byte range")


def check_buffers(buffers: Sequence[Buffer], pools: Sequence[Pool]) -> None:
    """Raise `ProblemError` for inconsistent buffers, duplicate names and unknown pools."""
    _unique("buffer", (buffer.name for buffer in buffers))
    by_name = {pool.name: pool for pool in pools}
    for buffer in buffers:
        _check_size(buffer)
        _check_lifetime(buffer)
        _check_candidates(buffer, by_name)
        if buffer.pinned_offset is not None:
            if len(buffer.pools) != 1:
                raise ProblemError(
                    f"buffer '{buffer.name}' is pinned to offset {buffer.pinned_offset:,} "
                    f"but has several candidate pools",
                    buffers=[buffer.name],
                )
            _check_pin(buffer, buffer.pinned_offset, by_name[buffer.pools[0]])


def check_conflicts(conflicts: Iterable[tuple[str, str]], buffers: Sequence[Buffer]) -> None:
    """Raise `ProblemError` for an invalid conflict pair.

    A pair is invalid when it names an unknown buffer, one buffer twice or two buffers of one alias
    group.
    """
    by_name = {buffer.name: buffer for buffer in buffers}
    for first, second in conflicts:
        _check_pair("conflict", "conflicts with", first, second, by_name)


def check_separations(separations: Iterable[Separation], buffers: Sequence[Buffer]) -> None:
    """Raise `ProblemError` for an invalid separation.

    A separation is invalid when it names an unknown buffer, one buffer twice or two buffers of one
    alias group, or when it has a negative penalty.
    """
    by_name = {buffer.name: buffer for buffer in buffers}
    for separation in separations:
        _check_pair("separation", "is separated from", separation.first, separation.second, by_name)
        if separation.shared_byte < 0 or separation.same_bank < 0:
            raise ProblemError(
                f"separation ({separation.first}, {separation.second}): a penalty must not be "
                "negative",
                buffers=[separation.first, separation.second],
            )


def check_groups(buffers: Sequence[Buffer], pools: Sequence[Pool]) -> None:
    """Raise `ProblemError` for an alias group whose members cannot share an address."""
    groups: dict[str, list[Buffer]] = {}
    for buffer in buffers:
        if buffer.alias is not None:
            groups.setdefault(buffer.alias, []).append(buffer)
    for name, members in groups.items():
        common = set(members[0].pools).intersection(*(member.pools for member in members))
        if not common:
            raise ProblemError(
                f"members of alias group '{name}' have no pool in common",
                buffers=[member.name for member in members],
            )
        pins = {m.pinned_offset for m in members if m.pinned_offset is not None}
        if len(pins) > 1:
            raise ProblemError(
                f"members of alias group '{name}' are pinned to {sorted(pins)}",
                buffers=[member.name for member in members],
            )
        pool = next(pool for pool in pools if pool.name in common)
        for member in members if pins else ():
            _check_pin(member, next(iter(pins)), pool)


def _check_pair(
    what: str, verb: str, first: str, second: str, by_name: Mapping[str, Buffer]
) -> None:
    for name in (first, second):
        if name not in by_name:
            raise ProblemError(
                f"{what} ({first}, {second}): there is no buffer '{name}'", buffers=[name]
            )
    if first == second:
        raise ProblemError(f"buffer '{first}' {verb} itself", buffers=[first])
    block = by_name[first].block
    if block is not None and block == by_name[second].block:
        raise ProblemError(
            f"{what} ({first}, {second}): both are of block '{block}'", buffers=[first, second]
        )
    group = by_name[first].alias
    if group is not None and group == by_name[second].alias:
        raise ProblemError(
            f"{what} ({first}, {second}): both are of alias group '{group}'",
            buffers=[first, second],
        )


def _check_banks(pool: Pool) -> None:
    refuse = _refusal(pool)
    if pool.banks < 1:
        raise refuse(f"has {pool.banks} banks; there must be at least 1")
    if pool.banks == 1:
        return
    if pool.capacity is None:
        raise refuse("has banks; it needs a capacity that they divide")
    if pool.capacity == 0 or pool.capacity % (pool.banks * pool.unit):
        raise refuse(f"has {pool.capacity:,} bytes, which are not {pool.banks} banks of whole rows")


def _check_size(buffer: Buffer) -> None:
    refuse = _refusal(buffer)
    if buffer.size < 1:
        raise refuse(f"has size {buffer.size:,}; it must be at least 1 byte")
    if buffer.alignment is not None and not _is_power_of_two(buffer.alignment):
        raise refuse(f"has alignment {buffer.alignment}; it must be a power of two")


def _check_lifetime(buffer: Buffer) -> None:
    refuse = _refusal(buffer)
    for start, end in buffer.lifetime:
        if start >= end:
            raise refuse(f"has the empty lifetime [{start}, {end}); end is exclusive")
    for before, after in pairwise(buffer.lifetime):
        if after.start < before.end:
            raise refuse(f"has lifetimes {before} and {after} that overlap or are not in order")


def _check_candidates(buffer: Buffer, pools: dict[str, Pool]) -> None:
    refuse = _refusal(buffer)
    known = ", ".join(f"'{name}'" for name in pools) or "none"
    for name in (*buffer.candidates, *buffer.pools):
        if name not in pools:
            raise refuse(f"may live in pool '{name}', which does not exist; pools: {known}")
    if not buffer.pools:
        raise refuse(f"has no candidate pool; pools: {known}")
    if len(set(buffer.candidates)) != len(buffer.candidates):
        raise refuse(f"names a candidate pool twice: {', '.join(buffer.candidates)}")
    if buffer.candidates and buffer.pinned_pool not in (None, *buffer.candidates):
        raise refuse(f"is pinned to '{buffer.pinned_pool}', which is not a candidate")
    if buffer.costs is not None and (
        len(buffer.costs) != len(buffer.candidates) or min(buffer.costs) < 0
    ):
        raise refuse(f"needs one cost of at least 0 per candidate, has {buffer.costs}")


def _check_pin(buffer: Buffer, offset: int, pool: Pool) -> None:
    refuse = _refusal(buffer)
    alignment = pool.alignment_of(buffer.alignment)
    if pool.align(offset, alignment) != offset:
        raise refuse(f"is pinned to offset {offset:,}, which is not aligned to {alignment}")
    end = offset + pool.rounded(buffer.size)
    if offset < pool.start or (pool.capacity is not None and end > pool.capacity):
        raise refuse(f"is pinned to [{offset:,}, {end:,}), outside pool '{pool.name}'")
    for reserved in pool.reserved:
        if offset < reserved.end and reserved.start < end:
            raise refuse(f"is pinned to [{offset:,}, {end:,}), into reserved {reserved}")


def _unique(what: str, names: Iterable[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ProblemError(f"there are two {what}s named '{name}'")
        seen.add(name)


def _refusal(subject: Buffer | Pool) -> Callable[[str], ProblemError]:
    if isinstance(subject, Buffer):
        return lambda text: ProblemError(f"buffer '{subject.name}' {text}", buffers=[subject.name])
    return lambda text: ProblemError(f"pool '{subject.name}' {text}", pools=[subject.name])


def _is_power_of_two(value: int) -> bool:
    return value > 0 and value & (value - 1) == 0
