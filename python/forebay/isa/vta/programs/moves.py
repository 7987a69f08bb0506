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


@dataclass(frozen=True)
class ImageSource:
    """`rows` x `columns` pixels of `blocks` elements from a byte address.

    Strides are in elements; between pixels there may be blocks of other channels.
    """

    address: int
    rows: int
    columns: int
    blocks: int
    row_stride: int
    pixel_stride: int

    @property
    def has_whole_pixels(self) -> bool:
        """Return whether the pixels of a row are contiguous."""
        return self.pixel_stride == self.blocks

    @property
    def is_empty(self) -> bool:
        """Return whether there is no pixel: a tile in the border."""
        return not (self.rows and self.columns)

    def whole(self) -> DramBlock:
        """Return all rows, whose pixels are contiguous."""
        return DramBlock(self.address, self.rows, self.columns * self.blocks, self.row_stride)

    def row(self, number: int) -> DramBlock:
        """Return one row."""
        address = self.address + number * self.row_stride * AccessedMemory.INP.value
        if self.has_whole_pixels:
            return DramBlock(address, 1, self.columns * self.blocks)
        return DramBlock(address, self.columns, self.blocks, self.pixel_stride)


def load_padded_image(sram: int, image: ImageSource, border: Border) -> list[ProgramStep]:
    """Load an image and its border.

    A border of zeros is part of the LOAD if `border` has no address. Any other border is loaded
    from the element at that address.
    """
    if border.value_address is None and not border.is_empty:
        return [_load_with_pads(sram, image, border)]
    if image.has_whole_pixels and not border.left and not border.right:
        parts = [image.whole()]
    else:
        parts = [image.row(y) for y in range(image.rows)]
    return _load_with_elements(sram, image, parts, border)


def fits_pads(image: ImageSource, border: Border) -> bool:
    """Return whether one LOAD has all of a border of zeros as its pads."""
    pads = (border.left * image.blocks, border.right * image.blocks, border.top, border.bottom)
    return image.has_whole_pixels and not image.is_empty and max(pads) <= _MOST_PAD


def _load_with_pads(sram: int, image: ImageSource, border: Border) -> ProgramStep:
    if not fits_pads(image, border):
        raise ValueError(
            f"{border} of {image}: a LOAD has pads of at most {_MOST_PAD} elements, around pixels"
        )
    step = load_block(VtaMemory.INP, sram, image.whole())
    assert isinstance(step.instruction, VtaLoad)
    rows = border.top + image.rows + border.bottom
    columns = border.left + image.columns + border.right
    padded = replace(
        step.instruction,
        pad_up=border.top,
        pad_down=border.bottom,
        pad_left=border.left * image.blocks,
        pad_right=border.right * image.blocks,
    )
    written = AccessRange(AccessedMemory.INP, sram, sram + rows * columns * image.blocks)
    return replace(step, instruction=padded, writes=(written,))


def _load_with_elements(
    sram: int, image: ImageSource, parts: list[DramBlock], border: Border
) -> list[ProgramStep]:
    """Load the pixels in the order of the tile; neighbours in the border share a LOAD."""
    width = (border.left + image.columns + border.right) * image.blocks
    if image.is_empty:
        return _load_border(sram, border, (border.top + image.rows + border.bottom) * width)
    before, after = border.left * image.blocks, border.right * image.blocks
    steps: list[ProgramStep] = []
    at, pending = sram, border.top * width
    for part in parts:
        steps += _load_border(at, border, pending + before)
        at += pending + before
        steps.append(load_block(VtaMemory.INP, at, part))
        at += part.rows * part.columns
        pending = after
    return [*steps, *_load_border(at, border, pending + border.bottom * width)]


def _load_border(sram: int, border: Border, count: int) -> list[ProgramStep]:
    """Load the element of the border `count` times."""
    if not count:
        return []
    assert border.value_address is not None
    return [load_block(VtaMemory.INP, sram, DramBlock(border.value_address, count, 1))]


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
