"""C, LLVM and NumPy agree on arithmetic, at the edges of every width."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from forebay.engines.c import CEngine
from forebay.engines.llvm import LlvmEngine

SANITIZE = ("-std=c99", "-O1", "-ffp-contract=off", "-fsanitize=undefined",
            "-fno-sanitize-recover=all")  # fmt: skip
WIDTHS = (8, 16, 32, 64)


def edges(width: int) -> NDArray[Any]:
    top = 2 ** (width - 1)
    values = [0, 1, -1, 2, -2, 3, 7, -7, 100, -100, top - 1, -top, top // 2, -top // 2 - 1]
    return np.array(values, dtype=f"int{width}")


def pairs(width: int) -> tuple[NDArray[Any], NDArray[Any]]:
    values = edges(width)
    a, b = np.meshgrid(values, values, indexing="ij")
    return a.reshape(-1).copy(), b.reshape(-1).copy()


def elementwise(op: str, count: int, element: str, result: str, operands: int = 2) -> str:
    loads = "\n".join(
        f"%x{i} = memref.load %in{i}[%i] : memref<{count}x{element}>" for i in range(operands)
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


def assert_all_agree(kernel: Any, body: str, inputs: list[Any], expected: NDArray[Any]) -> None:
    module, model = kernel(body, inputs, [expected])
    from_c = CEngine(module, model, SANITIZE).run(inputs)[0]
    from_llvm = LlvmEngine(module, model).run(inputs)[0]
    np.testing.assert_array_equal(from_c, expected)
    np.testing.assert_array_equal(from_llvm, expected)


WRAPPING = {"addi": np.add, "subi": np.subtract, "muli": np.multiply, "andi": np.bitwise_and,
            "ori": np.bitwise_or, "xori": np.bitwise_xor, "maxsi": np.maximum,
            "minsi": np.minimum}  # fmt: skip


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("op", WRAPPING)
def test_wrapping_operators(kernel: Any, op: str, width: int) -> None:
    a, b = pairs(width)
    with np.errstate(over="ignore"):
        expected = WRAPPING[op](a, b)
    body = elementwise(f"%r = arith.{op} %x0, %x1 : i{width}", len(a), f"i{width}", f"i{width}")
    assert_all_agree(kernel, body, [a, b], expected)


@pytest.mark.parametrize("bounds", [(-5, 7), (7, -5), (3, 3)])
@pytest.mark.parametrize("order", [("minsi", "maxsi"), ("maxsi", "minsi")])
def test_two_bounds(kernel: Any, order: tuple[str, str], bounds: tuple[int, int]) -> None:
    """A clamp where the bounds are in order, and what the operators say where they are not."""
    a = edges(32)
    op = f"""%first = arith.constant {bounds[0]} : i32
      %second = arith.constant {bounds[1]} : i32
      %b = arith.{order[0]} %x0, %first : i32
      %r = arith.{order[1]} %b, %second : i32"""
    expected = WRAPPING[order[1]](WRAPPING[order[0]](a, bounds[0]), bounds[1]).astype(a.dtype)
    assert_all_agree(kernel, elementwise(op, len(a), "i32", "i32", 1), [a], expected)


def test_numbers_multiply_in_64_bits(kernel: Any) -> None:
    """C reads 1073741824 as an int; the product needs an i64."""
    a = np.array([False, True])
    op = """%big = arith.constant 1073741824 : i64
      %eight = arith.constant 8 : i64
      %one = arith.constant 1 : i64
      %p = arith.select %x0, %big, %one : i64
      %q = arith.select %x0, %eight, %one : i64
      %r = arith.muli %p, %q : i64"""
    body = elementwise(op, 2, "i1", "i64", 1)
    assert_all_agree(kernel, body, [a], np.array([1, 2**33], np.int64))


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("op", ["divsi", "remsi", "floordivsi", "ceildivsi"])
def test_signed_division(kernel: Any, op: str, width: int) -> None:
    a, b = pairs(width)
    overflows = (a == np.iinfo(a.dtype).min) & (b == -1)
    a, b = a[(b != 0) & ~overflows], b[(b != 0) & ~overflows]
    exact = [(int(x), int(y)) for x, y in zip(a, b, strict=True)]
    rules = {
        "divsi": lambda x, y: abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1),
        "remsi": lambda x, y: abs(x) % abs(y) * (1 if x >= 0 else -1),
        "floordivsi": lambda x, y: x // y,
        "ceildivsi": lambda x, y: -(-x // y),
    }
    expected = np.array([rules[op](x, y) for x, y in exact], a.dtype)
    body = elementwise(f"%r = arith.{op} %x0, %x1 : i{width}", len(a), f"i{width}", f"i{width}")
    assert_all_agree(kernel, body, [a, b], expected)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("op", ["divui", "remui", "ceildivui", "maxui", "minui"])
def test_unsigned_operators(kernel: Any, op: str, width: int) -> None:
    a, b = pairs(width)
    a, b = a[b != 0], b[b != 0]
    unsigned = f"uint{width}"
    x, y = [v.view(unsigned).astype(object) for v in (a, b)]
    rules = {"divui": x // y, "remui": x % y, "ceildivui": -(-x // y),
             "maxui": np.maximum(x, y), "minui": np.minimum(x, y)}  # fmt: skip
    expected = rules[op].astype(unsigned).view(a.dtype)
    body = elementwise(f"%r = arith.{op} %x0, %x1 : i{width}", len(a), f"i{width}", f"i{width}")
    assert_all_agree(kernel, body, [a, b], expected)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("op", ["shli", "shrsi", "shrui"])
def test_shifts(kernel: Any, op: str, width: int) -> None:
    a = np.repeat(edges(width), width)
    b = np.tile(np.arange(width, dtype=a.dtype), len(edges(width)))
    unsigned = a.view(f"uint{width}").astype(object)
    by = b.astype(object)
    rules = {"shli": (unsigned << by) % 2**width, "shrsi": a.astype(object) >> by,
             "shrui": unsigned >> by}  # fmt: skip
    expected = (rules[op] % 2**width).astype(f"uint{width}").view(a.dtype)
    body = elementwise(f"%r = arith.{op} %x0, %x1 : i{width}", len(a), f"i{width}", f"i{width}")
    assert_all_agree(kernel, body, [a, b], expected)


PREDICATES = {"eq": np.equal, "ne": np.not_equal, "slt": np.less, "sle": np.less_equal,
              "sgt": np.greater, "sge": np.greater_equal, "ult": np.less, "ule": np.less_equal,
              "ugt": np.greater, "uge": np.greater_equal}  # fmt: skip


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("predicate", PREDICATES)
def test_integer_comparisons(kernel: Any, predicate: str, width: int) -> None:
    a, b = pairs(width)
    x, y = (v.view(f"uint{width}") if predicate[0] == "u" else v for v in (a, b))
    expected = PREDICATES[predicate](x, y)
    op = f"%r = arith.cmpi {predicate}, %x0, %x1 : i{width}"
    assert_all_agree(kernel, elementwise(op, len(a), f"i{width}", "i1"), [a, b], expected)


@pytest.mark.parametrize("source", WIDTHS)
@pytest.mark.parametrize("result", WIDTHS)
@pytest.mark.parametrize("is_signed", [True, False])
def test_integer_conversions(kernel: Any, source: int, result: int, is_signed: bool) -> None:
    if source == result:
        pytest.skip("no conversion")
    a = edges(source)
    name = "trunci" if result < source else "extsi" if is_signed else "extui"
    seen = a if is_signed else a.view(f"uint{source}")
    expected = seen.astype(f"int{result}")
    op = f"%r = arith.{name} %x0 : i{source} to i{result}"
    body = elementwise(op, len(a), f"i{source}", f"i{result}", 1)
    assert_all_agree(kernel, body, [a], expected)


@pytest.mark.parametrize("is_signed", [True, False])
@pytest.mark.parametrize("result", WIDTHS)
def test_booleans_extend(kernel: Any, result: int, is_signed: bool) -> None:
    a = np.array([False, True])
    expected = np.array([0, -1 if is_signed else 1], f"int{result}")
    op = f"%r = arith.{'extsi' if is_signed else 'extui'} %x0 : i1 to i{result}"
    assert_all_agree(kernel, elementwise(op, 2, "i1", f"i{result}", 1), [a], expected)


@pytest.mark.parametrize("op", ["andi", "ori", "xori", "addi", "subi", "muli"])
def test_boolean_logic(kernel: Any, op: str) -> None:
    a, b = np.array([False, False, True, True]), np.array([False, True, False, True])
    rules = {"andi": a & b, "muli": a & b, "ori": a | b}
    expected = rules.get(op, a ^ b)
    body = elementwise(f"%r = arith.{op} %x0, %x1 : i1", 4, "i1", "i1")
    assert_all_agree(kernel, body, [a, b], expected)


def test_negation_by_xor_with_true(kernel: Any) -> None:
    a = np.array([False, True])
    op = "%t = arith.constant true\n%r = arith.xori %x0, %t : i1"
    assert_all_agree(kernel, elementwise(op, 2, "i1", "i1", 1), [a], ~a)


def test_absolute_value_and_leading_zeros(kernel: Any) -> None:
    a = edges(32)
    body = elementwise("%r = math.absi %x0 : i32", len(a), "i32", "i32", 1)
    assert_all_agree(kernel, body, [a], np.abs(a))
    zeros = np.array([32 - int(x).bit_length() for x in a.view("uint32")], "int32")
    body = elementwise("%r = math.ctlz %x0 : i32", len(a), "i32", "i32", 1)
    assert_all_agree(kernel, body, [a], zeros)


@pytest.mark.parametrize("width", [8, 16, 32])
@pytest.mark.parametrize("name", ["mulsi_extended", "mului_extended"])
def test_whole_product(kernel: Any, name: str, width: int) -> None:
    a, b = pairs(width)
    x, y = (v if name == "mulsi_extended" else v.view(f"uint{width}") for v in (a, b))
    product = x.astype(object) * y.astype(object)
    expected = ((product ^ (product >> width)) % 2**width).astype(f"uint{width}").view(a.dtype)
    op = f"%low, %high = arith.{name} %x0, %x1 : i{width}\n%r = arith.xori %low, %high : i{width}"
    assert_all_agree(kernel, elementwise(op, len(a), f"i{width}", f"i{width}"), [a, b], expected)


@pytest.mark.parametrize("width", [8, 16, 32, 64])
def test_sum_and_carry(kernel: Any, width: int) -> None:
    a, b = pairs(width)
    whole = a.view(f"uint{width}").astype(object) + b.view(f"uint{width}").astype(object)
    op = f"%sum, %carry = arith.addui_extended %x0, %x1 : i{width}, i1\n"
    op += f"%c = arith.extui %carry : i1 to i{width}\n%r = arith.subi %sum, %c : i{width}"
    expected = ((whole - (whole >> width)) % 2**width).astype(f"uint{width}").view(a.dtype)
    assert_all_agree(kernel, elementwise(op, len(a), f"i{width}", f"i{width}"), [a, b], expected)


@pytest.mark.parametrize("mode", ["SINGLE_ROUND", "DOUBLE_ROUND"])
def test_apply_scale(kernel: Any, mode: str) -> None:
    rng = np.random.default_rng(1)
    values = np.concatenate([edges(32), rng.integers(-(2**31), 2**31, 2000)]).astype("int32")
    multiplier = rng.integers(2**30, 2**31, len(values)).astype("int32")
    shift = rng.integers(2, 63, len(values)).astype("int8")
    v, m, s = (x.astype(object) for x in (values, multiplier, shift))
    round_ = 2 ** (s - 1)
    if mode == "DOUBLE_ROUND":
        round_ = round_ + np.where(shift > 31, np.where(values >= 0, 2**30, -(2**30)), 0)
    exact = (v * m + round_) >> s
    fits = np.array([-(2**31) <= e < 2**31 for e in exact])
    inputs = [values[fits], multiplier[fits], shift[fits]]
    count = int(fits.sum())
    body = f"""
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %n = arith.constant {count} : index
      scf.for %i = %c0 to %n step %c1 {{
        %v = memref.load %in0[%i] : memref<{count}xi32>
        %m = memref.load %in1[%i] : memref<{count}xi32>
        %s = memref.load %in2[%i] : memref<{count}xi8>
        %r = tosa.apply_scale %v, %m, %s {{rounding_mode = {mode}}} : (i32, i32, i8) -> i32
        memref.store %r, %out0[%i] : memref<{count}xi32>
      }}"""
    assert_all_agree(kernel, body, inputs, exact[fits].astype("int32"))
