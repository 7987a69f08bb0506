"""The planned placement of the rows of a buffer."""

from __future__ import annotations

from msgspec import Struct

from forebay.dialects.memref_pool import AllocOp
from forebay.ir.memory.underlying_buffers import UnderlyingBuffer
from forebay.ir.refused import RefusedError


class RowPlacement(Struct, frozen=True):
    """A pool, and the offset of each row in it."""

    pool: str
    offsets: tuple[int, ...]


def planned_rows(root: UnderlyingBuffer) -> RowPlacement:
    """Return the placement of the rows of a buffer; raises `RefusedError` when there is no plan."""
    attribute = root.op.row_placement if isinstance(root.op, AllocOp) else None
    if attribute is None:
        raise RefusedError(
            root.location,
            f"the rows of buffer '{root.name}' have no places yet; run memref-pool-plan first",
        )
    return RowPlacement(attribute.pool, attribute.offsets)
