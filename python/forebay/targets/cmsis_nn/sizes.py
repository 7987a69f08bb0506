"""Bytes of the library's context buffers: its `get_buffer_size` functions as formulas.

The arguments are numbers of an operator, or the traced scalars of a reference. A size is the
largest of those for all compilers that the library distinguishes.

Source: CMSIS-NN, `arm_*_get_buffer_size_*.c`.
"""

from __future__ import annotations

from typing import Any, Literal, get_args

from forebay.api.target import TargetError, ceil_div, maximum, select

Extension = Literal["none", "dsp", "mve"]
"""The code that the library is built with: plain C, Arm's DSP extension, or MVE (Helium)."""

SizeValue = Any
"""A number, or a traced scalar."""

EXTENSIONS: tuple[Extension, ...] = get_args(Extension)


def extension_of(text: str) -> Extension:
    """Return the extension of this name; raise `TargetError` for another text."""
    for extension in EXTENSIONS:
        if extension == text:
            return extension
    raise TargetError(
        f"cmsis_nn with extension={text}: the library is built for {', '.join(EXTENSIONS)}"
    )


def convolution_bytes(extension: Extension, **sizes: SizeValue) -> SizeValue:
    """Return the bytes for `arm_convolve_wrapper_s8`."""
    s = sizes
    depth, kernel = s["depth"], s["kernel_height"] * s["kernel_width"]
    is_one_by_one = (
        (kernel == 1) & (s["top"] + s["left"] == 0) & (s["dilation_y"] * s["dilation_x"] == 1)
    )
    taps = kernel * depth
    if extension != "mve":
        reads_pairs = extension == "dsp"
        single = select(s["stride_y"] * s["stride_x"] == 1, 4 * depth, 0) if reads_pairs else 0
        return select(is_one_by_one, single, 4 * _rounded(taps, 4))
    return select(is_one_by_one, 0, _bytes_of_rows(s, 64 * ceil_div(taps, 16)))


def depthwise_bytes(extension: Extension, **sizes: SizeValue) -> SizeValue:
    """Return the bytes for `arm_depthwise_conv_wrapper_s8`."""
    s = sizes
    kernel = s["kernel_height"] * s["kernel_width"]
    if extension == "mve":
        image = s | {"dilation_y": 1, "dilation_x": 1}
        as_convolution = convolution_bytes("mve", **image) + kernel * s["y_depth"]
        return select(s["depth"] == s["y_depth"], 4 * 124 * kernel, as_convolution)
    if extension == "none":
        return 0 * kernel
    is_small = (
        (s["kernel_height"] == 3) & (s["kernel_width"] == 3) & (s["top"] < 2) & (s["left"] < 2)
    )
    has_own_channels = s["depth"] == s["y_depth"]
    return select(has_own_channels, select(is_small, 0, 2 * kernel * s["depth"]), 0)


def average_pool_bytes(extension: Extension, **sizes: SizeValue) -> SizeValue:
    """Return the bytes for `arm_avgpool_s8`."""
    return (4 if extension == "dsp" else 0) * sizes["depth"]


def kernel_sum_bytes(extension: Extension, columns: SizeValue) -> SizeValue:
    """Return the bytes of the kernel sums that `arm_fully_connected_s8` reads."""
    return (4 if extension == "mve" else 0) * columns


def _bytes_of_rows(s: dict[str, SizeValue], otherwise: SizeValue) -> SizeValue:
    """Return the bytes on MVE if the convolution runs along one row, else `otherwise`."""
    depth, stride, padding, out = s["depth"], s["stride_x"], s["left"], s["y_width"]
    missing = (out - 1) * stride + s["kernel_width"] - s["width"]
    odd = missing % 2
    right = select(padding + odd == 0, 0, maximum(1, ceil_div(padding + odd, stride)))
    left = select(padding == 0, 0, maximum(1, ceil_div(padding, stride)))
    is_row = (
        (s["height"] == 1)
        & (s["kernel_height"] == 1)
        & (s["dilation_y"] * s["dilation_x"] == 1)
        & ((stride * depth) % 4 == 0)
        & (left + maximum(out - left - right, 0) + right == out)
    )
    first = (s["kernel_width"] + padding) * depth
    last = (s["kernel_width"] - 1 + select(odd == 0, padding, right)) * depth
    return select(is_row, maximum(first, last), otherwise)


def _rounded(size: SizeValue, multiple: int) -> SizeValue:
    return multiple * ceil_div(size, multiple)
