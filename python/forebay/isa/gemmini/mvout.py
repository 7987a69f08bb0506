"""Move-out: local rows to main memory; from the accumulator scaled, activated, pooled or raw."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from forebay.isa.faults import OperandLimit, SimulatorOnly, WrongOperand
from forebay.isa.gemmini.faults import MissingConfiguration, MissingFence
from forebay.isa.gemmini.instructions import ConfigSt, Mvout
from forebay.isa.gemmini.order import IssueQueue
from forebay.isa.gemmini.scaling import activated, scaled_int8, too_large
from forebay.isa.gemmini.state import GemminiState, Indices


def move_out(state: GemminiState, move: Mvout) -> None:
    """Move `rows` x `columns` numbers, or the maxima over windows if pooling is configured."""
    config = state.config_st
    if config is None:
        state.report(MissingConfiguration, "config_st", "the store configuration was never set")
        return
    _require_limits(state, move, config)
    if config.pool_stride:
        values, read = _pooled(state, move, config)
        starts = _pooled_addresses(state, move, config)
    else:
        values, read = _plain(state, move, config)
        width = values.shape[1] * values.itemsize
        starts = state.main_pieces("address", move.address, move.rows, config.stride, width)
    width = values.shape[1] * values.itemsize
    for start, row in zip(starts, values, strict=True):
        state.memory.write(start, np.frombuffer(row.tobytes(), np.uint8))
    _record_writes(state, move, starts, width, read)


def _full_width(move: Mvout) -> bool:
    return move.local.accumulator and move.local.full_width


def _require_limits(state: GemminiState, move: Mvout, config: ConfigSt) -> None:
    geometry = state.geometry
    if move.local.is_none or move.local.normalisation:
        state.report(WrongOperand, "local", "is not an address of rows")
    if config.pool_stride:
        _require_pooling(state, move, config)
        return
    widest = geometry.dma_bytes // (4 if _full_width(move) else 1)
    for field, value, most in (
        ("rows", move.rows, geometry.lanes),
        ("columns", move.columns, widest),
    ):
        if not 1 <= value <= most:
            state.report(OperandLimit, field, f"is {value}; hardware moves 1 to {most}")


def _require_pooling(state: GemminiState, move: Mvout, config: ConfigSt) -> None:
    if not 1 <= move.columns <= state.geometry.lanes:
        what = f"is {move.columns}; a pooled move has 1 to {state.geometry.lanes} channels"
        state.report(WrongOperand, "columns", what)
    if _full_width(move):
        state.report(WrongOperand, "local", "is of full width; pooling has int8 results")
    for field in ("pool_window", "pooled_rows", "pooled_columns", "input_rows", "input_columns"):
        if not getattr(config, field):
            state.report(WrongOperand, field, "is 0 although the pool stride is not")


def _plain(state: GemminiState, move: Mvout, config: ConfigSt) -> tuple[NDArray[Any], Indices]:
    """Block b of columns is at local row `+ b * lanes`."""
    lanes = state.geometry.lanes
    row, column = np.meshgrid(np.arange(move.rows), np.arange(move.columns), indexing="ij")
    rows = move.local.row + row + column // lanes * lanes
    return _results(state, move, config, rows, column % lanes), np.unique(rows)


def _results(
    state: GemminiState, move: Mvout, config: ConfigSt, rows: Indices, lanes: Indices
) -> NDArray[Any]:
    numbers = state.read("local", state.local(move.local), rows, lanes)
    if not move.local.accumulator or _full_width(move):
        return numbers
    if too_large(numbers, config.scale):
        state.report(SimulatorOnly, "scale", f"{config.scale} makes numbers of 2^63 or more")
    return activated(scaled_int8(numbers, config.scale), config.activation)


def _pooled(state: GemminiState, move: Mvout, config: ConfigSt) -> tuple[NDArray[Any], Indices]:
    """Return the maxima, one row per pooled pixel; positions outside of the image count as 0."""
    py, px, wy, wx = np.meshgrid(
        np.arange(config.pooled_rows),
        np.arange(config.pooled_columns),
        np.arange(config.pool_window),
        np.arange(config.pool_window),
        indexing="ij",
    )
    y = py * config.pool_stride + wy - config.pad_up
    x = px * config.pool_stride + wx - config.pad_left
    inside = (y >= 0) & (y < config.input_rows) & (x >= 0) & (x < config.input_columns)
    rows = move.local.row + (y * config.input_columns + x)[inside]
    lanes = np.arange(move.columns)
    values = np.zeros((*inside.shape, move.columns), np.int8)
    values[inside] = _results(state, move, config, rows[:, None], lanes[None, :])
    return values.max(axis=(2, 3)).reshape(-1, move.columns), np.unique(rows)


def _pooled_addresses(state: GemminiState, move: Mvout, config: ConfigSt) -> list[int]:
    starts: list[int] = []
    for row in range(config.pooled_rows):
        start = move.address + row * config.pooled_row_length * config.stride
        count = config.pooled_columns
        starts += state.main_pieces("address", start, count, config.stride, move.columns)
    return starts


def _record_writes(
    state: GemminiState, move: Mvout, starts: list[int], width: int, read: Indices
) -> None:
    offset = len(state.scratchpad) if move.local.accumulator else 0
    complete = state.order.issue(IssueQueue.STORE, (read + offset).tolist(), ())
    pieces = (state.memory.at(start, width) for start in starts)
    unordered = state.order.move_out(pieces, complete)
    if unordered is not None:
        span = (unordered.start + state.memory.base, unordered.stop + state.memory.base)
        what = "is read by a mvin that neither a fence nor local rows complete before this mvout"
        state.report(MissingFence, "address", what, memory="main memory", rows=span)
