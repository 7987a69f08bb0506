"""Moves in: values by hand, and every fault."""

import numpy as np
import pytest

from forebay.isa.faults import (
    NeverWrittenRow,
    OperandLimit,
    RamOutOfRange,
    RowOutOfRange,
    SimulatorOnly,
    WrongOperand,
)
from forebay.isa.gemmini.faults import BlockStrideTooSmall, MissingFence
from forebay.isa.gemmini.geometry import GemminiGeometry
from forebay.isa.gemmini.instructions import NO_ROWS, ConfigLd, ConfigSt, Fence, Mvin, Mvout
from forebay.isa.gemmini.interpreter import run_gemmini
from forebay.isa.main_memory import MainMemory

from .small_programs import BASE, acc, spad


def moved(config: ConfigLd, *moves: Mvin, data=None, ignoring=(), geometry=None):
    values = np.arange(256, dtype=np.uint8) if data is None else data
    ram = MainMemory(BASE, values)
    return run_gemmini((config, *moves), ram, geometry, ignoring=ignoring)


def test_rows_are_a_stride_apart_and_other_lanes_keep_their_contents() -> None:
    state = moved(ConfigLd(0, 10), Mvin(BASE + 1, spad(5), 2, 3))
    assert state.scratchpad.data[5:7, :4].tolist() == [[1, 2, 3, 0], [11, 12, 13, 0]]
    assert state.scratchpad.written[5:7].sum() == 6


def test_blocks_of_columns_go_to_rows_a_block_stride_apart() -> None:
    state = moved(ConfigLd(0, 64, block_stride=20), Mvin(BASE, spad(0), 2, 18))
    assert state.scratchpad.data[20:22, :3].tolist() == [[16, 17, 0], [80, 81, 0]]


def test_int8_is_scaled_and_saturated() -> None:
    data = np.int8([1, 3, 100, -100]).view(np.uint8)
    state = moved(ConfigLd(0, 4, scale=1.5), Mvin(BASE, spad(0), 1, 4), data=data)
    assert state.scratchpad.data[0, :4].tolist() == [2, 4, 127, -128]


def test_int32_is_never_scaled_and_added_with_wrapping() -> None:
    data = np.array([2**31 - 1, 5], "<i4").view(np.uint8)
    add = Mvin(BASE, acc(0, add=True), 1, 2)
    state = moved(ConfigLd(0, 8, scale=2.0), Mvin(BASE, acc(0), 1, 2), add, data=data)
    assert state.accumulator.data[0, :2].tolist() == [-2, 10]


def test_shrunk_moves_read_int8_for_the_accumulator() -> None:
    data = np.int8([-3, 7]).view(np.uint8)
    state = moved(ConfigLd(0, 2, shrunk=True), Mvin(BASE, acc(0), 1, 2), data=data)
    assert state.accumulator.data[0, :2].tolist() == [-3, 7]


def test_address_zero_moves_zeros_in() -> None:
    state = moved(ConfigLd(0, 16), Mvin(0, spad(0), 16, 64))
    assert state.scratchpad.written[:64].all()
    assert not state.scratchpad.data.any()


def test_stride_zero_repeats_a_row() -> None:
    state = moved(ConfigLd(0, 0), Mvin(BASE + 4, spad(0), 3, 2))
    assert state.scratchpad.data[:3, :2].tolist() == [[4, 5]] * 3


def test_pixels_are_repeated_in_the_rows_before() -> None:
    state = moved(ConfigLd(0, 3, pixel_repeat=2), Mvin(BASE, spad(1), 2, 3))
    assert state.scratchpad.data[:3, :6].tolist() == [
        [0, 0, 0, 0, 1, 2],
        [0, 1, 2, 3, 4, 5],
        [3, 4, 5, 0, 0, 0],
    ]


@pytest.mark.parametrize(
    ("config", "move", "fault", "field"),
    [
        (ConfigLd(0, 1, 17), Mvin(BASE, spad(0), 17, 1), OperandLimit, "rows"),
        (ConfigLd(0, 1), Mvin(BASE, spad(0), 0, 1), OperandLimit, "rows"),
        (ConfigLd(0, 1), Mvin(BASE, spad(0), 1, 65), OperandLimit, "columns"),
        (ConfigLd(0, 1), Mvin(BASE, acc(0), 1, 17), OperandLimit, "columns"),
        (ConfigLd(0, 1, 15), Mvin(BASE, spad(0), 16, 1), BlockStrideTooSmall, "block_stride"),
        (ConfigLd(0, 1), Mvin(BASE, NO_ROWS, 1, 1), WrongOperand, "local"),
        (ConfigLd(0, 1, pixel_repeat=5), Mvin(BASE, spad(9), 1, 4), WrongOperand, "pixel_repeat"),
        (ConfigLd(0, 1, pixel_repeat=2), Mvin(BASE, spad(0), 1, 4), RowOutOfRange, "local"),
        (ConfigLd(0, 1), Mvin(BASE, spad(16383), 2, 1), RowOutOfRange, "local"),
        (ConfigLd(0, 1), Mvin(BASE, acc(1023), 2, 1), RowOutOfRange, "local"),
        (ConfigLd(0, 1), Mvin(BASE - 1, spad(0), 1, 1), RamOutOfRange, "address"),
        (ConfigLd(0, 1), Mvin(BASE + 255, spad(0), 1, 2), RamOutOfRange, "address"),
        (ConfigLd(0, 16), Mvin(BASE, spad(0), 16, 17), RamOutOfRange, "address"),
        (ConfigLd(0, 1, scale=2.0**70), Mvin(BASE, spad(0), 1, 2), SimulatorOnly, "scale"),
        (ConfigLd(0, 1), Mvin(BASE, acc(0, add=True), 1, 1), NeverWrittenRow, "local"),
    ],
)
def test_every_wrong_move_is_a_fault(config, move, fault, field) -> None:
    with pytest.raises(fault) as caught:
        moved(config, move)
    assert caught.value.index == 1
    assert caught.value.field.startswith(field)


def test_smaller_memories_end_earlier() -> None:
    small = GemminiGeometry(scratchpad_kib=16, accumulator_kib=4)
    with pytest.raises(
        RowOutOfRange, match=r"scratchpad\[0x3ff, 0x401\): is outside of 1,024 rows"
    ):
        moved(ConfigLd(0, 1), Mvin(BASE, spad(1023), 2, 1), geometry=small)


def test_memory_that_nothing_wrote_is_not_moved_in() -> None:
    ram = MainMemory(BASE, np.zeros(32, np.uint8), np.arange(32) != 20)
    with pytest.raises(NeverWrittenRow) as caught:
        run_gemmini((ConfigLd(0, 16), Mvin(BASE, spad(0), 2, 16)), ram)
    assert caught.value.rows == (BASE + 16, BASE + 32)


def test_a_move_in_after_a_move_out_needs_a_fence() -> None:
    start = (
        ConfigLd(0, 16),
        ConfigSt(16),
        Mvin(BASE, spad(0), 1, 16),
        Mvout(BASE + 32, spad(0), 1, 16),
    )
    again = Mvin(BASE + 47, spad(8), 1, 1)
    with pytest.raises(MissingFence) as caught:
        moved(start[0], *start[1:], again, Fence())
    assert (caught.value.index, caught.value.rows) == (4, (BASE + 47, BASE + 48))
    moved(start[0], *start[1:], Fence(), again)
