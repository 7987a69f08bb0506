"""A reference as a Python function computes the same bits as NumPy, in every engine."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from common.oracles.reference_jit import Reference

import forebay
from forebay.api.target import (
    Int8,
    Int16,
    Int32,
    Int64,
    Intrinsic,
    LocalVariable,
    Operand,
    TypedPointer,
    loop,
    maximum,
    minimum,
    requantise,
    select,
)
from forebay.driver.compiled import EngineName
from forebay.reference.integers import apply_scale_32
from forebay.tracing.cycles import trace_cycles
from forebay.tracing.evaluate import evaluate_trace

RNG = np.random.default_rng(3)
POOLER = Path(__file__).parents[3] / "examples" / "target" / "pooler.py"


def reference(
    function: Callable[..., None], scalars: tuple[str, ...], *outs: str, ins: tuple[str, ...] = ()
) -> Intrinsic:
    operands = (*(Operand(name, "in") for name in ins), *(Operand(name, "out") for name in outs))
    return Intrinsic("work", "npu_work", operands, scalars, function)


def test_the_text_is_that_of_the_text_form() -> None:
    def negate(x: TypedPointer[Int8], y: TypedPointer[Int8], n: Int32) -> None:
        for i in loop(n):
            y[i] = -x[i]

    text = """func.func @reference(%arg0: memref<?xi8>, %arg1: memref<?xi8>, %arg2: i32) {
  %0 = arith.index_cast %arg2 : i32 to index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c0_i8 = arith.constant 0 : i8
  scf.for %arg3 = %c0 to %0 step %c1 {
    %1 = memref.load %arg0[%arg3] : memref<?xi8>
    %2 = arith.subi %c0_i8, %1 : i8
    memref.store %2, %arg1[%arg3] : memref<?xi8>
  }
  return
}"""
    traced = reference(negate, ("n",), "y", ins=("x",))
    assert traced.reference == text
    assert traced == Intrinsic("work", "npu_work", traced.operands, ("n",), text)


def test_a_matrix_product_in_two_shapes() -> None:
    def product(
        a: TypedPointer[Int8], b: TypedPointer[Int16], c: TypedPointer[Int32], n: Int32, k: Int32
    ) -> None:
        left, right, sums = a.shaped(n, k), b.shaped(k, n, 2), c.shaped(n, n, 2)
        for row in loop(n):
            for column in loop(n):
                for part in loop(2):
                    total = LocalVariable(100)
                    for at in loop(k):
                        x, w = left[row, at], right[at, column, part]
                        total.value += x.extend(Int32) * w.extend(Int32)
                    sums[row, column, part] = total.value

    n, k = 5, 7
    a = RNG.integers(-128, 128, (n, k), np.int8)
    b = RNG.integers(-1000, 1000, (k, n, 2), np.int16)
    c = np.zeros((n, n, 2), np.int32)
    compiled = Reference(reference(product, ("n", "k"), "c", ins=("a", "b")))
    compiled([a, b, c], {"n": n, "k": k})
    expected = 100 + np.einsum("nk,kmp->nmp", a.astype(np.int64), b.astype(np.int64))
    np.testing.assert_array_equal(c, expected)


def test_variables_of_nested_loops_and_limits() -> None:
    def sums(y: TypedPointer[Int64], n: Int32) -> None:
        total, last = LocalVariable(Int64.of(0)), LocalVariable(Int64.of(-1))
        for i in loop(2, n, 3):
            inner = LocalVariable(0)
            for j in loop(i, 9):
                inner.value += j
                last.value = (i * 100 + j).extend(Int64)
            total.value = total.value * 2 + inner.value.extend(Int64)
        y[0] = total.value
        y[1] = last.value
        y[n - 1] = 7

    y = np.zeros(12, np.int64)
    Reference(reference(sums, ("n",), "y"))([y], {"n": 12})
    total, last = 0, -1
    for i in range(2, 12, 3):
        for j in range(i, 9):
            last = i * 100 + j
        total = total * 2 + sum(range(i, 9))
    assert y.tolist() == [total, last, *[0] * 9, 7]


def test_conversions() -> None:
    def convert(x: TypedPointer[Int32], y: TypedPointer[Int32], n: Int32) -> None:
        out = y.shaped(n, 6)
        for i in loop(n):
            value = x[i]
            out[i, 0] = value.truncate(Int8).extend(Int32)
            out[i, 1] = value.truncate(Int16).zero_extend(Int32)
            out[i, 2] = value.saturate(Int8).extend(Int32)
            out[i, 3] = value.extend(Int64).saturate(Int16).extend(Int32)
            out[i, 4] = (value.extend(Int64) << 20 >> 30).truncate(Int32)
            out[i, 5] = select(value < 0, minimum(value, -9), maximum(value, 9))

    x = np.array([0, 1, -1, 127, 128, -128, -129, 40000, -40000, 2**31 - 1, -(2**31)], np.int32)
    y = np.zeros((x.size, 6), np.int32)
    Reference(reference(convert, ("n",), "y", ins=("x",)))([x, y], {"n": x.size})
    wide = x.astype(np.int64)
    columns = (
        x.astype(np.int8),
        x.astype(np.uint16),
        np.clip(x, -128, 127),
        np.clip(x, -(2**15), 2**15 - 1),
        ((wide << 20) >> 30).astype(np.int32),
        np.where(x < 0, np.minimum(x, -9), np.maximum(x, 9)),
    )
    np.testing.assert_array_equal(y, np.stack(columns, 1))


def test_requantisation_is_tflites() -> None:
    def scale(
        x: TypedPointer[Int32],
        factors: TypedPointer[Int32],
        y: TypedPointer[Int8],
        n: Int32,
        low: Int32,
    ) -> None:
        for i in loop(n):
            pair = factors.shaped(n, 2)
            scaled = requantise(x[i], pair[i, 0], pair[i, 1], zero_point=-5, low=low, high=90)
            y[i] = scaled.truncate(Int8)

    count = 4000
    x = RNG.integers(-(2**31), 2**31, count, np.int64)
    x[::2] >>= RNG.integers(8, 31, x[::2].size)
    x[:2] = -(2**31), 2**31 - 1
    multiplier = RNG.integers(1 << 30, 2**31, count)
    shift = RNG.integers(2, 63, count)
    shift[2:60] = 31
    y = np.zeros(count, np.int8)
    factors = np.stack([multiplier, shift], 1).astype(np.int32)
    compiled = Reference(reference(scale, ("n", "low"), "y", ins=("x", "factors")))
    compiled([x.astype(np.int32), factors, y], {"n": count, "low": -100})
    scaled = apply_scale_32(x.astype(np.int32), multiplier, shift, double_round=True)
    np.testing.assert_array_equal(y, np.clip(scaled - 5, -100, 90))


def test_cycles_with_a_loop() -> None:
    def cycles(n: Int64) -> Int64:
        total = LocalVariable(3)
        for i in loop(n):
            total.value += i * n
        for _ in loop(2):
            total.value *= 10
        return total.value

    trace = trace_cycles(cycles, ("n",))
    assert evaluate_trace(trace, {"n": 5}) == 100 * (3 + 10 * 5)
    assert evaluate_trace(trace, {"n": 0}) == 300


def test_a_function_with_given_arguments() -> None:
    def fill(y: TypedPointer[Int8], n: Int32, value: int) -> None:
        for i in loop(n):
            y[i] = value

    y = np.zeros(4, np.int8)
    Reference(reference(partial(fill, value=9), ("n",), "y"))([y], {"n": 3})
    assert y.tolist() == [9, 9, 9, 0]


TRACED_POOLER = """\
def max_pool(x: TypedPointer[Int8], y: TypedPointer[Int8], count, width, channels):
    for i in loop(count):
        first = i + i // width * (width * 2) + i // channels * channels
        below = first + width * 2
        y[i] = maximum(x[first], x[first + channels], x[below], x[below + channels])


"""


@pytest.mark.parametrize("engine", ["c", "emulator", "llvm"])
def test_every_engine_runs_it(engine: EngineName, digits: Path, tmp_path: Path) -> None:
    source = POOLER.read_text(encoding="utf-8")
    source = re.sub(r'reference="""[^"]*"""', "reference=max_pool", source)
    source = source.replace("MAX_POOL = Intrinsic(", TRACED_POOLER + "MAX_POOL = Intrinsic(")
    source = source.replace("import Device,", "import Int8, TypedPointer, loop, maximum, Device,")
    path = tmp_path / "traced_pooler.py"
    path.write_text(source, encoding="utf-8")
    compiled = forebay.compile(digits, target=str(path))
    with np.load(digits.parent / "digits_heldout.npz") as heldout:
        for image, scores in zip(heldout["inputs"][:3], heldout["outputs"][:3], strict=True):
            actual = compiled.run(image[np.newaxis], engine=engine)
            np.testing.assert_array_equal(np.ravel(actual), np.ravel(scores))


def test_the_example_of_the_page_computes_a_layer() -> None:
    page = Path(__file__).parents[3] / "docs" / "targets.md"
    section = page.read_text(encoding="utf-8").split("## Reference of an intrinsic\n")[1]
    found: dict[str, object] = {}
    exec(section.split("```python\n")[1].split("```")[0], found)
    layer = found["MULTIPLY"]
    assert isinstance(layer, Intrinsic)
    x, w = RNG.integers(-128, 128, 20, np.int8), RNG.integers(-128, 128, (6, 20), np.int8)
    bias, y = RNG.integers(-5000, 5000, 6, np.int32), np.zeros(6, np.int8)
    scalars = {"rows": 6, "depth": 20, "zero_point": 3, "multiplier": 1 << 30, "shift": 38}
    Reference(layer)([x, w, bias, y], scalars)
    total = bias + w.astype(np.int64) @ (x.astype(np.int64) - 3)
    scaled = apply_scale_32(total, np.array(1 << 30), np.array(38), double_round=True)
    np.testing.assert_array_equal(y, np.clip(scaled, -128, 127))
