"""What operators compute, in NumPy and plain integers; shares nothing with the lowering."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np


def convolution(
    x: np.ndarray,
    w: np.ndarray,
    *,
    stride: tuple[int, int] = (1, 1),
    dilation: tuple[int, int] = (1, 1),
    pad: tuple[int, int, int, int] = (0, 0, 0, 0),
) -> np.ndarray:
    """Of NHWC with OHWI without zero points; `pad` is top, bottom, left, right."""
    return np.concatenate(
        [
            _window_sums(x, kernel[None], stride, dilation, pad).sum(-1, keepdims=True)
            for kernel in w
        ],
        axis=-1,
    )


def depthwise(
    x: np.ndarray,
    w: np.ndarray,
    *,
    stride: tuple[int, int] = (1, 1),
    dilation: tuple[int, int] = (1, 1),
    pad: tuple[int, int, int, int] = (0, 0, 0, 0),
) -> np.ndarray:
    """Of NHWC with HWCM."""
    parts = [_window_sums(x, w[None, ..., m], stride, dilation, pad) for m in range(w.shape[-1])]
    stacked = np.stack(parts, axis=-1)
    return stacked.reshape(*stacked.shape[:-2], -1)


def _window_sums(x, kernel, stride, dilation, pad) -> np.ndarray:
    """Per channel: sum over the window of `x * kernel`."""
    top, bottom, left, right = pad
    padded = np.pad(x, ((0, 0), (top, bottom), (left, right), (0, 0)))
    _, kh, kw, _ = kernel.shape
    height = (padded.shape[1] - (kh - 1) * dilation[0] - 1) // stride[0] + 1
    width = (padded.shape[2] - (kw - 1) * dilation[1] - 1) // stride[1] + 1
    total = np.zeros((x.shape[0], height, width, x.shape[3]), np.int64)
    for ky, kx in itertools.product(range(kh), range(kw)):
        y, z = ky * dilation[0], kx * dilation[1]
        rows = slice(y, y + (height - 1) * stride[0] + 1, stride[0])
        columns = slice(z, z + (width - 1) * stride[1] + 1, stride[1])
        total += padded[:, rows, columns, :] * kernel[:, ky, kx, :]
    return total


def transpose_convolution(
    x: np.ndarray, w: np.ndarray, *, stride: tuple[int, int], pad: tuple[int, int, int, int]
) -> np.ndarray:
    """Of NHWC with OHWI, scattering; `pad` is added to the output, or cut off where negative."""
    n, h, v, _ = x.shape
    oc, kh, kw, _ = w.shape
    whole = np.zeros((n, (h - 1) * stride[0] + kh, (v - 1) * stride[1] + kw, oc), np.int64)
    for iy, ix in itertools.product(range(h), range(v)):
        patch = np.einsum("nk,oyxk->nyxo", x[:, iy, ix], w)
        y, z = iy * stride[0], ix * stride[1]
        whole[:, y : y + kh, z : z + kw] += patch
    top, bottom, left, right = pad
    whole = np.pad(
        whole,
        ((0, 0), *((max(0, a), max(0, b)) for a, b in ((top, bottom), (left, right))), (0, 0)),
    )
    rows = slice(max(0, -top), whole.shape[1] - max(0, -bottom))
    columns = slice(max(0, -left), whole.shape[2] - max(0, -right))
    return whole[:, rows, columns]


def rescale(
    values: np.ndarray,
    multipliers: Sequence[int],
    shifts: Sequence[int],
    zero_point: int,
    *,
    low: int = -128,
    high: int = 127,
    double: bool = True,
) -> np.ndarray:
    """TOSA's RESCALE along the last dimension, one integer at a time."""
    out = np.zeros(values.shape, np.int64)
    for index in np.ndindex(*values.shape):
        channel = index[-1] if len(multipliers) > 1 else 0
        scaled = apply_scale(int(values[index]), multipliers[channel], shifts[channel], double)
        out[index] = min(max(scaled + zero_point, low), high)
    return out


def apply_scale(value: int, multiplier: int, shift: int, double: bool) -> int:
    """`apply_scale_32` of the TOSA specification."""
    rounding = 1 << (shift - 1)
    if double and shift > 31:
        rounding += (1 << 30) if value >= 0 else -(1 << 30)
    return (value * multiplier + rounding) >> shift


def average_pool(
    x: np.ndarray, *, kernel, stride, pad, source_zero_point: int, zero_point: int
) -> np.ndarray:
    """The mean of what each window sees, halves away from zero."""
    ones = np.ones((1, *kernel, x.shape[3]), np.int64)
    total = _window_sums(x.astype(np.int64) - source_zero_point, ones, stride, (1, 1), pad)
    count = _window_sums(np.ones(x.shape, np.int64), ones, stride, (1, 1), pad)
    mean = np.sign(total) * ((2 * np.abs(total) + count) // (2 * count))
    return np.clip(mean + zero_point, -128, 127)
