"""MatMulInteger and ConvInteger, compared with ONNX's reference evaluator."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from common.onnx_networks import OnnxNetwork, reference
from common.sweep import sweep

import forebay
from forebay.errors import Error

# Shapes of the operands, of their zero points (None: absent), and whether operand 1 is constant.
PRODUCTS: dict[str, Any] = {
    "layer": ([3, 40], [40, 6], [], [], True),
    "zero points of columns": ([3, 40], [40, 6], [], [6], True),
    "zero points of rows": ([2, 3, 40], [40, 6], [3, 1], [], True),
    "zero points of rows in batches": ([2, 3, 40], [40, 6], [2, 3, 1], [], True),
    "none": ([3, 40], [40, 6], None, None, True),
    "activations": ([2, 3, 7], [2, 7, 5], [], [], False),
    "batches of columns": ([2, 3, 7], [2, 7, 5], [2, 3, 1], [2, 1, 5], False),
    "vectors": ([40], [40], [], [], False),
    "a vector": ([40], [40, 6], [], [], True),
}


def _drawn(rng: Any, dtype: Any, *shape: int) -> Any:
    limits = np.iinfo(dtype)
    return rng.integers(limits.min, limits.max + 1, shape).astype(dtype)


@pytest.mark.parametrize("types", [("uint8", "int8"), ("int8", "uint8")])
@pytest.mark.parametrize("form", sweep(PRODUCTS, fast=3))
def test_products_have_the_bits_of_the_reference(
    form: str, types: tuple[str, str], tmp_path: Path
) -> None:
    a, b, za, zb, is_constant = PRODUCTS[form]
    rng, net = np.random.default_rng(3), OnnxNetwork()
    data = [_drawn(rng, types[0], *a)]
    operands = [net.input("a", a, types[0])]
    matrix = _drawn(rng, types[1], *b)
    operands.append(net.constant(matrix) if is_constant else net.input("b", b, types[1]))
    data += [] if is_constant else [matrix]
    if za is not None:
        data.append(_drawn(rng, types[0], *za))
        operands.append(net.input("za", za, types[0]))
        operands.append(net.constant(_drawn(rng, types[1], *zb)))
    y = net.op("MatMulInteger", *operands)
    net.output_of(y, "int32", len(np.shape(np.matmul(np.zeros(a), np.zeros(b)))))
    path = net.save(tmp_path / "net.onnx")
    np.testing.assert_array_equal(forebay.compile(path).run(*data), reference(path, data)[0])


def test_a_vector_of_zero_points_is_of_rows(tmp_path: Path) -> None:
    """ONNX's definition says so; the evaluator takes it as one of columns."""
    rng, net = np.random.default_rng(3), OnnxNetwork()
    a, b, za = (_drawn(rng, "uint8", *shape) for shape in ([3, 40], [40, 6], [3]))
    x = net.input("a", [3, 40], "uint8")
    net.output(net.op("MatMulInteger", x, net.constant(b), net.constant(za)), "int32")
    path = net.save(tmp_path / "net.onnx")
    expected = (a.astype(int) - za.astype(int)[:, None]) @ b.astype(int)
    np.testing.assert_array_equal(forebay.compile(path).run(a), expected)


CONVOLUTIONS: dict[str, Any] = {
    "padded": ([5, 4, 3, 3], {"pads": [1, 0, 2, 1], "strides": [2, 1]}, []),
    "groups": ([6, 2, 3, 2], {"group": 2, "auto_pad": "SAME_UPPER"}, [6]),
    "depthwise": ([4, 1, 3, 3], {"group": 4, "dilations": [2, 1]}, [4]),
    "none": ([5, 4, 1, 1], {}, None),
}


@pytest.mark.parametrize("types", [("uint8", "int8"), ("uint8", "uint8")])
@pytest.mark.parametrize("form", sweep(CONVOLUTIONS, fast=2))
def test_convolutions_have_the_bits_of_the_reference(
    form: str, types: tuple[str, str], tmp_path: Path
) -> None:
    shape, attributes, zero_points = CONVOLUTIONS[form]
    rng, net = np.random.default_rng(3), OnnxNetwork()
    operands = [net.input("x", [2, 4, 6, 7], types[0]), net.constant(_drawn(rng, types[1], *shape))]
    data = [_drawn(rng, types[0], 2, 4, 6, 7)]
    if zero_points is not None:
        data.append(_drawn(rng, types[0]))
        operands.append(net.input("zero", [], types[0]))
        operands.append(net.constant(_drawn(rng, types[1], *zero_points)))
    net.output_of(net.op("ConvInteger", *operands, **attributes), "int32", 4)
    path = net.save(tmp_path / "net.onnx")
    np.testing.assert_array_equal(forebay.compile(path).run(*data), reference(path, data)[0])


def test_one_spatial_dimension_has_the_bits_of_the_reference(tmp_path: Path) -> None:
    rng, net = np.random.default_rng(3), OnnxNetwork()
    weights = net.constant(_drawn(rng, "int8", 5, 4, 3))
    x = net.input("x", [2, 4, 9], "uint8")
    y = net.op("ConvInteger", x, weights, net.constant(np.uint8(7)), pads=[1, 1], strides=[2])
    net.output_of(y, "int32", 3)
    path, data = net.save(tmp_path / "net.onnx"), _drawn(rng, "uint8", 2, 4, 9)
    np.testing.assert_array_equal(forebay.compile(path).run(data), reference(path, [data])[0])


@pytest.mark.parametrize(
    ("shapes", "zero_point", "error"),
    [
        (([2, 4], [4, 3]), np.zeros((5, 1), np.uint8), r"zero points of shape \[5, 1\]"),
        (([1, 40_000], [40_000, 1]), np.uint8(0), "sums of 40,000 products"),
    ],
)
def test_other_zero_points_are_refused(
    shapes: Any, zero_point: Any, error: str, tmp_path: Path
) -> None:
    net = OnnxNetwork()
    x = net.input("x", shapes[0], "uint8")
    matrix = net.constant(np.ones(shapes[1], np.int8))
    y = net.op("MatMulInteger", x, matrix, net.constant(zero_point))
    net.output_of(y, "int32", 2)
    with pytest.raises(Error, match=rf"operator 0 \(MatMulInteger\): .*{error}"):
        forebay.compile(net.save(tmp_path / "net.onnx"))
