"""The references of the machine's intrinsics equal NumPy on random images in its layout."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from common.oracles.reference_jit import Reference, intrinsic_of

from forebay import targets

ACCEL = next(d for d in targets.load("fetch_conv").devices if d.name == "accel")


@pytest.fixture(scope="module")
def fetcher() -> Reference:
    return Reference(intrinsic_of(ACCEL, "input_fetcher"))


@pytest.fixture(scope="module")
def conv2d() -> Reference:
    return Reference(intrinsic_of(ACCEL, "conv2d"))


def integers(rng: np.random.Generator, *shape: int) -> np.ndarray:
    return rng.integers(-128, 128, shape, dtype=np.int8)


WINDOWS = [((0, 4), (0, 5)), ((1, 2), (0, 5)), ((3, 1), (2, 2)), ((4, 0), (0, 5))]
"""First row and rows, first column and columns, of an image of 4x5."""


@pytest.mark.parametrize("border", [(0, 1, 0, 0), (1, 1, 1, 1), (2, 0, 1, 3)])
@pytest.mark.parametrize("window", WINDOWS)
def test_fetcher_copies_a_window_and_puts_a_border(fetcher: Reference, window, border) -> None:
    (row, rows), (column, columns) = window
    top, bottom, left, right = border
    x = integers(np.random.default_rng(0), 3, 4, 5, 16)
    y = np.full((3, rows + top + bottom, columns + left + right, 16), 99, np.int8)
    fetcher(
        [x, y],
        {
            "blocks": 3,
            "height": 4,
            "width": 5,
            "row": row,
            "rows": rows,
            "column": column,
            "columns": columns,
            "top": top,
            "bottom": bottom,
            "left": left,
            "right": right,
            "zero_point": -7,
        },
    )
    seen = x[:, row : row + rows, column : column + columns]
    widths = ((0, 0), (top, bottom), (left, right), (0, 0))
    np.testing.assert_array_equal(y, np.pad(seen, widths, constant_values=-7))


def requantise(total: int, multiplier: int, shift: int) -> int:
    """TFLite's two roundings, in its own words: exponent 31 - shift."""
    exponent = 31 - shift
    product = (total << max(exponent, 0)) * multiplier
    high = (product + (1 << 30)) >> 31
    right = max(-exponent, 0)
    if right == 0:
        return high
    magnitude = (abs(high) + (1 << (right - 1))) >> right
    return magnitude if high >= 0 else -magnitude


def convolve(x, w, table, *, out_shape, stride, before, zero_points, limits) -> np.ndarray:
    """Sums over the window in NumPy; `w` is [out blocks][16][in blocks][ky][kx][16]."""
    _, _, _, rows, columns, _ = w.shape
    widest = 40
    around = ((0, 0), (widest, widest), (widest, widest), (0, 0))
    padded = np.pad(x.astype(np.int64) - zero_points[0], around)
    y = np.zeros(out_shape, np.int64)
    for row, column in np.ndindex(out_shape[1:3]):
        top = row * stride[0] - before[0] + widest
        left = column * stride[1] - before[1] + widest
        window = padded[:, top : top + rows, left : left + columns]
        y[:, row, column] = np.tensordot(w.astype(np.int64), window, 4)
    y += table[:, None, None, 0]
    scaled = np.vectorize(requantise, otypes=[np.int64])(
        y, table[:, None, None, 1].astype(np.int64), table[:, None, None, 2].astype(np.int64)
    )
    return np.clip(scaled + zero_points[1], *limits).astype(np.int8)


def dense_of_depthwise(w: np.ndarray) -> np.ndarray:
    """[blocks][16][1][ky][kx][1] as weights that are zero for every other channel."""
    blocks, lanes, _, rows, columns, _ = w.shape
    dense = np.zeros((blocks, lanes, blocks, rows, columns, lanes), np.int8)
    for block, lane in np.ndindex(blocks, lanes):
        dense[block, lane, block, :, :, lane] = w[block, lane, 0, :, :, 0]
    return dense


LAYERS = list(
    itertools.product(
        [(1, 1), (3, 3), (7, 7), (5, 2)], [(1, 1), (2, 2), (1, 2)], [False, True], range(2)
    )
)


@pytest.mark.parametrize(("kernel", "stride", "depthwise", "seed"), LAYERS)
def test_conv2d_equals_numpy(conv2d: Reference, kernel, stride, depthwise, seed) -> None:
    rng = np.random.default_rng(seed)
    in_blocks, out_blocks = (2, 2) if depthwise else (2, 3)
    height, width = rng.integers(4, 9, 2).tolist()
    before = rng.integers(-1, 4, 2).tolist()
    out = rng.integers(1, 6, 2).tolist()
    x = integers(rng, in_blocks, height, width, 16)
    depth = (1, *kernel, 1) if depthwise else (in_blocks, *kernel, 16)
    w = integers(rng, out_blocks, 16, *depth)
    table = np.stack(
        [
            rng.integers(-20000, 20000, (out_blocks, 16)),
            rng.integers(1 << 30, (1 << 31) - 1, (out_blocks, 16)),
            rng.integers(28, 44, (out_blocks, 16)),
        ],
        axis=1,
    ).astype(np.int32)
    y = np.full((out_blocks, *out, 16), 99, np.int8)
    limits, zero_points = ((-100, 90) if seed else (-128, 127)), (-5, 11)
    conv2d(
        [x, w, table, y],
        {
            "x_blocks": in_blocks,
            "x_height": height,
            "x_width": width,
            "y_blocks": out_blocks,
            "y_height": out[0],
            "y_width": out[1],
            "kernel_height": kernel[0],
            "kernel_width": kernel[1],
            "stride_y": stride[0],
            "stride_x": stride[1],
            "top": before[0],
            "left": before[1],
            "depthwise": int(depthwise),
            "x_zero_point": zero_points[0],
            "y_zero_point": zero_points[1],
            "low": limits[0],
            "high": limits[1],
        },
    )
    weights = dense_of_depthwise(w) if depthwise else w
    expected = convolve(
        x,
        weights,
        table,
        out_shape=y.shape,
        stride=stride,
        before=before,
        zero_points=zero_points,
        limits=limits,
    )
    np.testing.assert_array_equal(y, expected)
    assert len(np.unique(y)) > 5
