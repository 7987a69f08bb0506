"""Loads and stores of tiles.

image    [rows][columns][blocks][16 channels]                       INP
weights  [output blocks][kernel rows][kernel columns][input blocks][16][16]   WGT
sums     [rows][columns][blocks][16 channels], int32                ACC
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from forebay.isa.vta.instructions import VtaLoad, VtaMemory, VtaStore
from forebay.isa.vta.programs.step import AccessedMemory, AccessRange, ProgramStep

_MOST_PAD = 15
_OF_MEMORY = {
    VtaMemory.INP: AccessedMemory.INP,
    VtaMemory.WGT: AccessedMemory.WGT,
    VtaMemory.ACC: AccessedMemory.ACC,
}


@dataclass(frozen=True)
class DramBlock:
    """`rows` x `columns` elements from a byte address, with `stride` elements between rows."""

    address: int
    rows: int
    columns: int
    stride: int = 0

    def elements(self, bytes_each: int) -> AccessRange:
        """Return the bytes from the first to the last element."""
        last = (self.rows - 1) * self.stride + self.columns
        end = self.address + last * bytes_each
        return AccessRange(AccessedMemory.DRAM, self.address, end)


@dataclass(frozen=True)
class Border:
    """Pixels around an image, and the address of 16 bytes that they hold, None for zeros."""

    top: int = 0
    bottom: int = 0
    left: int = 0
    right: int = 0
    value_address: int | None = None

    @property
    def is_empty(self) -> bool:
        """Return whether there are no such pixels."""
        return not (self.top or self.bottom or self.left or self.right)


def load_block(memory: VtaMemory, sram: int, block: DramBlock) -> ProgramStep:
    """Load a block into consecutive elements."""
    accessed = _OF_MEMORY[memory]
    load = VtaLoad(
        memory,
        sram,
        block.address // accessed.value,
        rows=block.rows,
        columns=block.columns,
        stride=block.stride,
    )
    return ProgramStep(
        load,
        reads=(block.elements(accessed.value),),
        writes=(AccessRange(accessed, sram, sram + block.rows * block.columns),),
    )


def load_image(sram: int, block: DramBlock, blocks: int, border: Border) -> list[ProgramStep]:
    """Load an image of `blocks` elements per pixel, whose rows are rows of the block.

    A border of zeros is part of the LOAD if the pads are small enough. Any other border is loaded
    from an element in main memory, whose address must then be given.
    """
    if border.is_empty:
        return [load_block(VtaMemory.INP, sram, block)]
    if border.value_address is None:
        return [_load_with_pads(sram, block, blocks, border)]
    return _load_with_elements(sram, block, blocks, border, border.value_address)


def _load_with_pads(sram: int, block: DramBlock, blocks: int, border: Border) -> ProgramStep:
    step = load_block(VtaMemory.INP, sram, block)
    assert isinstance(step.instruction, VtaLoad)
    left, right = border.left * blocks, border.right * blocks
    if max(left, right, border.top, border.bottom) > _MOST_PAD:
        raise ValueError(f"pads of {left} and {right} elements: LOAD pads by at most {_MOST_PAD}")
    rows, columns = border.top + block.rows + border.bottom, left + block.columns + right
    return replace(
        step,
        instruction=replace(
            step.instruction,
            pad_up=border.top,
            pad_down=border.bottom,
            pad_left=left,
            pad_right=right,
        ),
        writes=(AccessRange(AccessedMemory.INP, sram, sram + rows * columns),),
    )


def _load_with_elements(
    sram: int, block: DramBlock, blocks: int, border: Border, value_address: int
) -> list[ProgramStep]:
    """Load the pixels in the order of the tile; neighbours of one value share a LOAD."""
    width = block.columns + (border.left + border.right) * blocks
    steps: list[ProgramStep] = []
    pending = border.top * width
    at = sram
    whole_rows = not border.left and not border.right
    parts = [block] if whole_rows else _rows_of(block)
    for part in parts:
        pending += border.left * blocks
        steps += _repeated(at, value_address, pending)
        at += pending
        steps.append(load_block(VtaMemory.INP, at, part))
        at += part.rows * part.columns
        pending = border.right * blocks
    return [*steps, *_repeated(at, value_address, pending + border.bottom * width)]


def _rows_of(block: DramBlock) -> list[DramBlock]:
    step = block.stride * AccessedMemory.INP.value
    return [DramBlock(block.address + y * step, 1, block.columns) for y in range(block.rows)]


def _repeated(sram: int, value_address: int, count: int) -> list[ProgramStep]:
    """Load one element `count` times."""
    if not count:
        return []
    return [load_block(VtaMemory.INP, sram, DramBlock(value_address, count, 1))]


def store_block(sram: int, block: DramBlock) -> ProgramStep:
    """Store the low bytes of consecutive sums."""
    size = AccessedMemory.INP.value
    store = VtaStore(
        VtaMemory.OUT,
        sram,
        block.address // size,
        rows=block.rows,
        columns=block.columns,
        stride=block.stride,
    )
    source = AccessRange(AccessedMemory.ACC, sram, sram + block.rows * block.columns)
    return ProgramStep(store, reads=(source,), writes=(block.elements(size),))
