"""Gathering, scattering and sorting, compared with ONNX's reference evaluator."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from common.onnx_networks import OnnxNetwork, reference
from common.sweep import sweep

import forebay
from forebay.errors import Error

RNG = np.random.default_rng(3)
KINDS = ["float32", "int8", "uint8", "int16", "int32", "int64"]


def data(kind: str, *shape: int) -> Any:
    low = 0 if kind == "uint8" else -9
    return np.random.default_rng(4).integers(low, 10, shape).astype(kind)


def i64(*values: Any) -> Any:
    return np.array(values, np.int64)


def assert_equal(
    tmp_path: Path, kind: str, op: str, arrays: list[Any], results: list[str], **attributes: Any
) -> None:
    """Compare an operator with the first array as input and the others as constants."""
    first, *others = arrays
    net = OnnxNetwork()
    x = net.input("x", first.shape, kind)
    constants = [net.constant(a) for a in others]
    names = net.op(op, x, *constants, outputs=len(results), **attributes)
    for name, dtype in zip([names] if len(results) == 1 else names, results, strict=True):
        net.output(name, dtype)
    path = net.save(tmp_path / "net.onnx")
    found = forebay.compile(path).run(first)
    given = [found] if len(results) == 1 else found
    for y, golden in zip(given, reference(path, [first]), strict=True):
        assert y.dtype == golden.dtype
        np.testing.assert_array_equal(y, golden)


@pytest.mark.parametrize("kind", sweep(KINDS, fast=2))
def test_parts_at_vectors_of_indices(kind: str, tmp_path: Path) -> None:
    at = i64([[0, 2], [-1, -3]], [[1, 1], [0, 0]])
    assert_equal(tmp_path, kind, "GatherND", [data(kind, 2, 3, 4), at], [kind])


def test_parts_of_each_batch(tmp_path: Path) -> None:
    at = np.array([[[1], [-1]], [[0], [2]]], np.int64)
    arrays = [data("float32", 2, 3, 4), at]
    assert_equal(tmp_path, "float32", "GatherND", arrays, ["float32"], batch_dims=1)


@pytest.mark.parametrize("kind", sweep(KINDS, fast=2))
def test_the_last_update_of_a_position_counts(kind: str, tmp_path: Path) -> None:
    arrays = [data(kind, 4, 3), i64([1], [-1], [1]), data(kind, 3, 3) // 2]
    assert_equal(tmp_path, kind, "ScatterND", arrays, [kind])


@pytest.mark.parametrize("reduction", ["add", "mul", "max", "min"])
@pytest.mark.parametrize("kind", sweep(["float32", "int64", "int32"]))
def test_updates_of_a_position_are_reduced(kind: str, reduction: str, tmp_path: Path) -> None:
    arrays = [data(kind, 4, 3), i64([1, 0], [1, 0], [-1, 2]), data(kind, 3)]
    assert_equal(tmp_path, kind, "ScatterND", arrays, [kind], reduction=reduction)


@pytest.mark.parametrize("axis", [0, -1])
def test_elements_are_scattered_along_an_axis(axis: int, tmp_path: Path) -> None:
    arrays = [data("float32", 3, 4), i64([0, -1, 1], [2, 0, 2]), data("float32", 2, 3)]
    attributes = {"axis": axis, "reduction": "add"}
    assert_equal(tmp_path, "float32", "ScatterElements", arrays, ["float32"], **attributes)


@pytest.mark.parametrize("axis", [-1, 0, 1])
def test_one_value_at_a_position(axis: int, tmp_path: Path) -> None:
    arrays = [data("int64", 2, 3), np.array(10), np.array([-1, 5], np.float32)]
    assert_equal(tmp_path, "int64", "OneHot", arrays, ["float32"], axis=axis)


@pytest.mark.parametrize("kind", sweep(KINDS, fast=2))
@pytest.mark.parametrize("largest", [0, 1])
def test_equal_elements_stay_in_order(kind: str, largest: int, tmp_path: Path) -> None:
    arrays = [data(kind, 3, 15, 2), i64(6)]
    results = [kind, "int64"]
    assert_equal(tmp_path, kind, "TopK", arrays, results, axis=1, largest=largest)


def test_a_count_above_the_elements_is_refused(tmp_path: Path) -> None:
    net = OnnxNetwork()
    values, _ = net.op("TopK", net.input("x", [6]), net.constant(i64(7)), outputs=2)
    net.output_of(values, "float32", 1)
    with pytest.raises(Error, match="7 of 6 elements"):
        forebay.compile(net.save(tmp_path / "net.onnx"))


def test_a_reduction_of_bytes_is_refused(tmp_path: Path) -> None:
    arrays = [data("int8", 4), i64([0]), data("int8", 1)]
    with pytest.raises(Error, match="a reduction of int8"):
        assert_equal(tmp_path, "int8", "ScatterND", arrays, ["int8"], reduction="add")
