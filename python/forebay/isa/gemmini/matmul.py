"""The array: preload, and the two kinds of compute, weight stationary and output stationary."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from forebay.isa.faults import SimulatorOnly, WrongOperand
from forebay.isa.gemmini.faults import (
    ArrayUndefined,
    MissingConfiguration,
    MissingPreload,
    PreloadUsedTwice,
    SumTooWide,
)
from forebay.isa.gemmini.instructions import (
    ComputeAccumulated,
    ComputePreloaded,
    ConfigEx,
    Dataflow,
    LocalAddress,
    Preload,
)
from forebay.isa.gemmini.order import IssueQueue
from forebay.isa.gemmini.scaling import activated, shifted_int8
from forebay.isa.gemmini.state import GemminiState, Indices, PendingPreload

_NO_ROWS = np.zeros(0, np.int64)


def preload(state: GemminiState, named: Preload) -> None:
    """Name the operand that the array loads, and C; hardware reads the operand now."""
    config = _config(state)
    if config is None:
        return
    _require_size(state, "operand", named.operand, named.rows, named.columns)
    _require_size(state, "c", named.c, named.c_rows, named.c_columns)
    rows = _NO_ROWS
    if not named.operand.is_none:
        transposed = config.dataflow is Dataflow.WEIGHT_STATIONARY and config.b_transposed
        _matrix(state, "operand", named.operand, (named.rows, named.columns), transposed=transposed)
        count = named.columns if transposed else named.rows
        rows = named.operand.row + np.arange(count)
    state.preload = PendingPreload(named, rows)


def compute(state: GemminiState, step: ComputePreloaded | ComputeAccumulated) -> None:
    """Multiply A, and write C if the preload names one."""
    config = _config(state)
    pending = state.preload
    if config is None:
        return
    if pending is None:
        state.report(MissingPreload, "preload", "no preload names C and the array's operand")
        return
    if pending.computed:
        state.report(PreloadUsedTwice, "preload", "a compute has already used the last preload")
    if step.a.is_none:
        state.report(WrongOperand, "a", "is none; its contents are undefined")
    _require_size(state, "a", step.a, step.a_rows, step.a_columns)
    _require_size(state, "operand", step.operand, step.rows, step.columns)
    _load_array(state, config, pending.instruction, isinstance(step, ComputePreloaded))
    sums = _multiply(state, config, step)
    pending.computed = True
    written = _write_c(state, config, pending.instruction, sums)
    state.order.issue(IssueQueue.EXECUTE, _rows_read(config, pending, step), written)


def _config(state: GemminiState) -> ConfigEx | None:
    if state.config_ex is None:
        state.report(MissingConfiguration, "config_ex", "the array was never configured")
    return state.config_ex


def _require_size(
    state: GemminiState, field: str, address: LocalAddress, rows: int, columns: int
) -> None:
    most = state.geometry.lanes
    for name, value in (("rows", rows), ("columns", columns)):
        if not address.is_none and not 1 <= value <= most:
            state.report(WrongOperand, field, f"has {value} {name}; the array has 1 to {most}")
    if not address.is_none and address.normalisation:
        state.report(WrongOperand, field, "is not an address of rows")


def _load_array(state: GemminiState, config: ConfigEx, named: Preload, loads: bool) -> None:
    if not loads:
        if state.array_holds is not config.dataflow:
            held = "nothing" if state.array_holds is None else state.array_holds.name.lower()
            what = f"holds {held}; compute_accumulated continues {config.dataflow.name.lower()}"
            state.report(ArrayUndefined, "array", what)
        state.array_holds = config.dataflow
        return
    transposed = config.dataflow is Dataflow.WEIGHT_STATIONARY and config.b_transposed
    size = (named.rows, named.columns)
    state.array = _padded(
        state, _matrix(state, "operand", named.operand, size, transposed=transposed)
    )
    state.array_holds = config.dataflow


def _multiply(
    state: GemminiState, config: ConfigEx, step: ComputePreloaded | ComputeAccumulated
) -> NDArray[np.int32]:
    """Return the sums that leave the array; output stationary, they stay in it as well."""
    size = (step.a_rows, step.a_columns)
    a = _padded(
        state,
        _matrix(state, "a", step.a, size, transposed=config.a_transposed, stride=config.a_stride),
    )
    weights = config.dataflow is Dataflow.WEIGHT_STATIONARY
    turned = config.b_transposed and not weights
    other = _padded(
        state, _matrix(state, "operand", step.operand, (step.rows, step.columns), transposed=turned)
    )
    if weights:
        return other + a @ state.array
    state.array = state.array + a @ other
    return state.array


def _matrix(
    state: GemminiState,
    field: str,
    address: LocalAddress,
    size: tuple[int, int],
    *,
    transposed: bool,
    stride: int = 1,
) -> NDArray[Any]:
    """Return a matrix of `size`, its size after transposition; zeros if there are no rows."""
    if address.is_none:
        return np.zeros((0, 0), np.int8)
    memory = state.operand(field, address)
    row, column = np.meshgrid(np.arange(size[0]), np.arange(size[1]), indexing="ij")
    if transposed:
        row, column = column, row
    return state.read(field, memory, address.row + row * stride, column)


def _padded(state: GemminiState, matrix: NDArray[Any]) -> NDArray[np.int32]:
    """Return int32 of the array's size; outside of its rows and columns, an operand is zero."""
    padded = np.zeros((state.geometry.lanes, state.geometry.lanes), np.int32)
    padded[: matrix.shape[0], : matrix.shape[1]] = matrix
    return padded


def _write_c(
    state: GemminiState, config: ConfigEx, named: Preload, sums: NDArray[np.int32]
) -> list[int]:
    """Write C; return the local rows."""
    c = named.c
    if c.is_none:
        return []
    values = sums[: named.c_rows, : named.c_columns]
    _require_agreement(state, config, c, values)
    column = np.arange(named.c_columns)[None, :]
    rows = (c.row + np.arange(named.c_rows) * config.c_stride)[:, None]
    where: tuple[Indices, Indices] = (rows + 0 * column, column + 0 * rows)
    if not c.accumulator:
        shift = config.shift if config.dataflow is Dataflow.OUTPUT_STATIONARY else 0
        values = activated(shifted_int8(values, shift), config.activation)
    adds = c.accumulator and c.accumulate
    state.write("c", state.local(c), *where, values, accumulate=adds)
    return (rows[:, 0] + (len(state.scratchpad) if c.accumulator else 0)).tolist()


def _require_agreement(
    state: GemminiState, config: ConfigEx, c: LocalAddress, values: NDArray[np.int32]
) -> None:
    low, high = state.geometry.sum_limits
    if values.min() < low or values.max() > high:
        what = f"is {int(values.min()):,} to {int(values.max()):,}; sums have {low:,} to {high:,}"
        state.report(SumTooWide, "c", what)
    if config.dataflow is Dataflow.WEIGHT_STATIONARY:
        return
    if config.c_stride != 1:
        what = f"is {config.c_stride}; output stationary, hardware needs 1"
        state.report(SimulatorOnly, "c_stride", what)
    if config.shift and c.accumulator:
        what = f"is {config.shift}; hardware shifts C in the accumulator, the simulator does not"
        state.report(SimulatorOnly, "shift", what)


def _rows_read(
    config: ConfigEx, pending: PendingPreload, step: ComputePreloaded | ComputeAccumulated
) -> list[int]:
    rows = pending.operand_rows.tolist()
    count = step.a_columns if config.a_transposed else step.a_rows
    rows += [step.a.row + row * config.a_stride for row in range(count)]
    if not step.operand.is_none:
        rows += range(step.operand.row, step.operand.row + max(step.rows, step.columns))
    return rows
