"""Checks of pools that the host addresses at a constant base."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from forebay.dialects.memref_pool import PoolOp
from forebay.ir.refused import RefusedError
from forebay.pools import Fill, PoolKind

LOWEST = 4096
"""Lowest usable address: compilers treat lower ones as null pointers (GCC's `min-pagesize`)."""


def check_mapped(pools: Sequence[PoolOp], peaks: Mapping[str, int]) -> None:
    """Raise `RefusedError` for a pool whose bytes C cannot address, or that overlaps another one.

    `peaks` maps each pool to the bytes that the plan takes of it, those before its `start`
    included.
    """
    known: list[tuple[int, int, PoolOp]] = []
    for pool in pools:
        name = pool.sym_name.value
        if pool.local or pool.base is None or not peaks.get(name):
            continue
        _check_start(pool)
        start = pool.base.value + (0 if pool.start is None else pool.start.value)
        end = pool.base.value + peaks[name]
        if start < LOWEST:
            raise RefusedError(
                pool.location,
                f"pool @{name} is used from address {start:#x} on, but what lies below "
                f"{LOWEST:#x} is a null pointer's to compilers; give it a start of "
                f"{LOWEST - pool.base.value:,}, or leave the base out and let the linker place it",
            )
        for other_start, other_end, other in known:
            if start < other_end and other_start < end:
                raise RefusedError(
                    pool.location,
                    f"pool @{name} takes the addresses [{start:#x}, {end:#x}), and pool "
                    f"@{other.sym_name.value} [{other_start:#x}, {other_end:#x}); give one of them "
                    "another base or start, or make one pool of both",
                    [(other.location, f"@{other.sym_name.value} is declared here")],
                )
        known.append((start, end, pool))


def _check_start(pool: PoolOp) -> None:
    """Raise `RefusedError` if a state or a file of constants does not begin at the pool's base."""
    kind = PoolKind(pool.kind.value)
    is_filled_at_init = pool.fill is not None and Fill(pool.fill.value) is Fill.at_init
    if pool.start and kind is not PoolKind.workspace and not is_filled_at_init:
        what = "the state" if kind is PoolKind.state else "the file of constants"
        raise RefusedError(
            pool.location,
            f"pool @{pool.sym_name.value} has a start of {pool.start.value:,}, but {what} in it "
            "begins at its base; move the base there",
        )
