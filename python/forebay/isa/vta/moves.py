"""LOAD and STORE."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from forebay.isa.faults import OperandLimit, SimulatorOnly, WrongOperand
from forebay.isa.vta.faults import OutputNotComputed
from forebay.isa.vta.instructions import VtaLoad, VtaMemory, VtaStore
from forebay.isa.vta.state import VtaState


def load(state: VtaState, move: VtaLoad) -> None:
    """Fill a dense image of SRAM elements: rows from main memory, and zeros for the pads."""
    if move.memory is VtaMemory.OUT:
        state.report(WrongOperand, "memory", "is OUT; it can only be stored")
    if move.columns == 0:
        return
    _require_safe(state, move)
    local = {
        VtaMemory.UOP: state.uop,
        VtaMemory.WGT: state.wgt,
        VtaMemory.INP: state.inp,
    }.get(move.memory, state.acc)
    image = _image(state, move, local.data.shape[1:])
    elements = move.sram + np.arange(len(image))
    state.write("sram", local, elements, image)
    if local is state.acc:
        state.computed[elements] = False


def store(state: VtaState, move: VtaStore) -> None:
    """Store the low 8 bits of consecutive elements of ACC, which are those of OUT."""
    if move.memory is not VtaMemory.OUT:
        state.report(WrongOperand, "memory", f"is {move.memory.name}; STORE stores OUT")
    if move.pad_up or move.pad_down or move.pad_left or move.pad_right:
        state.report(WrongOperand, "pads", "are not 0; STORE has no pads")
    if move.columns == 0 or move.rows == 0:
        return
    elements = move.sram + np.arange(move.rows * move.columns)
    values = state.read("sram", state.acc, elements)
    stale = elements[~state.computed[elements]]
    if stale.size:
        span = (int(stale[0]), int(stale[-1]) + 1)
        what = "was written by LOAD or reset last; hardware stores results of GEMM and ALU"
        state.report(OutputNotComputed, "sram", what, memory="OUT", rows=span)
    size = state.geometry.lanes
    for row in range(move.rows):
        part = values[row * move.columns : (row + 1) * move.columns]
        data = (part & 0xFF).astype(np.uint8).ravel()
        state.write_dram((move.dram + row * move.stride) * size, data)


def _require_safe(state: VtaState, move: VtaLoad) -> None:
    pads = move.pad_up or move.pad_down or move.pad_left or move.pad_right
    if move.memory in {VtaMemory.WGT, VtaMemory.UOP} and pads:
        state.report(
            OperandLimit,
            "pads",
            f"are not 0; hardware ignores those of {move.memory.name}",
        )
    if move.memory is VtaMemory.UOP and move.rows != 1:
        state.report(OperandLimit, "rows", f"is {move.rows}; hardware loads one row of micro-ops")
    elif move.rows == 0:
        state.report(OperandLimit, "rows", "is 0; a LOAD without data has no columns")
    if move.memory is VtaMemory.ACC_INT8:
        state.report(SimulatorOnly, "memory", "is ACC_INT8, which hardware does not have")


def _image(state: VtaState, move: VtaLoad, shape: tuple[int, ...]) -> NDArray[Any]:
    dtype = {VtaMemory.UOP: "<u4", VtaMemory.ACC: "<i4"}.get(move.memory, "i1")
    size = int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize
    rows = move.pad_up + move.rows + move.pad_down
    columns = move.pad_left + move.columns + move.pad_right
    image = np.zeros((rows, columns, *shape), dtype)
    for row in range(move.rows):
        address = (move.dram + row * move.stride) * size
        data = state.read_dram(address, move.columns * size)
        values = data.view(dtype).reshape(move.columns, *shape)
        image[move.pad_up + row, move.pad_left : move.pad_left + move.columns] = values
    return image.reshape(rows * columns, *shape)
