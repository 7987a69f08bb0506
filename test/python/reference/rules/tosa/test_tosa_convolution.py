"""Convolutions and products of matrices, held against upstream's lowering, extremes included."""

import numpy as np
import pytest
from common.oracles.operands import check, constant, drawn, interpret, main

from forebay.reference.products import exact_dtype, matrix_product


def layer(
    op: str,
    x: tuple[int, ...],
    w: tuple[int, ...],
    out: tuple[int, ...],
    *,
    zeros: tuple[int, int] = (0, 0),
    geometry: str,
    element: str = "i8",
    acc: str = "i32",
) -> tuple[str, list[np.ndarray]]:
    def kind(shape: tuple[int, ...], of: str) -> str:
        return f"tensor<{'x'.join([*map(str, shape), of])}>"

    numpy_type = "float32" if element == "f32" else f"int{element[1:]}"
    weight_element = "f32" if element == "f32" else "i8"
    weights = drawn(w, "float32" if element == "f32" else "int8", 1)
    bias = drawn((out[-1],), "float32" if acc == "f32" else "int32", 2)
    bias = bias if acc == "f32" else (bias >> 8).astype(np.int32)
    types = [kind(x, element), kind(w, weight_element), kind((out[-1],), acc)]
    points = [f"tensor<1x{element}>", f"tensor<1x{weight_element}>"]
    lines = [
        constant(weights, "w"),
        constant(bias, "b"),
        constant(np.array([zeros[0]]).astype(numpy_type), "zx"),
        constant(np.array([zeros[1]]).astype(weights.dtype), "zw"),
        f"%r = tosa.{op} %x, %w, %b, %zx, %zw {{acc_type = {acc}, {geometry}}} : "
        f"({', '.join([*types, *points])}) -> {kind(out, acc)}",
    ]
    text = main(f"%x: {kind(x, element)}", lines, [("%r", kind(out, acc))])
    return text, [drawn(x, numpy_type, 3)]


GEOMETRIES = {
    "plain": ((1, 5, 6, 3), (4, 1, 1, 3), (1, 5, 6, 4), "0, 0, 0, 0", "1, 1", "1, 1"),
    "same": ((1, 5, 6, 3), (4, 3, 3, 3), (1, 5, 6, 4), "1, 1, 1, 1", "1, 1", "1, 1"),
    "strided": ((2, 9, 7, 3), (5, 3, 3, 3), (2, 5, 4, 5), "1, 1, 1, 1", "2, 2", "1, 1"),
    "dilated": ((1, 9, 9, 2), (3, 3, 2, 2), (1, 5, 6, 3), "0, 0, 0, 0", "1, 1", "2, 3"),
    "uneven": ((1, 6, 8, 2), (3, 2, 4, 2), (1, 7, 3, 3), "2, 0, 1, 1", "1, 3", "1, 1"),
}


@pytest.mark.parametrize("name", GEOMETRIES)
@pytest.mark.parametrize("zeros", [(0, 0), (-128, 127), (127, -128)])
def test_convolutions(name: str, zeros: tuple[int, int]) -> None:
    x, w, out, pad, stride, dilation = GEOMETRIES[name]
    geometry = (
        f"pad = array<i64: {pad}>, stride = array<i64: {stride}>, dilation = array<i64: {dilation}>"
    )
    check(*layer("conv2d", x, w, out, zeros=zeros, geometry=geometry))


@pytest.mark.parametrize("name", GEOMETRIES)
@pytest.mark.parametrize("multiplier", [1, 3])
def test_depthwise(name: str, multiplier: int) -> None:
    x, w, out, pad, stride, dilation = GEOMETRIES[name]
    geometry = (
        f"pad = array<i64: {pad}>, stride = array<i64: {stride}>, dilation = array<i64: {dilation}>"
    )
    w = (*w[1:3], x[-1], multiplier)
    out = (*out[:3], x[-1] * multiplier)
    check(*layer("depthwise_conv2d", x, w, out, zeros=(-128, 127), geometry=geometry))


@pytest.mark.parametrize("op", ["conv2d", "depthwise_conv2d"])
def test_floats(op: str) -> None:
    x, w, out, pad, stride, dilation = GEOMETRIES["strided"]
    geometry = (
        f"pad = array<i64: {pad}>, stride = array<i64: {stride}>, dilation = array<i64: {dilation}>"
    )
    if op == "depthwise_conv2d":
        w, out = (3, 3, 3, 2), (*out[:3], 6)
    text, inputs = layer(op, x, w, out, geometry=geometry, element="f32", acc="f32")
    check(text, inputs, tolerance=1e-4)


@pytest.mark.parametrize("pads", ["0, 0, 0, 0", "1, 2, 0, 1", "-1, 0, -1, -1"])
def test_transposed(pads: str) -> None:
    top, bottom, left, right = map(int, pads.split(", "))
    height, width = (4 - 1) * 2 + top + bottom + 3, (5 - 1) * 3 + left + right + 2
    geometry = f"out_pad = array<i64: {pads}>, stride = array<i64: 2, 3>"
    x, w, out = (1, 4, 5, 3), (2, 3, 2, 3), (1, height, width, 2)
    text, (values,) = layer("transpose_conv2d", x, w, out, zeros=(-3, 0), geometry=geometry)
    (found,) = interpret(text, [values])
    weights, bias = drawn(w, "int8", 1).astype(int), (drawn((2,), "int32", 2) >> 8).astype(int)
    whole = np.zeros((1, 64, 64, 2), int)
    for y, c, ky, kx in np.ndindex(4, 5, 3, 2):
        pixel = values[:, y, c].astype(int) + 3
        whole[:, 20 + y * 2 + top + ky, 20 + c * 3 + left + kx] += pixel @ weights[:, ky, kx].T
    wanted = whole[:, 20 : 20 + height, 20 : 20 + width] + bias
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("zeros", [(0, 0), (-128, 127)])
def test_matmul(zeros: tuple[int, int]) -> None:
    types = "tensor<3x4x9xi8>", "tensor<3x9x5xi8>"
    lines = [
        constant(np.array([zeros[0]], np.int8), "za"),
        constant(np.array([zeros[1]], np.int8), "zb"),
        f"%r = tosa.matmul %a, %b, %za, %zb : ({types[0]}, {types[1]}, tensor<1xi8>, tensor<1xi8>) "
        "-> tensor<3x4x5xi32>",
    ]
    text = main(f"%a: {types[0]}, %b: {types[1]}", lines, [("%r", "tensor<3x4x5xi32>")])
    check(text, [drawn((3, 4, 9), "int8", 1), drawn((3, 9, 5), "int8", 2)])


def test_sums_are_exact_where_floats_would_round() -> None:
    """Narrow floats hold sums below 2**24, wide ones below 2**53; integers take the rest."""
    cases = [
        (100, 100, 4, np.float32),
        (30000, 30000, 100, np.float64),
        (2**30, 2**30, 64, np.int64),
    ]
    for a_size, b_size, depth, dtype in cases:
        a = np.full((3, depth), a_size, np.int64)
        b = np.full((depth, 2), b_size, np.int64)
        a[0, 0], b[0, 0] = a_size - 1, 1 - b_size
        assert exact_dtype(a, b, -2) is dtype
        wanted = [
            [sum(int(x) * int(y) for x, y in zip(row, column, strict=True)) for column in b.T]
            for row in a
        ]
        wrapped = (np.array(wanted, object) + 2**63) % 2**64 - 2**63
        np.testing.assert_array_equal(matrix_product(a, b), wrapped.astype(np.int64))
