"""The fewest bytes that copies can move, by trying everything."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod

from common.programs.assign_programs import Model, Place, Program, Use

IMPOSSIBLE = 10**9


def trials(model: Model) -> int:
    """How many ways there are to place all slots."""
    return prod(len(places) for places in model.slots)


def fewest_bytes(program: Program) -> int:
    """The least over all places of all slots; `IMPOSSIBLE` when no assignment is right."""
    model = program.model
    orders = [sorted(places, reverse=True) for places in model.slots]
    by_value = [[use for use in model.uses if use.value == n] for n in range(len(model.values))]
    return min(
        (
            sum(_bytes(program, number, uses, places) for number, uses in enumerate(by_value))
            for places in product(*orders)
        ),
        default=IMPOSSIBLE,
    )


def _bytes(program: Program, number: int, uses: Sequence[Use], places: Sequence[Place]) -> int:
    """Of one value: every way in which its uses can be served by it and by copies."""
    slot, size, constant = program.model.values[number]
    at = places[slot]
    copies: list[tuple[str, Use | None]] = []
    readers: list[Use] = []
    for use in uses:
        if use.slot is None:
            readers.append(use)
            continue
        pool, writable = places[use.slot]
        if pool == at[0] and (at[1] or not writable) and not use.always_copied:
            continue
        copies.append((pool, use if writable else None))
    least = IMPOSSIBLE
    for choice in product(*(_choices(program, use, at, copies) for use in readers)):
        shared = {pool for pool, by in copies if by is None} | {c for c in choice if c is not None}
        own = [pool for pool, by in copies if by is not None]
        doubled = {pool for pool in shared if constant and pool in program.rom}
        prices = [_price(program, at, pool, size) for pool in [*(shared - doubled), *own]]
        least = min(least, sum(prices))
    return least


def _choices(
    program: Program, use: Use, at: Place, copies: Sequence[tuple[str, Use | None]]
) -> Iterator[str | None]:
    """None where the value or the copy of a later overwriting use serves, or a pool to copy to."""
    if at[0] in use.pools:
        yield None
    for pool, by in copies:
        if by is not None and pool in use.pools and _is_over(use, by):
            yield None
    yield from sorted(use.pools & {*program.work, *program.rom})


def _is_over(use: Use, by: Use) -> bool:
    """Whether `use`, in the block of `by` or inside of an op there, comes before it."""
    return f"{use.block}/".startswith(f"{by.block}/") and use.time < by.time


def _price(program: Program, at: Place, pool: str, size: int) -> int:
    """What it costs the host to copy."""
    if at[0] in program.host_reads and pool in program.host_writes:
        return size
    return IMPOSSIBLE
