"""Move-in: rows of main memory to local rows, scaled, accumulated, or repeated."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from forebay.isa.faults import NeverWrittenRow, OperandLimit, SimulatorOnly, WrongOperand
from forebay.isa.gemmini.faults import BlockStrideTooSmall, MissingConfiguration, MissingFence
from forebay.isa.gemmini.instructions import ConfigLd, Mvin
from forebay.isa.gemmini.order import IssueQueue
from forebay.isa.gemmini.scaling import scaled_int8, too_large
from forebay.isa.gemmini.state import GemminiState


def move_in(state: GemminiState, move: Mvin) -> None:
    """Move `rows` x `columns` numbers.

    Row r, column c goes to local row `r + c // lanes * block_stride`, lane `c % lanes`. With pixel
    repeat p, it also goes to the p - 1 rows before, `columns` lanes further in each.
    """
    config = state.config_ld.get(move.load)
    if config is None:
        what = f"load configuration {move.load} was never set"
        state.report(MissingConfiguration, "config_ld", what)
        return
    _require_limits(state, move, config)
    values = _values(state, move, config)
    memory = state.local(move.local)
    repeat = max(1, config.pixel_repeat)
    lanes = state.geometry.lanes
    row, column, pixel = np.meshgrid(
        np.arange(move.rows), np.arange(move.columns), np.arange(repeat), indexing="ij"
    )
    rows = (move.local.row + row + column // lanes * config.block_stride - pixel).ravel()
    targets = (column % lanes + pixel * move.columns).ravel()
    repeated = np.repeat(values[:, :, None], repeat, axis=2).ravel()
    adds = move.local.accumulator and move.local.accumulate
    state.write("local", memory, rows, targets, repeated, accumulate=adds)
    offset = len(state.scratchpad) if move.local.accumulator else 0
    state.order.issue(IssueQueue.LOAD, (), set((rows + offset).tolist()), moves_in=True)
    _record_reads(state, move, config)


def _element_size(move: Mvin, config: ConfigLd) -> int:
    return 4 if move.local.accumulator and not config.shrunk else 1


def _require_limits(state: GemminiState, move: Mvin, config: ConfigLd) -> None:
    geometry = state.geometry
    widest = geometry.dma_bytes // _element_size(move, config)
    for field, value, most in (
        ("rows", move.rows, geometry.lanes),
        ("columns", move.columns, widest),
    ):
        if not 1 <= value <= most:
            state.report(OperandLimit, field, f"is {value}; hardware moves 1 to {most}")
    if move.local.is_none or move.local.normalisation:
        state.report(WrongOperand, "local", "is not an address of rows")
    if config.block_stride < move.rows:
        what = f"is {config.block_stride}; hardware requires at least the {move.rows} rows"
        state.report(BlockStrideTooSmall, "block_stride", what)
    repeat = max(1, config.pixel_repeat)
    if repeat > 1 and repeat * move.columns > geometry.lanes:
        what = (
            f"is {repeat}; {repeat} x {move.columns} columns are more than {geometry.lanes} lanes"
        )
        state.report(WrongOperand, "pixel_repeat", what)


def _values(state: GemminiState, move: Mvin, config: ConfigLd) -> NDArray[Any]:
    size = _element_size(move, config)
    if move.address == 0:
        return np.zeros((move.rows, move.columns), np.int32)
    width = move.columns * size
    starts = state.main_pieces("address", move.address, move.rows, config.stride, width)
    _require_written(state, starts, width)
    data = b"".join(state.memory.read(start, width).tobytes() for start in starts)
    numbers = np.frombuffer(data, "<i4" if size == 4 else "i1").reshape(move.rows, move.columns)
    if size == 4:
        return numbers
    if too_large(numbers, config.scale):
        state.report(SimulatorOnly, "scale", f"{config.scale} makes numbers of 2^63 or more")
    return scaled_int8(numbers, config.scale)


def _require_written(state: GemminiState, starts: list[int], width: int) -> None:
    for start in starts:
        if not state.memory.written[state.memory.at(start, width)].all():
            span = (start, start + width)
            what = "was never written"
            state.report(NeverWrittenRow, "address", what, memory="main memory", rows=span)


def _record_reads(state: GemminiState, move: Mvin, config: ConfigLd) -> None:
    width = move.columns * _element_size(move, config)
    count = 0 if move.address == 0 else move.rows
    starts = [move.address + row * config.stride for row in range(count)]
    unordered = state.order.move_in(state.memory.at(start, width) for start in starts)
    if unordered is not None:
        span = (unordered.start + state.memory.base, unordered.stop + state.memory.base)
        what = "is written by a mvout that no fence completes before this mvin"
        state.report(MissingFence, "address", what, memory="main memory", rows=span)
