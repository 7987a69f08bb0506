"""Moves out: values by hand, pooling, and every fault."""

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
from forebay.isa.gemmini.faults import MissingFence
from forebay.isa.gemmini.instructions import (
    NO_ROWS,
    ConfigLd,
    ConfigSt,
    Fence,
    GemminiActivation,
    LocalAddress,
    Mvin,
    Mvout,
)
from forebay.isa.gemmini.interpreter import run_gemmini
from forebay.isa.main_memory import MainMemory

from .small_programs import BASE, acc, spad

ACCUMULATOR = acc(0)
OUT = BASE + 512


def moved(values, config, *moves, to=ACCUMULATOR, ignoring=()):
    """Move int32 numbers (int8 for the scratchpad) in, 16 each row, then out to `OUT`."""
    size = 4 if to.accumulator else 1
    data = np.zeros(1024, np.uint8)
    given = np.array(values, "<i4" if size == 4 else "i1").view(np.uint8)
    data[: len(given)] = given
    rows = len(values) // 16 or 1
    columns = min(16, len(values))
    ram = MainMemory(BASE, data)
    program = (ConfigLd(0, 16 * size), Mvin(BASE, to, rows, columns), config, *moves, Fence())
    run_gemmini(program, ram, ignoring=ignoring)
    return ram.data[512:].view(np.int8)


def test_the_accumulator_is_scaled_then_activated() -> None:
    config = ConfigSt(16, 0.5, GemminiActivation.RELU)
    assert moved([1, 3, -5, 1000], config, Mvout(OUT, acc(0), 1, 4))[:4].tolist() == [0, 2, 0, 127]


def test_full_width_rows_are_raw() -> None:
    config = ConfigSt(8, 0.5, GemminiActivation.RELU)
    out = moved([-2, 70000], config, Mvout(OUT, acc(0, full=True), 1, 2))
    assert out[:8].view("<i4").tolist() == [-2, 70000]


def test_the_scratchpad_is_copied() -> None:
    config = ConfigSt(16, 0.5, GemminiActivation.RELU)
    out = moved([-2, 7], config, Mvout(OUT, spad(0), 1, 2), to=spad(0))
    assert out[:2].tolist() == [-2, 7]


def test_blocks_of_columns_come_from_rows_sixteen_apart() -> None:
    values = list(range(16)) * 2
    out = moved(values, ConfigSt(16), Mvout(OUT, spad(0), 1, 16), to=spad(0))
    assert out[:16].tolist() == list(range(16))
    far = Mvin(BASE, spad(16), 1, 2)
    wide = Mvout(OUT, spad(0), 1, 18)
    assert moved(values, far, ConfigSt(32), wide, to=spad(0))[14:19].tolist() == [14, 15, 0, 1, 0]


def image(height: int, width: int) -> list[int]:
    """Return an image of one channel, 16 lanes a pixel: the pixel's number less 3."""
    return [number - 3 for number in range(height * width) for _ in range(16)]


def test_pooling_takes_the_maximum_and_counts_the_border_as_zero() -> None:
    # -3 -2 -1      windows of 2 x 2, stride 2, padded above and at the left:
    #  0  1  2      max(0, -3) = 0, max(0, -2, -1) = 0; max(0, 0) = 0, max(1, 2) = 2
    pooled = ConfigSt(1, 1.0, GemminiActivation.NONE, 2, 2, 1, 1, 2, 2, 2, 2, 3)
    out = moved(image(2, 3), pooled, Mvout(OUT, acc(0), 1, 1))
    assert out[:4].tolist() == [0, 0, 0, 2]


def test_pooling_without_padding_keeps_negative_maxima() -> None:
    pooled = ConfigSt(4, 1.0, GemminiActivation.NONE, 1, 2, 0, 0, 2, 1, 2, 2, 3)
    out = moved([value - 9 for value in image(2, 3)], pooled, Mvout(OUT, acc(0), 1, 2))
    assert out[:6].tolist() == [-8, -8, 0, 0, -7, -7]


NORMALISED = LocalAddress(0, True, normalisation=1)
POOLED = ConfigSt(1, 1.0, GemminiActivation.NONE, 1, 1, 0, 0, 1, 1, 1, 1, 1)


@pytest.mark.parametrize(
    ("config", "move", "fault", "field"),
    [
        (ConfigSt(0), Mvout(OUT, acc(0), 17, 1), OperandLimit, "rows"),
        (ConfigSt(0), Mvout(OUT, acc(0), 1, 65), OperandLimit, "columns"),
        (ConfigSt(0), Mvout(OUT, acc(0, full=True), 1, 17), OperandLimit, "columns"),
        (ConfigSt(0), Mvout(OUT, acc(0), 1, 0), OperandLimit, "columns"),
        (ConfigSt(0), Mvout(OUT, NO_ROWS, 1, 1), WrongOperand, "local"),
        (
            ConfigSt(0),
            Mvout(OUT, NORMALISED, 1, 1),
            WrongOperand,
            "local",
        ),
        (ConfigSt(0), Mvout(OUT, acc(1024), 1, 1), RowOutOfRange, "local"),
        (ConfigSt(0), Mvout(OUT, acc(0), 2, 1), NeverWrittenRow, "local"),
        (ConfigSt(0), Mvout(OUT + 512, acc(0), 1, 1), RamOutOfRange, "address"),
        (ConfigSt(0, 2.0**70), Mvout(OUT, acc(0), 1, 1), SimulatorOnly, "scale"),
        (POOLED, Mvout(OUT, acc(0), 1, 17), WrongOperand, "columns"),
        (POOLED, Mvout(OUT, acc(0, full=True), 1, 1), WrongOperand, "local"),
        (ConfigSt(0, pool_stride=1), Mvout(OUT, acc(0), 1, 1), WrongOperand, "pool_window"),
    ],
)
def test_every_wrong_move_is_a_fault(config, move, fault, field) -> None:
    with pytest.raises(fault) as caught:
        moved([1] * 16, config, move)
    assert caught.value.index == 3
    assert caught.value.field == field


def test_a_correct_pooled_move_has_no_fault() -> None:
    assert moved([5] * 16, POOLED, Mvout(OUT, acc(0), 1, 16))[:16].tolist() == [5] * 16


def test_a_move_out_over_bytes_that_a_move_in_may_still_read_needs_a_fence() -> None:
    over = Mvout(BASE, acc(4), 1, 4)
    zeros = Mvin(0, acc(4), 1, 16)
    with pytest.raises(MissingFence) as caught:
        moved([1] * 4, ConfigSt(16), zeros, over)
    assert (caught.value.index, caught.value.rows) == (4, (BASE, BASE + 4))
    moved([1] * 4, ConfigSt(16), zeros, Fence(), over)


def test_local_rows_order_a_move_out_after_the_move_in_of_the_same_rows() -> None:
    moved([1] * 16, ConfigSt(16), Mvout(BASE, acc(0), 1, 16))
