"""C, LLVM and NumPy agree on floats, NaN, infinities and signed zeros included, bit for bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from forebay.engines.c import CEngine
from forebay.engines.llvm import LlvmEngine

TINY = np.float32(1e-45)
EDGES = np.array(
    [0.0, -0.0, 1.0, -1.0, 0.1, -2.5, 3.5, 1e30, -1e30, TINY, np.inf, -np.inf, np.nan], np.float32
)
A, B = (x.reshape(-1).copy() for x in np.meshgrid(EDGES, EDGES, indexing="ij"))


def body_of(op: str, count: int, result: str = "f32", operands: int = 2) -> str:
    loads = "\n".join(
        f"%x{i} = memref.load %in{i}[%i] : memref<{count}xf32>" for i in range(operands)
    )
    return f"""
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %n = arith.constant {count} : index
      scf.for %i = %c0 to %n step %c1 {{
        {loads}
        {op}
        memref.store %r, %out0[%i] : memref<{count}x{result}>
      }}"""


def run_both(kernel: Any, body: str, inputs: list[Any], like: NDArray[Any]) -> list[NDArray[Any]]:
    module, model = kernel(body, inputs, [like])
    return [engine(module, model).run(inputs)[0] for engine in (CEngine, LlvmEngine)]


def assert_same_floats(found: NDArray[Any], expected: NDArray[Any]) -> None:
    """Equal bits, but for the payload of a NaN."""
    np.testing.assert_array_equal(np.isnan(found), np.isnan(expected))
    numbers = ~np.isnan(expected)
    np.testing.assert_array_equal(found[numbers].view("u4"), expected[numbers].view("u4"))


def ieee(rule: Any, a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any]:
    """Minimum or maximum of IEEE 754-2019: NumPy's, but for -0.0 < 0.0."""
    plain = rule(a, b)
    zeros = (a == 0) & (b == 0)
    pick = np.signbit(a) | np.signbit(b) if rule is np.minimum else np.signbit(a) & np.signbit(b)
    signed = np.where(pick, np.float32(-0.0), np.float32(0.0))
    return np.where(zeros, signed, plain).astype(np.float32)


BINARY = {
    "addf": np.add,
    "subf": np.subtract,
    "mulf": np.multiply,
    "divf": np.divide,
    "remf": np.fmod,
    "minimumf": lambda a, b: ieee(np.minimum, a, b),
    "maximumf": lambda a, b: ieee(np.maximum, a, b),
}


@pytest.mark.parametrize("op", BINARY)
def test_binary_operators(kernel: Any, op: str) -> None:
    with np.errstate(all="ignore"):
        expected = BINARY[op](A, B)
    for found in run_both(kernel, body_of(f"%r = arith.{op} %x0, %x1 : f32", len(A)), [A, B], A):
        assert_same_floats(found, expected)


@pytest.mark.parametrize("limit", ["0.0", "-0.0", "1.0", "-2.5", "0x7F800000", "0x7FC00000"])
@pytest.mark.parametrize("op", ["minimumf", "maximumf"])
def test_limits_are_constants(kernel: Any, op: str, limit: str) -> None:
    """A comparison tells the result, but for the zero that is not the limit."""
    value = np.array(int(limit, 16), "u4").view("f4") if "x" in limit else np.float32(limit)
    lines = f"%limit = arith.constant {limit} : f32\n        %r = arith.{op} %x0, %limit : f32"
    for found in run_both(kernel, body_of(lines, len(EDGES), operands=1), [EDGES], EDGES):
        assert_same_floats(found, BINARY[op](EDGES, np.full_like(EDGES, value)))


@pytest.mark.parametrize(("op", "rule"), [("minnumf", np.fmin), ("maxnumf", np.fmax)])
def test_minnum_and_maxnum_ignore_nan(kernel: Any, op: str, rule: Any) -> None:
    body = body_of(f"%r = arith.{op} %x0, %x1 : f32", len(A))
    for found in run_both(kernel, body, [A, B], A):
        np.testing.assert_array_equal(found, rule(A, B))  # either zero will do


def comparisons() -> dict[str, NDArray[Any]]:
    unordered = np.isnan(A) | np.isnan(B)
    ordered = {"eq": A == B, "gt": A > B, "ge": A >= B, "lt": A < B, "le": A <= B, "ne": A != B}
    found = {f"o{name}": value & ~unordered for name, value in ordered.items()}
    found |= {f"u{name}": value | unordered for name, value in ordered.items()}
    true = np.ones_like(unordered)
    return found | {"uno": unordered, "ord": ~unordered, "true": true, "false": ~true}


@pytest.mark.parametrize("predicate", comparisons())
def test_comparisons(kernel: Any, predicate: str) -> None:
    expected = comparisons()["one" if predicate == "one" else predicate]
    body = body_of(f"%r = arith.cmpf {predicate}, %x0, %x1 : f32", len(A), "i1")
    for found in run_both(kernel, body, [A, B], expected):
        np.testing.assert_array_equal(found, expected)


UNARY = {"floor": np.floor, "ceil": np.ceil, "roundeven": np.rint, "absf": np.abs,
         "sqrt": np.sqrt, "trunc": np.trunc}  # fmt: skip


@pytest.mark.parametrize("op", UNARY)
def test_exact_functions(kernel: Any, op: str) -> None:
    x = np.concatenate([EDGES, np.float32([0.5, 1.5, 2.5, -0.5, -1.5, 0.49999997])])
    with np.errstate(invalid="ignore"):
        expected = UNARY[op](x)
    for found in run_both(kernel, body_of(f"%r = math.{op} %x0 : f32", len(x), operands=1), [x], x):
        assert_same_floats(found, expected)


@pytest.mark.parametrize("op", ["exp", "tanh", "rsqrt", "log"])
def test_library_functions(kernel: Any, op: str) -> None:
    x = np.linspace(0.01, 8, 100, dtype=np.float32)
    rules = {"exp": np.exp, "tanh": np.tanh, "log": np.log, "rsqrt": lambda v: 1 / np.sqrt(v)}
    expected = rules[op](x.astype(np.float64))
    for found in run_both(kernel, body_of(f"%r = math.{op} %x0 : f32", len(x), operands=1), [x], x):
        np.testing.assert_allclose(found, expected, rtol=3e-7, atol=1e-7)


LITERALS = {
    "0.1": 0.1,
    "-0.0": -0.0,
    "1.0e+10": 1e10,
    "0x7F800000": np.inf,
    "0xFF800000": -np.inf,
    "0x7FC00000": np.nan,
    "0x00000001": TINY,
    "0x7F7FFFFF": np.finfo(np.float32).max,
    "0x3EAAAAAB": np.float32(1) / np.float32(3),
    "1.17549435E-38": np.finfo(np.float32).tiny,
}


def test_literals_keep_their_bits(kernel: Any) -> None:
    expected = np.array([*LITERALS.values()], np.float32)
    stores = "\n".join(
        f"%i{i} = arith.constant {i} : index\n%v{i} = arith.constant {text} : f32\n"
        f"memref.store %v{i}, %out0[%i{i}] : memref<{len(LITERALS)}xf32>"
        for i, text in enumerate(LITERALS)
    )
    for found in run_both(kernel, stores, [], expected):
        assert_same_floats(found, expected)


@pytest.mark.parametrize("name", ["sitofp", "uitofp"])
def test_integers_become_floats(kernel: Any, name: str) -> None:
    x = np.array([0, 1, -1, 2**31 - 1, -(2**31), 16777217], np.int32)
    expected = (x if name == "sitofp" else x.view(np.uint32)).astype(np.float32)
    body = body_of(f"%r = arith.{name} %x0 : i32 to f32", len(x), operands=1)
    for found in run_both(
        kernel, body.replace("6xf32>\n        %r", "6xi32>\n        %r"), [x], expected
    ):
        assert_same_floats(found, expected)


def test_floats_become_integers(kernel: Any) -> None:
    x = np.float32([0.0, -0.9, 0.9, 1.5, -127.99, 2147483520.0])
    expected = np.trunc(x).astype(np.int32)
    body = body_of("%r = arith.fptosi %x0 : f32 to i32", len(x), "i32", 1)
    for found in run_both(kernel, body, [x], expected):
        np.testing.assert_array_equal(found, expected)


def test_bits_survive_a_bitcast(kernel: Any) -> None:
    body = body_of("%b = arith.bitcast %x0 : f32 to i32\n%r = arith.bitcast %b : i32 to f32",
                   len(EDGES), operands=1)  # fmt: skip
    for found in run_both(kernel, body, [EDGES], EDGES):
        assert_same_floats(found, EDGES)


def test_products_and_sums_are_rounded_separately(kernel: Any) -> None:
    x = np.linspace(-1, 1, 1001, dtype=np.float32)
    expected = (x * x).astype(np.float32) + x
    body = body_of(
        "%p = arith.mulf %x0, %x0 : f32\n%r = arith.addf %p, %x0 : f32", len(x), operands=1
    )
    for found in run_both(kernel, body, [x], expected):
        assert_same_floats(found, expected)
