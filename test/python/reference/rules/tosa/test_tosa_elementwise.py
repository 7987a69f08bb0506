"""TOSA on elements, held against upstream's lowering at the edges of types."""

import operator
from collections.abc import Callable

import numpy as np
import pytest
from common.oracles.operands import check, constant, drawn, interpret, main

A, B, OUT = "2x1x7", "1x5x7", "2x5x7"
BINARY: dict[str, Callable[[int, int], int]] = {
    "add": operator.add,
    "sub": operator.sub,
    "maximum": max,
    "minimum": min,
    "bitwise_and": operator.and_,
    "bitwise_or": operator.or_,
    "bitwise_xor": operator.xor,
}
COMPARE: dict[str, Callable[[int, int], bool]] = {
    "equal": operator.eq,
    "greater": operator.gt,
    "greater_equal": operator.ge,
}
ZERO = constant(np.zeros(1, np.int8), "zero")


def binary(name: str, element: str, attributes: str = "", result: str | None = None) -> str:
    result = result or element
    return (
        f"%{name} = tosa.{name} %a, %b {attributes} : (tensor<{A}x{element}>, "
        f"tensor<{B}x{element}>) -> tensor<{OUT}x{result}>"
    )


def unary(name: str, element: str, attributes: str = "") -> str:
    kind = f"tensor<{A}x{element}>"
    return f"%{name} = tosa.{name} %a {attributes} : ({kind}) -> {kind}"


@pytest.mark.parametrize("element", ["i8", "i16", "i32"])
def test_binary_integers_wrap(element: str) -> None:
    """Against Python's integers, which have no width; upstream lowers few of these on bytes."""
    lines = [binary(name, element) for name in BINARY]
    lines += [binary(name, element, result="i1") for name in COMPARE]
    results = [(f"%{name}", f"tensor<{OUT}x{element}>") for name in BINARY]
    results += [(f"%{name}", f"tensor<{OUT}xi1>") for name in COMPARE]
    text = main(f"%a: tensor<{A}x{element}>, %b: tensor<{B}x{element}>", lines, results)
    width = element.replace("i", "int")
    a, b = drawn((2, 1, 7), width, 1), drawn((1, 5, 7), width, 2)
    found = dict(zip([*BINARY, *COMPARE], interpret(text, [a, b]), strict=True))
    half = 1 << (int(element[1:]) - 1)
    pairs = list(
        zip(*(np.broadcast_to(x, (2, 5, 7)).reshape(-1).tolist() for x in (a, b)), strict=True)
    )
    for name, compute in {**BINARY, **COMPARE}.items():
        exact = [compute(x, y) for x, y in pairs]
        if name in BINARY:
            exact = [(value + half) % (2 * half) - half for value in exact]
        assert found[name].reshape(-1).tolist() == exact, name


@pytest.mark.parametrize("element", ["i8", "i16", "i32"])
def test_unary_integers(element: str) -> None:
    attributes = f"{{min_val = -100 : {element}, max_val = 27 : {element}}}"
    lines = [unary("bitwise_not", element), unary("clamp", element, attributes)]
    results = [(f"%{name}", f"tensor<{A}x{element}>") for name in ("bitwise_not", "clamp")]
    x = drawn((2, 1, 7), element.replace("i", "int"))
    inverted, clamped = interpret(main(f"%a: tensor<{A}x{element}>", lines, results), [x])
    np.testing.assert_array_equal(inverted, -1 - x)
    np.testing.assert_array_equal(clamped, np.clip(x, -100, 27))


def test_magnitudes_and_leading_zeros() -> None:
    lines = [unary("abs", "i32"), unary("clz", "i32")]
    text = main(
        f"%a: tensor<{A}xi32>", lines, [(f"%{n}", f"tensor<{A}xi32>") for n in ("abs", "clz")]
    )
    x = drawn((2, 1, 7), "int32")
    magnitudes, zeros = interpret(text, [x])
    np.testing.assert_array_equal(magnitudes.view(np.uint32), np.abs(x.astype(np.int64)))
    wanted = [32 - (int(v) % 2**32).bit_length() for v in x.reshape(-1)]
    assert zeros.reshape(-1).tolist() == wanted


@pytest.mark.parametrize("shift", [0, 1, 17, 31])
def test_products_are_shifted_and_rounded(shift: int) -> None:
    line = (
        f"%p = tosa.mul %a, %b, %s : (tensor<{A}xi32>, tensor<{B}xi32>, tensor<1xi8>) "
        f"-> tensor<{OUT}xi32>"
    )
    text = main(
        f"%a: tensor<{A}xi32>, %b: tensor<{B}xi32>",
        [constant(np.array([shift], np.int8), "s"), line],
        [("%p", f"tensor<{OUT}xi32>")],
    )
    a, b = drawn((2, 1, 7), "int32", 3), drawn((1, 5, 7), "int32", 4)
    if shift == 31:
        a = a >> 1  # the result must fit
    check(text, [a >> (16 if shift < 2 else 0), b])


def test_narrow_products_are_wide() -> None:
    line = (
        f"%p = tosa.mul %a, %b, %zero : (tensor<{A}xi8>, tensor<{B}xi8>, tensor<1xi8>) "
        f"-> tensor<{OUT}xi32>"
    )
    text = main(
        f"%a: tensor<{A}xi8>, %b: tensor<{B}xi8>", [ZERO, line], [("%p", f"tensor<{OUT}xi32>")]
    )
    check(text, [drawn((2, 1, 7), "int8", 5), drawn((1, 5, 7), "int8", 6)])


@pytest.mark.parametrize("rounds", ["true", "false"])
@pytest.mark.parametrize("element", ["i8", "i16", "i32"])
def test_shifts(rounds: str, element: str) -> None:
    attributes = f"{{round = {rounds}}}"
    lines = [
        binary("arithmetic_right_shift", element, attributes),
        binary("logical_left_shift", element),
        binary("logical_right_shift", element),
    ]
    names = ["arithmetic_right_shift", "logical_left_shift", "logical_right_shift"]
    results = [(f"%{name}", f"tensor<{OUT}x{element}>") for name in names]
    width = element.replace("i", "int")
    bits = 8 * np.dtype(width).itemsize
    a, by = drawn((2, 1, 7), width, 7), (np.arange(35).reshape(1, 5, 7) % bits).astype(width)
    text = main(f"%a: tensor<{A}x{element}>, %b: tensor<{B}x{element}>", lines, results)
    right, left, logical = (found.reshape(-1).tolist() for found in interpret(text, [a, by]))
    pairs = list(
        zip(*(np.broadcast_to(x, (2, 5, 7)).reshape(-1).tolist() for x in (a, by)), strict=True)
    )
    half = 1 << (bits - 1)
    up = [(1 << n >> 1) if rounds == "true" else 0 for _, n in pairs]
    assert right == [(x + h) >> n for (x, n), h in zip(pairs, up, strict=True)]
    assert left == [((x << n) + half) % (2 * half) - half for x, n in pairs]
    assert logical == [((x % (2 * half) >> n) + half) % (2 * half) - half for x, n in pairs]


def test_divisions_round_to_zero() -> None:
    text = main(
        f"%a: tensor<{A}xi32>, %b: tensor<{B}xi32>",
        [binary("intdiv", "i32")],
        [("%intdiv", f"tensor<{OUT}xi32>")],
    )
    b = drawn((1, 5, 7), "int32", 8)
    b[b == 0] = -7
    b[0, 0, :] = [1, 2, -2, 3, -3, 7, -7]
    check(text, [drawn((2, 1, 7), "int32", 9) // 3, b])


def test_booleans() -> None:
    names = ["logical_and", "logical_or", "logical_xor"]
    lines = [binary(name, "i1") for name in names] + [unary("logical_not", "i1")]
    results = [(f"%{name}", f"tensor<{OUT}xi1>") for name in names]
    results.append(("%logical_not", f"tensor<{A}xi1>"))
    text = main(f"%a: tensor<{A}xi1>, %b: tensor<{B}xi1>", lines, results)
    a, b = drawn((2, 1, 7), "bool", 1), drawn((1, 5, 7), "bool", 2)
    found = interpret(text, [a, b])
    for one, wanted in zip(found, [a & b, a | b, a ^ b, ~a], strict=True):
        np.testing.assert_array_equal(one, np.broadcast_to(wanted, one.shape))


def test_select_takes_elements_by_a_condition() -> None:
    line = (
        f"%s = tosa.select %c, %a, %b : (tensor<{OUT}xi1>, tensor<{A}xi16>, tensor<{B}xi16>) "
        f"-> tensor<{OUT}xi16>"
    )
    text = main(
        f"%c: tensor<{OUT}xi1>, %a: tensor<{A}xi16>, %b: tensor<{B}xi16>",
        [line],
        [("%s", f"tensor<{OUT}xi16>")],
    )
    c = drawn((2, 5, 7), "bool")
    a, b = drawn((2, 1, 7), "int16", 1), drawn((1, 5, 7), "int16", 2)
    np.testing.assert_array_equal(interpret(text, [c, a, b])[0], np.where(c, a, b))


@pytest.mark.parametrize(("zero_in", "zero_out"), [(0, 0), (-128, 127), (127, -128), (5, -3)])
def test_negations_saturate(zero_in: int, zero_out: int) -> None:
    kind = f"tensor<{A}xi8>"
    lines = [
        constant(np.array([zero_in], np.int8), "i"),
        constant(np.array([zero_out], np.int8), "o"),
        f"%n = tosa.negate %a, %i, %o : ({kind}, tensor<1xi8>, tensor<1xi8>) -> {kind}",
    ]
    x = drawn((2, 1, 7), "int8")
    (found,) = interpret(main(f"%a: {kind}", lines, [("%n", kind)]), [x])
    wanted = np.clip(zero_out - (x.astype(int) - zero_in), -128, 127)
    wanted = wanted if zero_in or zero_out else -x  # without zero points the least one wraps
    np.testing.assert_array_equal(found, wanted)


FLOATS = [
    "ceil",
    "floor",
    "exp",
    "log",
    "rsqrt",
    "reciprocal",
    "sigmoid",
    "tanh",
    "sin",
    "cos",
    "erf",
]


def test_functions_of_floats() -> None:
    lines = [unary(name, "f32") for name in FLOATS]
    results = [(f"%{name}", f"tensor<{A}xf32>") for name in FLOATS]
    x = np.abs(drawn((2, 1, 7), "float32")) + np.float32(0.01)
    check(main(f"%a: tensor<{A}xf32>", lines, results), [x], tolerance=2e-6)


def test_arithmetic_of_floats() -> None:
    names = ["add", "sub", "maximum", "minimum"]
    lines = [ZERO, *(binary(name, "f32") for name in names)]
    lines.append(
        f"%mul = tosa.mul %a, %b, %zero : (tensor<{A}xf32>, tensor<{B}xf32>, tensor<1xi8>) "
        f"-> tensor<{OUT}xf32>"
    )
    results = [(f"%{name}", f"tensor<{OUT}xf32>") for name in [*names, "mul"]]
    a, b = drawn((2, 1, 7), "float32", 1), drawn((1, 5, 7), "float32", 2)
    a[0, 0, :3] = [np.nan, np.inf, -0.0]
    check(main(f"%a: tensor<{A}xf32>, %b: tensor<{B}xf32>", lines, results), [a, b])


@pytest.mark.parametrize("mode", ["PROPAGATE", "IGNORE"])
def test_clamps_of_nan(mode: str) -> None:
    attributes = f"{{min_val = -1.0 : f32, max_val = 2.0 : f32, nan_mode = {mode}}}"
    text = main(
        f"%a: tensor<{A}xf32>",
        [unary("clamp", "f32", attributes)],
        [("%clamp", f"tensor<{A}xf32>")],
    )
    x = drawn((2, 1, 7), "float32")
    x[0, 0, 0] = np.nan
    (found,) = interpret(text, [x])
    assert np.isnan(found[0, 0, 0]) if mode == "PROPAGATE" else found[0, 0, 0] == -1
    np.testing.assert_array_equal(found[0, 0, 1:], np.clip(x[0, 0, 1:], -1, 2))
