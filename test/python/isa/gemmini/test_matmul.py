"""The array: what stays in it, what C gets, and every fault."""

import pytest

from forebay.isa.faults import NeverWrittenRow, RowOutOfRange, SimulatorOnly, WrongOperand
from forebay.isa.gemmini.faults import (
    ArrayUndefined,
    MissingPreload,
    PreloadDisturbed,
    PreloadUsedTwice,
    SumTooWide,
)
from forebay.isa.gemmini.geometry import GemminiGeometry
from forebay.isa.gemmini.instructions import (
    NO_ROWS,
    ComputeAccumulated,
    ComputePreloaded,
    ConfigEx,
    Dataflow,
    Mvin,
    Preload,
)
from forebay.isa.gemmini.interpreter import run_gemmini

from .small_programs import (
    BASE,
    COMPUTE,
    CONFIG_EX,
    MVIN_A,
    MVIN_B,
    PRELOAD,
    PROGRAM,
    acc,
    memory,
    replaced,
    result,
    spad,
)

AGAIN = ComputeAccumulated(spad(0), 16, 16, NO_ROWS, 16, 16)
TO_C = Preload(NO_ROWS, 16, 16, acc(0, add=True), 16, 16)
OUTPUT_STATIONARY = ConfigEx(Dataflow.OUTPUT_STATIONARY)


def changed(step: ComputePreloaded, **fields: object) -> tuple:
    values = {"a": step.a, "operand": step.operand, "rows": step.rows, "columns": step.columns}
    sizes = {"a_rows": step.a_rows, "a_columns": step.a_columns}
    return replaced(COMPUTE, ComputePreloaded(**{**values, **sizes, **fields}))


def test_weights_stay_for_a_second_product() -> None:
    loaded = replaced(COMPUTE, COMPUTE, TO_C, AGAIN)
    loaded_twice = replaced(COMPUTE, COMPUTE, PRELOAD, COMPUTE)
    assert result(loaded) == result(loaded_twice) != result()


def test_sums_stay_output_stationary() -> None:
    start = Preload(NO_ROWS, 16, 16, NO_ROWS, 16, 16)
    half = ComputePreloaded(spad(0), 16, 8, spad(16), 8, 16)
    last = Preload(NO_ROWS, 16, 16, acc(0, add=True), 16, 16)
    # The other half of the inner dimension is zero: A's columns 8 to 15 are not given.
    rest = ComputeAccumulated(spad(0), 16, 0 + 16, spad(16), 16, 16)
    program = replaced(CONFIG_EX, OUTPUT_STATIONARY)
    whole = replaced(PRELOAD, last, program=program)
    whole = replaced(COMPUTE, ComputePreloaded(spad(0), 16, 16, spad(16), 16, 16), program=whole)
    assert result(whole) == result()
    split = replaced(PRELOAD, start, half, last, program=program)
    assert result(replaced(COMPUTE, rest, program=split)) != result()


def test_only_the_rows_and_columns_of_c_are_written() -> None:
    part = Preload(spad(16), 16, 16, acc(0, add=True), 2, 3)
    full, some = result(), result(replaced(PRELOAD, part))
    assert [row[:3] for row in some[:2]] == [row[:3] for row in full[:2]]
    bias_only = some[15]
    assert some[0][3:] == bias_only[3:]


@pytest.mark.parametrize(
    ("program", "fault", "index", "field"),
    [
        (replaced(PRELOAD), MissingPreload, 7, "preload"),
        (replaced(COMPUTE, COMPUTE, AGAIN), PreloadUsedTwice, 9, "preload"),
        (replaced(COMPUTE, AGAIN), ArrayUndefined, 8, "array"),
        (
            replaced(COMPUTE, COMPUTE, OUTPUT_STATIONARY, TO_C, AGAIN),
            ArrayUndefined,
            11,
            "array",
        ),
        (replaced(MVIN_A), NeverWrittenRow, 7, "a"),
        (replaced(MVIN_B), NeverWrittenRow, 6, "operand"),
        (replaced(COMPUTE, MVIN_B, COMPUTE), PreloadDisturbed, 8, "local"),
        (changed(COMPUTE, a=NO_ROWS), WrongOperand, 8, "a"),
        (changed(COMPUTE, a=acc(0)), WrongOperand, 8, "a"),
        (changed(COMPUTE, operand=acc(0)), WrongOperand, 8, "operand"),
        (changed(COMPUTE, a_rows=17), WrongOperand, 8, "a"),
        (changed(COMPUTE, a_columns=0), WrongOperand, 8, "a"),
        (changed(COMPUTE, a=spad(16370)), RowOutOfRange, 8, "a"),
        (replaced(PRELOAD, Preload(acc(0), 16, 16, acc(0), 16, 16)), WrongOperand, 7, "operand"),
        (replaced(PRELOAD, Preload(spad(16), 16, 16, acc(0), 17, 16)), WrongOperand, 7, "c"),
        (
            replaced(PRELOAD, Preload(spad(16), 16, 16, acc(1020), 16, 16)),
            RowOutOfRange,
            8,
            "c",
        ),
        (
            replaced(PRELOAD, Preload(spad(16), 16, 16, acc(32, add=True), 16, 16)),
            NeverWrittenRow,
            8,
            "c (accumulated onto)",
        ),
    ],
)
def test_every_wrong_product_is_a_fault(program, fault, index, field) -> None:
    with pytest.raises(fault) as caught:
        result(program)
    assert (caught.value.index, caught.value.field) == (index, field)


def output_stationary(c, **modes: object) -> tuple:
    program = replaced(CONFIG_EX, ConfigEx(Dataflow.OUTPUT_STATIONARY, **modes))
    program = replaced(PRELOAD, Preload(NO_ROWS, 16, 16, c, 16, 16), program=program)
    return replaced(COMPUTE, ComputePreloaded(spad(0), 16, 16, spad(16), 16, 16), program=program)


@pytest.mark.parametrize(
    ("modes", "field"), [({"c_stride": 2}, "c_stride"), ({"shift": 1}, "shift")]
)
def test_modes_that_only_the_simulator_runs_are_faults(modes, field) -> None:
    with pytest.raises(SimulatorOnly) as caught:
        result(output_stationary(acc(0), **modes))
    assert caught.value.field == field


def test_the_simulator_ignores_the_shift_of_c_in_the_accumulator() -> None:
    shifted = result(output_stationary(acc(0), shift=4), ignoring=[SimulatorOnly])
    assert shifted == result(output_stationary(acc(0)))


def test_a_sum_beyond_the_way_out_of_the_array_is_a_fault() -> None:
    narrow = GemminiGeometry(sum_bits=11)
    with pytest.raises(SumTooWide, match="sums have -1,024 to 1,023"):
        run_gemmini(PROGRAM, memory(), narrow)


def test_the_operand_of_a_preload_may_be_overwritten_after_its_compute() -> None:
    program = replaced(COMPUTE, COMPUTE, Mvin(BASE, spad(16), 16, 16))
    assert result(program) == result()
