"""The bytes of context buffers, by numbers worked out by hand from the library's interface."""

from __future__ import annotations

import pytest

from forebay.targets import TargetError, load
from forebay.targets.cmsis_nn.sizes import (
    Extension,
    average_pool_bytes,
    convolution_bytes,
    depthwise_bytes,
    extension_of,
    kernel_sum_bytes,
)

SQUARE = {
    **{"height": 8, "width": 8, "depth": 5, "y_width": 8, "kernel_height": 3, "kernel_width": 3},
    **{"stride_y": 1, "stride_x": 1, "dilation_y": 1, "dilation_x": 1, "top": 1, "left": 1},
}
ONE_BY_ONE = SQUARE | {"kernel_height": 1, "kernel_width": 1, "top": 0, "left": 0}
ROW = SQUARE | {"height": 1, "kernel_height": 1, "top": 0, "depth": 4}


@pytest.mark.parametrize(
    ("extension", "sizes", "expected"),
    [
        ("none", SQUARE, 4 * 48),  # 45 taps, rounded up to a multiple of 4
        ("dsp", SQUARE, 4 * 48),
        ("mve", SQUARE, 64 * 3),  # 45 taps are 3 vectors of 16
        ("none", ONE_BY_ONE, 0),
        ("dsp", ONE_BY_ONE, 4 * 5),  # by Arm's compiler
        ("dsp", ONE_BY_ONE | {"stride_y": 2}, 0),
        ("mve", ONE_BY_ONE, 0),
        ("none", ONE_BY_ONE | {"left": 1}, 4 * 8),
        ("mve", ONE_BY_ONE | {"dilation_x": 2}, 64),
        ("none", ROW, 4 * 12),
        ("mve", ROW, 16),  # (3 + 1) * 4 and (3 - 1 + 1) * 4
        ("mve", ROW | {"depth": 5}, 64),  # 5 is no multiple of 4
        ("mve", ROW | {"dilation_x": 2}, 64),
        ("mve", ROW | {"left": 0, "y_width": 6}, 12),  # 3 * 4 and 2 * 4
        # 4 * 2 + 5 - 8 = 5 missing columns, odd; 2 + 1 are 2 strides: 7 * 4 and (4 + 2) * 4
        ("mve", ROW | {"kernel_width": 5, "stride_x": 2, "left": 2, "y_width": 5}, 28),
        # Two windows on the left and two on the right of a result of three
        ("mve", ROW | {"width": 3, "kernel_width": 5, "left": 2, "y_width": 3}, 64 * 2),
    ],
)
def test_convolutions(extension: Extension, sizes: dict[str, int], expected: int) -> None:
    assert convolution_bytes(extension, **sizes) == expected


@pytest.mark.parametrize(
    ("extension", "depths", "kernel", "top", "expected"),
    [
        ("none", (8, 8), 5, 2, 0),
        ("dsp", (8, 8), 3, 1, 0),
        ("dsp", (8, 8), 3, 2, 2 * 9 * 8),
        ("dsp", (8, 8), 5, 2, 2 * 25 * 8),
        ("mve", (8, 8), 3, 1, 496 * 9),
        ("none", (1, 16), 3, 1, 0),
        ("dsp", (1, 16), 3, 1, 0),
        ("mve", (1, 16), 3, 1, 64 + 16 * 9),
    ],
)
def test_depthwise(
    extension: Extension, depths: tuple[int, int], kernel: int, top: int, expected: int
) -> None:
    depth, y_depth = depths
    sizes = SQUARE | {"depth": depth, "y_depth": y_depth, "top": top, "left": 0}
    sizes |= {"kernel_height": kernel, "kernel_width": kernel}
    assert depthwise_bytes(extension, **sizes) == expected


def test_pools_and_kernel_sums() -> None:
    extensions: tuple[Extension, ...] = ("none", "dsp", "mve")
    assert [average_pool_bytes(it, depth=6) for it in extensions] == [0, 24, 0]
    assert [kernel_sum_bytes(it, 6) for it in extensions] == [0, 0, 24]


def test_what_the_library_is_not_built_for() -> None:
    assert extension_of("mve") == "mve"
    with pytest.raises(TargetError, match=r"cmsis_nn with extension=neon: .* none, dsp, mve"):
        load("cmsis_nn:extension=neon")
    with pytest.raises(TargetError, match=r"cmsis_nn with sums=kept: .* run, constant"):
        load("cmsis_nn:sums=kept")
