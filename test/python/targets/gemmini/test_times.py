"""Cycles of the driver's functions, by hand."""

from __future__ import annotations

import pytest

from forebay.api.target import TargetError
from forebay.targets.gemmini import target
from forebay.targets.gemmini.times import MoveTimes

FILL = 38
LAYER = {
    **{"plane": 0, "start": 0, "weights_stride": 0, "weights_start": 0, "block_rows": 16},
    **{"dilation_y": 1, "dilation_x": 1, "depthwise": 0, "steps": 0},
}


def cycles(name: str, latency: int = 64, **scalars: int) -> int:
    (gemmini,) = (device for device in target(latency=latency).devices if not device.host)
    (intrinsic,) = (it for it in gemmini.intrinsics if it.name == name)
    known = dict.fromkeys(intrinsic.scalars, 0)
    return intrinsic.cycles_of(**(known | scalars))


def convolution(
    rows: int, columns: int, channels: int, depth: int, kernel: int = 1, **other: int
) -> int:
    window = columns + kernel - 1
    given = {"width": window, "rows": rows, "columns": columns, "channels": channels}
    sizes = {"kernel_height": kernel, "kernel_width": kernel, "stride_y": 1, "stride_x": 1}
    return cycles("convolve", **(LAYER | given | {"depth": depth} | sizes | other))


def test_a_product_of_whole_blocks_takes_a_cycle_per_row_of_pixels() -> None:
    assert convolution(1, 64, 32, 48) == FILL + 2 * 3 * 64


def test_weights_take_16_cycles_where_there_are_fewer_pixels() -> None:
    assert convolution(1, 1, 64, 128) == FILL + 4 * 8 * 16


def test_a_short_group_of_pixels_takes_4_cycles() -> None:
    # 3 x 3 points of the kernel; rows of 18 pixels are groups of 16 and 2.
    assert convolution(5, 18, 16, 16, kernel=3) == FILL + 9 * 5 * (16 + 4)


def test_rows_that_continue_each_other_are_one_row() -> None:
    assert convolution(5, 18, 16, 16) == FILL + 5 * 18


def test_a_depthwise_block_reads_one_block() -> None:
    assert convolution(1, 64, 32, 32, depthwise=1) == FILL + 2 * 64


def test_products_whose_sums_stay_have_weights_of_their_own() -> None:
    assert convolution(1, 20, 16, 32, steps=9) == FILL + 2 * 2 * 16


def test_requests_of_16_bytes_wait_for_memory() -> None:
    # 16 requests in flight and 64 cycles each: one in 4 cycles, though 16 bytes arrive in one.
    assert cycles("load_image", rows=4, columns=8, channels=16) == 64 + 32 * 4
    assert cycles("load_image", latency=16, rows=4, columns=8, channels=16) == 16 + 32
    assert cycles("load_image", rows=4, columns=8, channels=64) == 64 + 32 * 4
    assert cycles("load_image", rows=4, columns=8, channels=65) == 64 + 2 * 32 * 4


def test_sums_leave_in_rows_of_64_bytes() -> None:
    assert cycles("store_sums", pixels=32, channels=20) == 64 + 32 * 2 * 4 + 2 * 2 * 4
    assert cycles("store_scaled", pixels=32, channels=20) == 64 + 32 * 2 + 2 * 2 * 4
    assert cycles("load_bias", pixels=32, channels=20) == 64 + 64


def test_the_array_is_utilised_at_most_fully() -> None:
    for pixels in (1, 7, 16, 100):
        for depth in (1, 16, 40):
            macs = pixels * depth * 16
            assert convolution(1, pixels, 16, depth) * 256 >= macs


@pytest.mark.parametrize("numbers", [(-1, 16), (64, 0)])
def test_numbers_that_no_machine_has(numbers: tuple[int, int]) -> None:
    with pytest.raises(TargetError, match=r"the first is at least 0, the second at least 1"):
        MoveTimes(*numbers)
