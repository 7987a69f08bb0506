"""A function of cycles gives the same numbers by hand, as a trace, and as MLIR run by LLVM."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from common.oracles.traced_cycles import CompiledCycles
from mlir import ir

import forebay
from forebay.api.target import (
    Device,
    Int64,
    Intrinsic,
    Operand,
    TargetError,
    ceil_div,
    clip,
    maximum,
    minimum,
    select,
)
from forebay.dialects import accel
from forebay.targets.complete.load import load
from forebay.targets.description.attach import attach
from forebay.targets.description.parts import TargetParts
from forebay.tracing.cycles import trace_cycles
from forebay.tracing.evaluate import evaluate_trace

SCALARS = ("a", "b", "c")
LEAST, LARGEST = -(1 << 31), (1 << 31) - 1
EDGES = (0, 1, -1, 2, -2, 3, 7, -8, 31, 63, 64, LARGEST, LEAST)


def quotients(a: Int64, b: Int64, c: Int64) -> Int64:
    return (
        a // b * 5
        + a % b
        - ceil_div(c, a)
        + ceil_div(b, 3)
        - c // -1
        + c % -7
        + 9 // b
        + (a << 32) // b
    )


def expected_quotients(a: int, b: int, c: int) -> int:
    def floor(x: int, y: int) -> int:
        return 0 if y == 0 else x // y

    remainder = a if b == 0 else a % b
    ceiling = 0 if a == 0 else -(-c // a)
    return (
        floor(a, b) * 5
        + remainder
        - ceiling
        - (-b // 3)
        + c
        + c % -7
        + floor(9, b)
        + floor(a << 32, b)
    )


def bits(a: Int64, b: Int64, c: Int64) -> Int64:
    return ((a << b) ^ (a >> c)) + ((b | 12) & ~c) - (3 << a) + (a << 4) + (c >> 5)


def expected_bits(a: int, b: int, c: int) -> int:
    shifts = ((a << (b % 64)) ^ (a >> (c % 64))) - (3 << (a % 64))
    return shifts + ((b | 12) & (-1 - c)) + a * 16 + c // 32


def products(a: Int64, b: Int64, c: Int64) -> Int64:
    return -(a * b * c * 12345) + (a - 1) * (7 - b) + +c


def expected_products(a: int, b: int, c: int) -> int:
    return -12345 * a * b * c + (a - 1) * (7 - b) + c


def choices(a: Int64, b: Int64, c: Int64) -> Int64:
    inner = (a < b) & (b <= c) | (a == c) ^ ~(b != 4)
    more = (a > b) & True | (c >= 0)
    return select(inner, minimum(a, b, 9), maximum(4, c)) * 3 + select(
        more, 1, clip(c, -5, b)
    ) * select(c > 7, 2, 3)


def expected_choices(a: int, b: int, c: int) -> int:
    first = (a < b <= c) or (a == c) != (b == 4)
    second = a > b or c >= 0
    last = (1 if second else min(max(c, -5), b)) * (2 if c > 7 else 3)
    return 3 * (min(a, b, 9) if first else max(4, c)) + last


PAIRS = (
    (quotients, expected_quotients),
    (bits, expected_bits),
    (products, expected_products),
    (choices, expected_choices),
)


def intrinsic(cycles: Callable[..., object], scalars: tuple[str, ...] = SCALARS) -> Intrinsic:
    return Intrinsic("work", "npu_work", (Operand("y", "out"),), scalars, cycles=cycles)


def draws() -> Iterator[tuple[int, ...]]:
    yield from itertools.product(EDGES, repeat=3)
    generator = random.Random(1)
    for _ in range(300):
        yield tuple(generator.randint(-bound, bound) for bound in (9, 1000, LARGEST))


def wrapped(value: int) -> int:
    return (value + (1 << 63)) % (1 << 64) - (1 << 63)


@pytest.mark.parametrize(("function", "expected"), PAIRS, ids=lambda it: it.__name__)
def test_python_numbers_and_mlir_agree(
    function: Callable[..., object], expected: Callable[..., int]
) -> None:
    record = trace_cycles(function, SCALARS)
    text = intrinsic(function).cycles
    assert isinstance(text, str)
    compiled = CompiledCycles(text)
    for values in draws():
        number = wrapped(expected(*values))
        assert evaluate_trace(record, dict(zip(SCALARS, values, strict=True))) == number
        assert compiled(values) == number


def test_a_function_computes_with_python_integers_too() -> None:
    def cycles(bytes_: Int64 | int, latency: int = 40) -> Int64 | int:
        return latency + minimum(ceil_div(bytes_, 8), clip(bytes_, 3, maximum(4, 1000)))

    assert cycles(17) == 40 + 3
    assert intrinsic(cycles, ("bytes_",)).cycles_of(bytes_=17) == 40 + 3
    assert ceil_div(7, 0) == 0
    assert [select(condition, 3, 4) for condition in (True, False)] == [3, 4]


def test_the_text_is_that_of_the_text_form() -> None:
    def cycles(blocks: Int64) -> Int64:
        return 40 + ceil_div(blocks * 16, 8)

    written = """func.func @reference(%arg0: i32, %arg1: i32) -> i64 {
  %c16_i64 = arith.constant 16 : i64
  %c8_i64 = arith.constant 8 : i64
  %c40_i64 = arith.constant 40 : i64
  %0 = arith.extsi %arg1 : i32 to i64
  %1 = arith.muli %0, %c16_i64 : i64
  %2 = arith.ceildivsi %1, %c8_i64 : i64
  %3 = arith.addi %2, %c40_i64 : i64
  return %3 : i64
}"""
    scalars = ("rows", "blocks")
    traced = intrinsic(cycles, scalars)
    assert traced.cycles == written
    assert traced == Intrinsic("work", "npu_work", traced.operands, scalars, cycles=written)


def test_constant_cycles_need_no_scalar() -> None:
    assert intrinsic(lambda: 16).cycles_of(a=1, b=2, c=3) == 16


@pytest.mark.parametrize("scalars", [{"a": 1}, {"a": 1, "b": 2, "c": 3, "d": 4}])
def test_cycles_of_other_scalars_are_refused(scalars: dict[str, int]) -> None:
    with pytest.raises(TargetError, match=r"the scalars are a, b, c$"):
        intrinsic(products).cycles_of(**scalars)


def test_negative_cycles_are_refused() -> None:
    def cycles(a: Int64, c: Int64) -> Int64:
        return a - c

    with pytest.raises(TargetError, match=r"'work' takes -3 cycles for \{'a': 1, 'b': 0, 'c': 4\}"):
        intrinsic(cycles).cycles_of(a=1, b=0, c=4)


def test_cycles_as_text_are_not_evaluated() -> None:
    text = intrinsic(products).cycles
    assert isinstance(text, str)
    written = Intrinsic("work", "npu_work", (Operand("y", "out"),), SCALARS, cycles=text)
    with pytest.raises(TargetError, match="the cycles of 'work' are no Python function"):
        written.cycles_of(a=1, b=2, c=3)


def test_operations_have_the_location_of_the_authors_line() -> None:
    def cycles(a: Int64) -> Int64:
        return double(a) + 1

    def double(value: Int64) -> Int64:
        return value * 2

    device = Device("npu", kind="npu", intrinsics=(intrinsic(cycles),))
    parts = TargetParts("npu", (device,), ())
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.create()
        with ir.InsertionPoint(module.body):
            attach(parts)
        (op,) = [op for op in module.body.operations if isinstance(op, accel.IntrinsicOp)]
        lines = {
            inner.operation.name: (inner.location.filename, inner.location.start_line)
            for inner in op.cycles.blocks[0].operations
        }
    first = cycles.__code__.co_firstlineno
    here = Path(__file__).as_posix()
    assert lines["arith.extsi"] == lines["accel.yield"] == (here, first)
    assert lines["arith.addi"] == (here, first + 1)
    assert lines["arith.muli"] == (here, double.__code__.co_firstlineno + 1)


def test_the_example_of_the_page_holds() -> None:
    page = Path(__file__).parents[3] / "docs" / "targets.md"
    section = page.read_text(encoding="utf-8").split("## Cycles of an intrinsic\n")[1]
    code = section.split("```python\n")[1].split("```")[0]
    assert "assert LOAD.cycles_of(" in code
    exec(code, {})


POOLER = Path(__file__).parents[3] / "examples" / "target" / "pooler.py"
CYCLES = """\
def cycles(count, width, channels):
    total = LocalVariable(7)
    for row in loop(count // width):
        total.value += select(row % 2 == 0, ceil_div(width, 3), channels)
    return clip(total.value, 1, 1000)


"""


def test_the_emulator_counts_the_same_cycles(digits: Path, tmp_path: Path) -> None:
    source = POOLER.read_text(encoding="utf-8")
    source = source.replace("MAX_POOL = Intrinsic(", CYCLES + "MAX_POOL = Intrinsic(")
    source = source.replace("    scalars=", "    cycles=cycles,\n    scalars=")
    source = source.replace("import Device,", f"import {', '.join(NAMES)}, Device,")
    path = tmp_path / "pooler.py"
    path.write_text(source, encoding="utf-8")
    machine = forebay.compile(digits, target=str(path)).emulator()
    machine.run([np.zeros((1, 8, 8, 1), np.int8)])
    # 4 rows of 4 points of 16 channels: 7 + 2 * (22 + 16)
    assert machine.report.cycles == 83
    (device,) = [device for device in load(str(path)).devices if device.name == "pooler"]
    assert device.intrinsics[0].cycles_of(count=256, width=64, channels=16) == 83


NAMES = ("LocalVariable", "ceil_div", "clip", "loop", "select")
