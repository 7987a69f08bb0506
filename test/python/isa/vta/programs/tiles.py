"""Programs of a convolution in tiles, in a main memory of their own, and what they must compute."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from forebay.isa.main_memory import MainMemory
from forebay.isa.vta.codec import encode_vta
from forebay.isa.vta.instructions import AluOp, VtaMemory
from forebay.isa.vta.interpreter import run_vta
from forebay.isa.vta.programs.micro_op_memory import MicroOpMemory
from forebay.isa.vta.programs.moves import (
    Border,
    DramBlock,
    ImageSource,
    load_block,
    load_padded_image,
    store_block,
)
from forebay.isa.vta.programs.order import with_tokens
from forebay.isa.vta.programs.products import TileProduct, combine_sums, multiply_tiles
from forebay.isa.vta.programs.step import ProgramStep

from ..plain_vta import PlainVta

BASE = 0x1000


@dataclass
class Ram:
    """Main memory that is filled from the front; the micro-ops come last."""

    data: bytearray = field(default_factory=lambda: bytearray(b""))

    def put(self, array: np.ndarray, alignment: int = 256) -> int:
        self.data.extend(bytes(-len(self.data) % alignment))
        address = BASE + len(self.data)
        self.data.extend(array.tobytes())
        return address

    def end(self) -> int:
        self.data.extend(bytes(-len(self.data) % 256))
        return BASE + len(self.data)


def run(steps: list[ProgramStep], ram: Ram, micro_ops: MicroOpMemory) -> np.ndarray:
    """Run a program on the strict interpreter, and in program order on plain loops."""
    program = with_tokens(steps)
    data = bytes(ram.data) + micro_ops.words().tobytes()
    memory = MainMemory(BASE, np.frombuffer(data, np.uint8))
    run_vta(program, memory)
    plain = PlainVta(BASE, data).run([encode_vta(instruction) for instruction in program])
    assert plain == memory.data.tobytes()
    return memory.data


def whole_image(border: Border, image: np.ndarray, fill: int) -> np.ndarray:
    """Return `[rows][columns][channels]` with its border."""
    around = ((border.top, border.bottom), (border.left, border.right), (0, 0))
    return np.pad(image, around, constant_values=fill)


def convolved(tile: TileProduct, image: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return sums `[rows][columns][output channels]` by NumPy."""
    sums = np.zeros((tile.rows, tile.columns, tile.out_blocks, 16), np.int64)
    pixels = image.astype(np.int64).reshape(*image.shape[:2], -1, 16)
    for y, x in np.ndindex(tile.rows, tile.columns):
        top, left = y * tile.stride_rows, x * tile.stride_columns
        bottom = top + (tile.kernel_rows - 1) * tile.dilation_rows + 1
        right = left + (tile.kernel_columns - 1) * tile.dilation_columns + 1
        window = pixels[top : bottom : tile.dilation_rows, left : right : tile.dilation_columns]
        if tile.depthwise:
            sums[y, x] = np.einsum("yxbi,byxoi->bo", window, weights[:, :, :, 0])
        else:
            sums[y, x] = np.einsum("yxki,byxkoi->bo", window, weights)
    return sums


def convolution_steps(
    tile: TileProduct, border: Border, fill: int, shift: int, depth: int = 2048
) -> tuple[list[ProgramStep], Ram, MicroOpMemory, int, np.ndarray]:
    """Return a program of one tile, its memory, the address of the result, and the result."""
    draw = np.random.default_rng(0)
    window = (tile.kernel_rows - 1) * tile.dilation_rows + 1
    height = (tile.rows - 1) * tile.stride_rows + window - border.top - border.bottom
    width = tile.image_columns - border.left - border.right
    image = draw.integers(-128, 128, (height, width, tile.in_blocks * 16), np.int8)
    summed = 1 if tile.depthwise else tile.in_blocks
    shape = (tile.out_blocks, tile.kernel_rows, tile.kernel_columns, summed, 16, 16)
    weights = draw.integers(-128, 128, shape, np.int8)
    bias = draw.integers(-5000, 5000, (tile.out_blocks, 16), np.int32)
    ram = Ram()
    at = [ram.put(array) for array in (image, weights, bias, np.full(16, fill, np.int8))]
    out = ram.put(np.zeros((tile.rows, tile.columns, tile.out_blocks, 16), np.int8))
    micro_ops = MicroOpMemory(ram.end(), depth)
    stored = Border(border.top, border.bottom, border.left, border.right, at[3] if fill else None)
    row = width * tile.in_blocks
    source = ImageSource(at[0], height, width, tile.in_blocks, row, tile.in_blocks)
    weight_blocks = DramBlock(at[1], 1, tile.weights)
    steps = [
        *load_padded_image(5, source, stored),
        load_block(VtaMemory.WGT, 3, weight_blocks),
        load_block(VtaMemory.ACC, 7, DramBlock(at[2], tile.rows * tile.columns, tile.out_blocks)),
        *multiply_tiles(tile, 5, 3, 7, micro_ops),
        *combine_sums(AluOp.SHR, shift, 7, tile.sums, micro_ops),
        *combine_sums(AluOp.MIN, 127, 7, tile.sums, micro_ops),
        *combine_sums(AluOp.MAX, -128, 7, tile.sums, micro_ops),
        store_block(7, DramBlock(out, 1, tile.sums)),
    ]
    sums = convolved(tile, whole_image(border, image, fill), weights) + bias
    return steps, ram, micro_ops, out, np.clip(sums >> shift, -128, 127).astype(np.int8)
