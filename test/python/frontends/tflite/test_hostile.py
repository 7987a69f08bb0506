"""Broken files end in one of two exceptions, soon, whatever is broken in them."""

from __future__ import annotations

import contextlib
import resource
import struct
import time
from pathlib import Path

import numpy as np
import pytest
from common.model_file import Graph, Op, T, build, constant, single
from mlir import ir

from forebay.frontends.tflite import MalformedModel, UnsupportedModel, import_model

CORRUPTIONS = 1000
SECONDS_EACH = 2.0
MEGABYTES_OF_ALL = 512


def small_network() -> bytes:
    """Every part of the format in few bytes, so that corruptions hit structure, not weights."""
    weights = np.arange(-8, 10, dtype=np.int8).reshape(2, 3, 3, 1)
    tensors = [
        T((1, 4, 4, 1), "int8", 0.1, 3, name="image"),
        T((2, 3, 3, 1), "int8", [0.1, 0.2], 0, weights, name="weights"),
        constant([1, 2], "int32", scale=[0.01, 0.02]),
        T((1, 4, 4, 2), "int8", 0.5, 0),
        constant([0, 32]),
        T((1, 32), "int8", 0.5, 0),
        T((1, 32), "int8", 1 / 256, -128),
    ]
    convolution = {"Padding": 0, "StrideH": 1, "StrideW": 1, "FusedActivationFunction": 1}
    operators = [
        Op("CONV_2D", [0, 1, 2], [3], "Conv2DOptions", convolution, 3),
        Op("RESHAPE", [3, 4], [5], "ReshapeOptions", {"NewShape": [1, 32]}),
        Op("SOFTMAX", [5], [6], "SoftmaxOptions", {"Beta": 1.0}, 2),
    ]
    tensors[4].data = np.array([1, 32], np.int32)
    return build(Graph(tensors, [0], [6], operators))


def corrupted(file: bytes, rng: np.random.Generator) -> bytes:
    """One to eight bytes or words replaced, by noise or by an extreme."""
    broken = bytearray(file)
    for _ in range(rng.integers(1, 9)):
        kind = rng.integers(4)
        at = int(rng.integers(0, len(broken) - 4))
        if kind == 0:
            broken[at] = int(rng.integers(256))
        elif kind == 1:
            broken[at] ^= 1 << int(rng.integers(8))
        elif kind == 2:
            word = (0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)[int(rng.integers(5))]
            struct.pack_into("<I", broken, at & ~3, word)
        else:
            struct.pack_into("<I", broken, at & ~3, int(rng.integers(2**32)))
    return bytes(broken)


def attempt(file: bytes) -> bool:
    """Import; gives whether it went through. Any other exception fails the test."""
    started = time.monotonic()
    with contextlib.suppress(MalformedModel, UnsupportedModel):
        import_model(file)
        assert time.monotonic() - started < SECONDS_EACH
        return True
    assert time.monotonic() - started < SECONDS_EACH
    return False


def test_a_thousand_corruptions_of_a_small_network(context: ir.Context) -> None:
    file = small_network()
    assert attempt(file)
    rng = np.random.default_rng(20260101)
    refused = sum(not attempt(corrupted(file, rng)) for _ in range(CORRUPTIONS))
    assert refused > CORRUPTIONS // 3
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    assert peak < 16 * MEGABYTES_OF_ALL


@pytest.mark.slow
@pytest.mark.parametrize("name", ["micro_speech_int8", "mww_vad_int8", "split_concat"])
def test_a_thousand_corruptions_of_a_network(
    name: str, shared_models: Path, context: ir.Context
) -> None:
    file = (shared_models / f"{name}.tflite").read_bytes()
    rng = np.random.default_rng(7)
    for _ in range(CORRUPTIONS // 3):
        attempt(corrupted(file, rng))


@pytest.mark.parametrize("length", [0, 1, 4, 7, 8, 12, 100])
def test_truncated_files_are_malformed(length: int, context: ir.Context) -> None:
    with pytest.raises(MalformedModel):
        import_model(small_network()[:length])


def test_every_truncation_is_refused(context: ir.Context) -> None:
    file = small_network()
    for length in range(0, len(file) - 16, 8):
        attempt(file[:length])


def test_what_is_no_model_says_so(context: ir.Context) -> None:
    with pytest.raises(MalformedModel) as error:
        import_model(b"PK\x03\x04 this is a zip file")
    assert str(error.value) == (
        "model.tflite: this is no TFLite model: its bytes 4 to 8 are not 'TFL3'"
    )


def test_one_vector_read_by_every_table_is_refused(context: ir.Context) -> None:
    # 20,000 operators that are one table, with 1,000 operands: 84 KB that say 20 million.
    tensors = [T((1,), "int8", 0.1), T((1,), "int8", 0.1)]
    wide = Op("RELU", [0] * 1000, [1])
    file = build(Graph(tensors, [0], [1], [wide] * 20_000))
    assert len(file) < 90_000
    with pytest.raises(MalformedModel) as error:
        import_model(file)
    assert str(error.value) == (
        "model.tflite: Inputs makes the file's vectors longer than the file itself"
    )


def test_a_huge_tensor_costs_nothing(context: ir.Context) -> None:
    tensors = [T((2**15, 2**15, 4), "int8", 0.1), T((2**15, 2**15, 4), "int8", 0.1)]
    with pytest.raises(UnsupportedModel) as error:
        import_model(single(Op("RELU", [0], [1]), tensors))
    assert str(error.value) == (
        "model.tflite: tensor 't0' has 4,294,967,296 bytes; at most 2,147,483,647 are supported. "
        "Use a smaller input"
    )


def test_a_pad_that_explodes_is_refused(context: ir.Context) -> None:
    tensors = [
        T((1, 4), "int8", 0.1),
        constant([[2**30, 0], [2**30, 0]]),
        T((1, 4), "int8", 0.1),
    ]
    with pytest.raises(UnsupportedModel, match="a result of 1,152,921,509,"):
        import_model(single(Op("PAD", [0, 1], [2], "PadOptions"), tensors))


def test_one_buffer_behind_many_tensors_is_refused(context: ir.Context) -> None:
    # 200 sums with 200 constants that are one buffer of 64 KiB.
    size = 2**16
    data = np.zeros((size,), np.int8)
    constants = [T((size,), "int8", 0.1, 0, data) for _ in range(200)]
    sums = [T((size,), "int8", 0.1) for _ in range(201)]
    operators = [Op("ADD", [200 + i, i], [201 + i], "AddOptions") for i in range(200)]
    file = build(Graph([*constants, *sums], [200], [400], operators))
    assert len(file) < 2 * size
    with pytest.raises(UnsupportedModel, match="more than 64 times the file's size"):
        import_model(file)


def test_a_small_file_may_have_a_large_constant_result(context: ir.Context) -> None:
    tensors = [T((30, 70, 9), "int64"), T((30, 70, 9), "int64")]
    file = single(Op("ZEROS_LIKE", [0], [1], "ZerosLikeOptions"), tensors)
    assert 64 * len(file) < 30 * 70 * 9 * 8
    assert "tosa.const" in str(import_model(file))
