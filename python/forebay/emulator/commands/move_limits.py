"""The largest extents and runs that one call of a transfer moves.

The machine looks for any form of a block that a call could take: a run may be several shorter runs,
and an extent the product of two. It shares no code with the compiler, which has to find one form.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mlir import ir

from forebay.dialects.accel import TransferOp
from forebay.emulator.commands.blocks import StridedBlock


@dataclass(frozen=True)
class MoveLimits:
    """The limits per outer dimension, outermost first, and of a run; None without a limit."""

    extents: tuple[int | None, ...]
    run: int | None
    granule: int

    @staticmethod
    def of(op: TransferOp) -> MoveLimits:
        """Return the limits that the op declares by the names of the C function's parameters."""
        attributes = {} if op.limits is None else {a.name: a.attr for a in ir.DictAttr(op.limits)}
        known = {name: ir.IntegerAttr(value).value for name, value in attributes.items()}
        rank, granule = op.rank.value, 1 if op.granule is None else op.granule.value
        if rank == 2:
            return MoveLimits((known.get("extent"),), known.get("bytes"), granule)
        extents = tuple(known.get(f"extent{number}") for number in range(rank - 1))
        return MoveLimits(extents, known.get("bytes"), granule)

    def __str__(self) -> str:
        """Return the limits for messages."""
        extents = [most for most in self.extents if most is not None]
        return f"extents up to {extents} and runs up to {self.run} bytes"

    def admit(self, block: StridedBlock) -> bool:
        """Return whether one call can move the block."""
        if self.run is None and not any(self.extents):
            return True
        extents = [axis.extent for axis in block.axes]
        most = block.run if self.run is None else min(block.run, self.run)
        return any(
            block.run % run == 0
            and run % self.granule == 0
            and _fit([*extents, block.run // run], self.extents)
            for run in range(1, most + 1)
        )

    def allow(self, extents: Sequence[int], run: int) -> bool:
        """Return whether a call may have exactly these numbers."""
        pairs = zip(extents, self.extents, strict=True)
        is_short = self.run is None or run <= self.run
        return is_short and all(most is None or extent <= most for extent, most in pairs)


def _fit(extents: Sequence[int], most: Sequence[int | None]) -> bool:
    """Return whether the extents, or factors of them in their order, are within the limits."""
    left = [extent for extent in extents if extent > 1]
    if not left:
        return True
    if not most:
        return False
    *outer, last = left
    limit = last if most[-1] is None else min(last, most[-1])
    return any(
        last % part == 0 and _fit([*outer, last // part], most[:-1]) for part in range(1, limit + 1)
    )
