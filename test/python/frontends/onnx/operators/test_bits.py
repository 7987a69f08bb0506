"""Functions of bits, and of sequences of several lengths, compared with ONNX's reference."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from common.onnx_networks import OnnxNetwork, reference
from common.sweep import sweep

import forebay
from forebay.errors import Error

TYPES = ("uint8", "int8", "int16", "int32", "int64")
KINDS = ("BitwiseAnd", "BitwiseOr", "BitwiseXor")


def _integers(dtype: str, *shape: int, seed: int) -> Any:
    limits = np.iinfo(dtype)
    values = np.random.default_rng(seed).integers(limits.min, limits.max, shape, endpoint=True)
    return values.astype(dtype)


def _same(net: OnnxNetwork, result: str, data: list[Any], folder: Path) -> None:
    net.output(result, str(data[0].dtype))
    path = net.save(folder / "net.onnx")
    y = forebay.compile(path).run(*data)
    golden = reference(path, data)[0]
    assert y.dtype == golden.dtype
    np.testing.assert_array_equal(y, golden)


@pytest.mark.parametrize("dtype", sweep(TYPES, fast=1))
def test_functions_of_two_integers_have_the_bits_of_the_reference(
    dtype: str, tmp_path: Path
) -> None:
    net = OnnxNetwork()
    x, y = net.input("x", [3, 1, 20], dtype), net.input("y", [4, 20], dtype)
    both = [net.op(kind, x, net.op("BitwiseNot", y)) for kind in KINDS]
    data = [_integers(dtype, 3, 1, 20, seed=1), _integers(dtype, 4, 20, seed=2)]
    _same(net, net.op("Concat", *both, axis=0), data, tmp_path)


@pytest.mark.parametrize("direction", ["LEFT", "RIGHT"])
def test_a_shift_has_the_bits_of_the_reference(direction: str, tmp_path: Path) -> None:
    net = OnnxNetwork()
    x, y = net.input("x", [256, 1], "uint8"), net.input("y", [8], "uint8")
    data = [np.arange(256, dtype=np.uint8)[:, None], np.arange(8, dtype=np.uint8)]
    _same(net, net.op("BitShift", x, y, direction=direction), data, tmp_path)


@pytest.mark.parametrize("axes", [{"time_axis": 1, "batch_axis": 0}, {}])
def test_reversed_sequences_equal_the_reference(axes: dict[str, int], tmp_path: Path) -> None:
    net = OnnxNetwork()
    shape = [3, 5, 2] if axes else [5, 3, 2]
    x, lengths = net.input("x", shape, "int32"), net.input("lengths", [3], "int64")
    data = [_integers("int32", *shape, seed=3), np.array([5, 1, 3])]
    _same(net, net.op("ReverseSequence", x, lengths, **axes), data, tmp_path)


@pytest.mark.parametrize("attributes", [{}, {"detect_negative": 0}, {"detect_positive": 0}])
def test_infinities_are_those_of_the_reference(attributes: dict[str, int], tmp_path: Path) -> None:
    net = OnnxNetwork()
    net.output(net.op("IsInf", net.input("x", [5]), **attributes), "bool")
    path, x = net.save(tmp_path / "net.onnx"), np.float32([1, np.inf, -np.inf, np.nan, 3e38])
    np.testing.assert_array_equal(forebay.compile(path).run(x), reference(path, [x])[0])


SIZE, CHANCE = "a result whose size depends on data", "a result of chance"
SHAPE = {"shape": [2, 3]}


@pytest.mark.parametrize(
    ("kind", "operands", "attributes", "dtype", "reason"),
    [
        ("NonZero", ([2, 3],), {}, "int64", SIZE),
        ("Unique", ([2, 3],), {}, "float32", SIZE),
        ("NonMaxSuppression", ([1, 5, 4], [1, 2, 5]), {}, "int64", SIZE),
        ("Bernoulli", ([2, 3],), {}, "float32", CHANCE),
        ("Multinomial", ([2, 3],), {}, "int32", CHANCE),
        ("RandomNormal", (), SHAPE, "float32", CHANCE),
        ("RandomNormalLike", ([2, 3],), {}, "float32", CHANCE),
        ("RandomUniform", (), SHAPE, "float32", CHANCE),
        ("RandomUniformLike", ([2, 3],), {}, "float32", CHANCE),
    ],
)
def test_an_unknown_size_and_chance_are_refused(
    kind: str,
    operands: tuple[list[int], ...],
    *,
    attributes: dict[str, Any],
    dtype: str,
    reason: str,
    tmp_path: Path,
) -> None:
    net = OnnxNetwork()
    inputs = [net.input(f"x{i}", shape) for i, shape in enumerate(operands)]
    result = net.op(kind, *inputs, **attributes)
    net.output_of(result, dtype, 1 if kind == "Unique" else 2)
    with pytest.raises(Error, match=rf"operator 0 \({kind}\): not supported: {reason}"):
        forebay.compile(net.save(tmp_path / "net.onnx"))


@pytest.mark.parametrize("diagonal", [0, 1, -2])
def test_ones_on_a_diagonal_are_known(diagonal: int, tmp_path: Path) -> None:
    net = OnnxNetwork()
    x = net.input("x", [3, 5])
    net.output(net.op("Add", x, net.op("EyeLike", x, k=diagonal)))
    path, data = net.save(tmp_path / "net.onnx"), np.ones((3, 5), np.float32)
    np.testing.assert_array_equal(forebay.compile(path).run(data), reference(path, [data])[0])
