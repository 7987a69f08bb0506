"""MediaPipe's transposed convolution: TRANSPOSE_CONV of TFLite Micro with the same result shape."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest
from common.model_file import Op, T, constant, single
from common.tflite_engines import assert_all_give
from common.tflite_reference import micro, random_float
from mlir import ir

from forebay.frontends.errors import MalformedModel
from forebay.frontends.tflite import import_model

DEPTH, CHANNELS = 3, 4
SAME, VALID = 1, 2


def network(
    options: bytes, source: tuple[int, int], kernel: tuple[int, int], result: tuple[int, int]
) -> bytes:
    tensors = [
        T((2, *source, DEPTH), "float32"),
        constant(weights(kernel), "float32"),
        constant(random_float(3, CHANNELS), "float32"),
        T((2, *result, CHANNELS), "float32"),
    ]
    return single(Op("Convolution2DTransposeBias", [0, 1, 2], [3], custom=options), tensors)


def weights(kernel: tuple[int, int]) -> np.ndarray:
    return random_float(2, CHANNELS, *kernel, DEPTH)


def of_tflite(
    padding: int,
    stride: tuple[int, int],
    source: tuple[int, int],
    kernel: tuple[int, int],
    result: tuple[int, int],
) -> bytes:
    shape = (2, *result, CHANNELS)
    tensors = [
        constant(shape),
        constant(weights(kernel), "float32"),
        T((2, *source, DEPTH), "float32"),
        constant(random_float(3, CHANNELS), "float32"),
        T(shape, "float32"),
    ]
    fields = {"Padding": padding - 1, "StrideH": stride[0], "StrideW": stride[1]}
    op = Op("TRANSPOSE_CONV", [0, 1, 2, 3], [4], "TransposeConvOptions", fields, 3)
    return single(op, tensors)


@pytest.mark.parametrize(
    ("padding", "stride", "sizes"),
    [
        (SAME, (2, 2), ((3, 5), (3, 3), (5, 9))),
        (SAME, (2, 2), ((4, 4), (2, 2), (8, 8))),
        (SAME, (1, 3), ((4, 2), (3, 5), (4, 5))),
        (VALID, (2, 1), ((3, 4), (3, 2), (7, 5))),
    ],
)
def test_equals_transpose_conv(
    padding: int,
    stride: tuple[int, int],
    sizes: tuple[tuple[int, int], tuple[int, int], tuple[int, int]],
    tmp_path: Path,
) -> None:
    """The sizes are those of the source, the kernel and the result."""
    source, kernel, result = sizes
    x = random_float(1, 2, *source, DEPTH)
    expected = micro(of_tflite(padding, stride, source, kernel, result), [x])
    options = struct.pack("<3i", padding, stride[1], stride[0])
    assert_all_give(network(options, source, kernel, result), tmp_path, [x], expected)


@pytest.mark.parametrize("options", [b"", struct.pack("<3i", 0, 1, 1), struct.pack("<3i", 1, 0, 1)])
def test_wrong_options_are_malformed(options: bytes, context: ir.Context) -> None:
    with pytest.raises(MalformedModel, match="Convolution2DTransposeBias"):
        import_model(network(options, (3, 3), (3, 3), (3, 3)))
