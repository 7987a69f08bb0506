"""Commands of a compiled program as instructions of VTA, at physical addresses."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from forebay.api.target import DeviceCommand, PlacedBytes
from forebay.api.vta import (
    AluOp,
    Border,
    DramBlock,
    ImageSource,
    MicroOpMemory,
    ProgramStep,
    TileProduct,
    VtaMemory,
    combine_sums,
    load_block,
    load_padded_image,
    multiply_tiles,
    store_block,
)
from forebay.targets.vta.intrinsics import ELEMENT_BYTES, INP, PRODUCT_SIZES, WGT

_VECTOR, _MATRIX = ELEMENT_BYTES[INP], ELEMENT_BYTES[WGT]


@dataclass(frozen=True)
class ProgramWriter:
    """The addresses of the pools in physical memory, and the micro-ops so far."""

    bases: Mapping[str, int]
    micro_ops: MicroOpMemory

    def steps(self, commands: Iterable[DeviceCommand]) -> list[ProgramStep]:
        """Return the instructions of all commands, in order."""
        writers: dict[str, Callable[[DeviceCommand], list[ProgramStep]]] = {
            "load_image": self._load_image,
            "load_weights": self._load_weights,
            "load_bias": self._load_bias,
            "multiply": self._multiply,
            "combine": self._combine,
            "store_bytes": self._store_bytes,
            "store_sums": self._store_sums,
        }
        made = (writers[command.name.rpartition(".")[2]](command) for command in commands)
        return list(itertools.chain.from_iterable(made))

    def address(self, operand: PlacedBytes) -> int:
        """Return the physical address of bytes in main memory."""
        assert operand.pool is not None
        return self.bases[operand.pool] + operand.offset

    def _load_image(self, command: DeviceCommand) -> list[ProgramStep]:
        x, border, y = command.operands
        of = command.scalars
        image = ImageSource(
            self.address(x),
            of["rows"],
            of["columns"],
            of["blocks"],
            row_stride=of["row_stride"],
            pixel_stride=of["pixel_stride"],
        )
        value = None if of["pads"] else self.address(border)
        around = Border(of["top"], of["bottom"], of["left"], of["right"], value)
        return load_padded_image(_element(y), image, around)

    def _load_weights(self, command: DeviceCommand) -> list[ProgramStep]:
        source, target = command.operands
        block = command.block
        assert block is not None
        run = block.bytes // _MATRIX
        rows = block.outer[-1] if block.outer else None
        steps: list[ProgramStep] = []
        for at in itertools.product(*(range(d.extent) for d in block.outer[:-1])):
            pairs = list(zip(at, block.outer, strict=False))
            address = self.address(source) + sum(i * d.source_stride for i, d in pairs)
            sram = target.offset + sum(i * d.target_stride for i, d in pairs)
            if rows is None or rows.target_stride == block.bytes:
                height, stride = (1, 0) if rows is None else (rows.extent, rows.source_stride)
                part = DramBlock(address, height, run, stride // _MATRIX)
                steps.append(load_block(VtaMemory.WGT, sram // _MATRIX, part))
                continue
            for row in range(rows.extent):
                part = DramBlock(address + row * rows.source_stride, 1, run)
                at_row = sram + row * rows.target_stride
                steps.append(load_block(VtaMemory.WGT, at_row // _MATRIX, part))
        return steps

    def _load_bias(self, command: DeviceCommand) -> list[ProgramStep]:
        bias, sums = command.operands
        of = command.scalars
        block = DramBlock(self.address(bias), of["pixels"], of["blocks"])
        return [load_block(VtaMemory.ACC, _element(sums), block)]

    def _multiply(self, command: DeviceCommand) -> list[ProgramStep]:
        x, w, sums = command.operands
        of = command.scalars
        sizes = {name: of[name] for name in PRODUCT_SIZES}
        product = TileProduct(**{**sizes, "depthwise": bool(of["depthwise"])})  # pyright: ignore[reportArgumentType]
        image, weights = _element(x) + of["image_first"], _element(w) + of["weights_first"]
        return multiply_tiles(product, image, weights, _element(sums), self.micro_ops)

    def _combine(self, command: DeviceCommand) -> list[ProgramStep]:
        (sums,), of = command.operands, command.scalars
        op = AluOp(of["op"])
        return combine_sums(op, of["immediate"], _element(sums), of["elements"], self.micro_ops)

    def _store_bytes(self, command: DeviceCommand) -> list[ProgramStep]:
        sums, y = command.operands
        block = DramBlock(self.address(y), 1, command.scalars["elements"])
        return [store_block(_element(sums), block)]

    def _store_sums(self, command: DeviceCommand) -> list[ProgramStep]:
        sums, y = command.operands
        count, at = command.scalars["elements"], _element(sums)
        steps: list[ProgramStep] = []
        for number in range(command.scalars["bytes"]):
            if number:
                steps += combine_sums(AluOp.SHR, 8, at, count, self.micro_ops)
            block = DramBlock(self.address(y) + number * count * _VECTOR, 1, count)
            steps.append(store_block(at, block))
        return steps


def _element(operand: PlacedBytes) -> int:
    """Return the number of the first element in a local memory."""
    assert operand.pool is not None
    return operand.offset // ELEMENT_BYTES[operand.pool]
