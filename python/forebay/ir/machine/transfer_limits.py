"""The blocks that one call of a transfer's C function can move; larger blocks take several calls.

A block has a normal form of the fewest dimensions (`transfer_block_of`). One call may need another
form of the same block: a run that is too long is an extent of shorter runs, and an extent that is
too large is two extents, as far as the transfer has dimensions::

    run of 256 bytes      limits extent 16, bytes 64, rank 2      extent 4, stride 64, run 64
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

from msgspec import Struct

from forebay.dialects.accel import TransferOp
from forebay.ir.machine.blocks import BlockDimension, TransferBlock, block_of
from forebay.ir.machine.transfers import limits_of


class TransferLimits(Struct, frozen=True):
    """The numbers that one call can take; `units` are the bytes of a row on both sides.

    `extents` are the largest extents, outermost first, None without a limit.
    """

    granule: int
    extents: tuple[int | None, ...]
    bytes: int | None
    units: tuple[int, int]

    @staticmethod
    def of(transfer: TransferOp, units: tuple[int, int]) -> TransferLimits:
        """Return the limits that a transfer declares."""
        known, outer = limits_of(transfer), transfer.rank.value - 1
        names = ["extent"] if outer == 1 else [f"extent{number}" for number in range(outer)]
        granule = 1 if transfer.granule is None else transfer.granule.value
        return TransferLimits(granule, tuple(map(known.get, names)), known.get("bytes"), units)

    def fitted(self, block: TransferBlock) -> TransferBlock | None:
        """Return the block as one call moves it, with all outer dimensions, or None."""
        outer, run = list(block.outer), block.bytes
        if self.bytes is not None and run > self.bytes:
            part = _largest_divisor(run, self.bytes, math.lcm(self.granule, *self.units))
            if part is None:
                return None
            outer.append(BlockDimension(run // part, part, part))
            run = part
        if run % self.granule:
            return None
        placed = self._placed(outer)
        return None if placed is None else TransferBlock(placed, run)

    def _placed(self, outer: Sequence[BlockDimension]) -> tuple[BlockDimension, ...] | None:
        """Return the dimensions, one per extent of the C function, or None."""
        free = list(self.extents)
        placed: list[BlockDimension] = []
        pending = list(outer)
        while pending:
            dimension = pending.pop()
            if not free:
                return None
            most = free.pop()
            part = dimension.extent
            if most is not None and part > most:
                part = _largest_divisor(part, most, 1) or 1
                steps = (dimension.source_stride, dimension.target_stride)
                rest = dimension.extent // part
                pending.append(BlockDimension(rest, *(step * part for step in steps)))
            placed.append(BlockDimension(part, dimension.source_stride, dimension.target_stride))
        missing = [BlockDimension(1, 0, 0)] * len(free)
        return (*missing, *reversed(placed))


class CopiedBox(Struct, frozen=True):
    """A box of a copied block: its first element and its sizes, per dimension."""

    offsets: tuple[int, ...]
    sizes: tuple[int, ...]


class TransferSplitter:
    """Cuts a block of elements into boxes that one call each can move.

    `strides` are those of source and target in elements of `element` bytes.
    """

    def __init__(
        self, strides: tuple[Sequence[int], Sequence[int]], element: int, limits: TransferLimits
    ) -> None:
        self._strides, self._element, self._limits = strides, element, limits

    def boxes(self, sizes: Sequence[int]) -> list[CopiedBox] | None:
        """Return the boxes in row-major order, or None if not even single elements fit."""
        whole = tuple(sizes)
        if self._fits(whole):
            return [CopiedBox((0,) * len(whole), whole)]
        grids = [self._part_sizes(whole, in_normal_form=plain) for plain in (True, False)]
        possible = [parts for parts in grids if parts is not None]
        if not possible:
            return None
        parts = min(possible, key=lambda parts: _count(whole, parts))
        return self._grid(whole, parts)

    def _part_sizes(
        self, sizes: tuple[int, ...], *, in_normal_form: bool
    ) -> tuple[int, ...] | None:
        """Return the sizes of a box that fits, as large as possible in the innermost dimensions.

        `in_normal_form`, the call moves the normal form of the box, so that inner dimensions leave
        extents to outer ones.
        """
        parts = (1,) * len(sizes)
        for dimension in reversed([d for d, size in enumerate(sizes) if size > 1]):
            for part in range(sizes[dimension], 0, -1):
                larger = _with(parts, dimension, part)
                is_cut = part < sizes[dimension]
                if is_cut and not self._begins_on_row(dimension, part):
                    continue
                if self._fits(larger, in_normal_form=in_normal_form):
                    parts = larger
                    break
            else:
                return None
        return parts if parts != sizes else None

    def _grid(self, sizes: tuple[int, ...], parts: tuple[int, ...]) -> list[CopiedBox] | None:
        """Return the boxes of a grid of `parts`; those at its end are smaller, and may be cut."""
        begins = (range(0, size, part) for size, part in zip(sizes, parts, strict=True))
        found: list[CopiedBox] = []
        for begin in itertools.product(*begins):
            ends = zip(begin, parts, sizes, strict=True)
            inner = self.boxes([min(part, size - at) for at, part, size in ends])
            if inner is None:
                return None
            found += [
                CopiedBox(tuple(a + b for a, b in zip(begin, box.offsets, strict=True)), box.sizes)
                for box in inner
            ]
        return found

    def _begins_on_row(self, dimension: int, part: int) -> bool:
        steps = (strides[dimension] * part * self._element for strides in self._strides)
        return not any(s % unit for s, unit in zip(steps, self._limits.units, strict=True))

    def _fits(self, sizes: tuple[int, ...], *, in_normal_form: bool = False) -> bool:
        block = block_of(sizes, *self._strides, self._element)
        placed = self._limits.fitted(block)
        if placed is None:
            return False
        used = [outer for outer in placed.outer if outer.extent > 1]
        if in_normal_form and len(used) > len(block.outer):
            return False
        return not any(
            step % unit
            for outer in used
            for step, unit in zip(
                (outer.source_stride, outer.target_stride), self._limits.units, strict=True
            )
        )


def _count(sizes: Sequence[int], parts: Sequence[int]) -> int:
    return math.prod(-(-size // part) for size, part in zip(sizes, parts, strict=True))


def _with(numbers: tuple[int, ...], dimension: int, number: int) -> tuple[int, ...]:
    return (*numbers[:dimension], number, *numbers[dimension + 1 :])


def _largest_divisor(number: int, most: int, multiple: int) -> int | None:
    """Return the largest divisor up to `most` that is a multiple of `multiple`, or None."""
    return next(
        (part for part in _multiples_down(min(number, most), multiple) if number % part == 0), None
    )


def _multiples_down(most: int, multiple: int) -> Iterator[int]:
    yield from range(most - most % multiple, 0, -multiple)
