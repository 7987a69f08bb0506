"""The check whether a transfer can move a block from one memref to another."""

from __future__ import annotations

import math
from collections.abc import Sequence

from mlir import ir

from forebay.dialects.accel import TransferOp
from forebay.ir.machine.blocks import TransferBlock, transfer_block_of
from forebay.ir.machine.pools import Pools, candidates_of, element_bytes
from forebay.ir.machine.transfer_limits import TransferLimits
from forebay.ir.machine.transfers import describe_limits, pools_of
from forebay.ir.views.layouts import offset_of
from forebay.pools import Pool


def transfer_mismatch(
    transfer: TransferOp, source: ir.MemRefType, target: ir.MemRefType, pools: Pools
) -> str | None:
    """Return why the transfer cannot move between these memrefs, or None where it can."""
    block = transfer_block_of(source, target)
    granule = 1 if transfer.granule is None else transfer.granule.value
    sides = (("from", transfer.sources, source), ("to", transfer.targets, target))
    for word, names, type_ in sides:
        if not set(pools_of(names)) & set(candidates_of(type_)):
            return f"moves {word} {list_pools(pools_of(names))}"
    if block.rank > transfer.rank.value:
        return f"moves {transfer.rank.value} dimensions, and this has {block.rank}"
    if block.bytes % granule:
        return f"moves multiples of {granule} bytes, and each run here has {block.bytes}"
    units = units_between(transfer, source, target, pools)
    if TransferLimits.of(transfer, units).fitted(block) is None:
        return f"moves less in one call{describe_limits(transfer)}, and calls must begin on a row"
    for word, names, type_ in sides:
        reached = [pools[n] for n in candidates_of(type_) if n in pools_of(names)]
        reason = _between_rows(block, word, type_, reached)
        if reason is not None:
            return reason
    return None


def units_between(
    transfer: TransferOp, source: ir.MemRefType, target: ir.MemRefType, pools: Pools
) -> tuple[int, int]:
    """Return the bytes of a row on both sides, in the pools that the transfer may use."""
    sides = ((transfer.sources, source), (transfer.targets, target))
    one, other = (
        math.lcm(*(pools[n].unit for n in candidates_of(type_) if n in pools_of(names)))
        for names, type_ in sides
    )
    return one, other


def _between_rows(
    block: TransferBlock, word: str, type_: ir.MemRefType, pools: Sequence[Pool]
) -> str | None:
    """Return why an address or a stride is not a whole number of rows, or None."""
    offset = offset_of(type_)
    begins = None if offset is None else offset * element_bytes(type_.element_type)
    for pool in pools:
        if pool.unit == 1:
            continue
        strides = [d.source_stride if word == "from" else d.target_stride for d in block.outer]
        if begins is None or begins % pool.unit or any(s % pool.unit for s in strides):
            return f"addresses rows of {pool.unit} bytes in @{pool.name}, and this is between them"
    return None


def list_pools(names: Sequence[str]) -> str:
    """Return the names of pools for a message; no names stand for the caller's memory."""
    return " or ".join(f"@{name}" for name in names) or "the caller's memory"
