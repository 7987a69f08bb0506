"""What cannot overflow is printed plainly; what might is not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from mlir import ir
from mlir.dialects import arith, scf, tosa

from forebay.codegen.c.analysis.ranges import Ranges
from forebay.dialects.accel import DotEachOp, DotOp
from forebay.ir.memory.ranges_arith import Range
from forebay.ir.nested import ops_in
from forebay.network.constants import constant_memory, constants_of

HEADER = """
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c10 = arith.constant 10 : index
  %zero = arith.constant 0 : i32
"""


class Program:
    """A parsed function; its ops live as long as it does."""

    def __init__(self, text: str) -> None:
        self.module = ir.Module.parse(text)

    def all(self, kind: type[Any]) -> list[Any]:
        views = [op.opview for op in ops_in(self.module.operation)]
        return [view for view in views if isinstance(view, kind)]


def program(body: str) -> Program:
    parameters = "%a: i8, %b: i8, %x: i32, %i: index"
    return Program(f"func.func @f({parameters}) {{\n{HEADER}{body}\nreturn\n}}")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("%w = arith.extsi %a : i8 to i32\n%r = arith.addi %w, %w : i32", Range(-256, 254)),
        ("%w = arith.extui %a : i8 to i32\n%r = arith.addi %w, %w : i32", Range(0, 510)),
        ("%r = arith.addi %a, %b : i8", Range(-128, 127)),
        ("%c = arith.constant 7 : i32\n%w = arith.andi %x, %c : i32\n"
         "%r = arith.addi %w, %w : i32", Range(0, 14)),
        ("%c = arith.constant 5 : i32\n%w = arith.minsi %x, %c : i32\n"
         "%v = arith.maxsi %w, %zero : i32\n%r = arith.addi %v, %v : i32", Range(0, 10)),
        ("%c = arith.constant 5 : i32\n%w = arith.remui %x, %c : i32\n"
         "%r = arith.addi %w, %w : i32", Range(0, 8)),
        ("%c = arith.constant -5 : i32\n%w = arith.remui %x, %c : i32\n"
         "%r = arith.addi %w, %zero : i32", Range(-(2**31), 2**31 - 1)),
        ("%c = arith.constant 24 : i32\n%w = arith.shrsi %x, %c : i32\n"
         "%r = arith.addi %w, %w : i32", Range(-256, 254)),
        ("%v = vector.broadcast %a : i8 to vector<4xi8>\n"
         "%w = arith.extsi %v : vector<4xi8> to vector<4xi32>\n"
         "%r = arith.addi %w, %w : vector<4xi32>", Range(-256, 254)),
    ],
)  # fmt: skip
def test_ranges_of_sums(context: ir.Context, body: str, expected: Range) -> None:
    found = program(body)
    assert Ranges().of(found.all(arith.AddIOp)[-1].result) == expected


def accumulate(trips: str) -> str:
    return f"""
      %w = arith.extsi %a : i8 to i32
      %r = scf.for %k = %c0 to {trips} step %c1 iter_args(%acc = %zero) -> (i32) {{
        %r2 = scf.for %l = %c0 to %c3 step %c1 iter_args(%acc2 = %acc) -> (i32) {{
          %p = arith.muli %w, %w : i32
          %s = arith.addi %acc2, %p : i32
          scf.yield %s : i32
        }}
        scf.yield %r2 : i32
      }}"""


def test_an_accumulator_grows_with_its_trips(context: ir.Context) -> None:
    """10 x 3 trips, each of them of -128 x 127 to -128 x -128."""
    found = program(accumulate("%c10"))
    ranges = Ranges()
    total = found.all(scf.ForOp)[0].results[0]
    assert ranges.of(total) == Range(-30 * 128 * 127, 30 * 128 * 128)
    assert ranges.fits(found.all(arith.AddIOp)[-1].result)


def test_unknown_trips_may_overflow(context: ir.Context) -> None:
    found = program(accumulate("%i"))
    assert not Ranges().fits(found.all(arith.AddIOp)[-1].result)


def test_an_accumulator_that_doubles_may_overflow(context: ir.Context) -> None:
    body = """
      %r = scf.for %k = %c0 to %c3 step %c1 iter_args(%acc = %x) -> (i32) {
        %s = arith.addi %acc, %acc : i32
        scf.yield %s : i32
      }"""
    found = program(body)
    assert not Ranges().fits(found.all(arith.AddIOp)[-1].result)


def test_constants_bound_what_is_loaded_through_calls(context: ir.Context) -> None:
    space = "#memref_pool.space<@w>"
    found = Program(f"""
      memref_pool.pool @w constant
      memref.global "private" constant @data : memref<3xi32, {space}> = dense<[5, -7, 2]>
        {{memref_pool.placement = #memref_pool.placement<@w, 16>}}
      func.func private @use(%data: memref<3xi32, {space}>, %i: index) {{
        %x = memref.load %data[%i] : memref<3xi32, {space}>
        %r = arith.addi %x, %x : i32
        return
      }}
      func.func @main(%w: memref<32xi8, {space}> {{memref_pool.base}}, %i: index) {{
        %c16 = arith.constant 16 : index
        %v = memref.view %w[%c16][] : memref<32xi8, {space}> to memref<3xi32, {space}>
        call @use(%v, %i) : (memref<3xi32, {space}>, index) -> ()
        return
      }}""")
    memory = constant_memory(found.module, constants_of(found.module))
    total = found.all(arith.AddIOp)[-1].result
    assert Ranges(memory.of_load).of(total) == Range(-14, 10)


FUNCTIONS = {
    "addi": np.add,
    "subi": np.subtract,
    "muli": np.multiply,
    "andi": np.bitwise_and,
    "ori": np.bitwise_or,
    "xori": np.bitwise_xor,
    "minsi": np.minimum,
    "maxsi": np.maximum,
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_ranges_hold_for_random_values(context: ir.Context, name: str) -> None:
    rng = np.random.default_rng(0)
    found = program(f"""
      %v = arith.extsi %a : i8 to i32
      %w = arith.extui %b : i8 to i32
      %r = arith.{name} %v, %w : i32""")
    user = found.all(ir.OpView)[-2]
    values = FUNCTIONS[name](rng.integers(-128, 128, 1000), rng.integers(0, 256, 1000))
    computed = Ranges().of(user.results[0])
    assert computed.low <= values.min()
    assert values.max() <= computed.high


@pytest.mark.parametrize("mode", ["SINGLE_ROUND", "DOUBLE_ROUND"])
@pytest.mark.parametrize("shift", [8, 31, 33, 40])
def test_range_of_a_requantisation(context: ir.Context, mode: str, shift: int) -> None:
    """Tight to the rounding, and never exceeded."""
    found = program(f"""
      %v = arith.extsi %a : i8 to i32
      %m = arith.constant 1500000000 : i32
      %s = arith.constant {shift} : i8
      %r = tosa.apply_scale %v, %m, %s {{rounding_mode = {mode}}} : (i32, i32, i8) -> i32""")
    computed = Ranges().of(found.all(tosa.ApplyScaleOp)[0].result)
    exact = [value * 1500000000 / 2**shift for value in (-128, 127)]
    if max(map(abs, exact)) >= 2**31:
        assert computed == Range(-(2**31), 2**31 - 1)
    else:
        assert exact[0] - 3 <= computed.low <= exact[0] - 0.5
        assert exact[1] + 0.5 <= computed.high <= exact[1] + 3


@pytest.mark.parametrize(
    ("first", "expected"),
    [
        ("arith.constant dense<1> : vector<16xi8>", Range(-2048, 2032)),
        ("arith.constant dense<3> : vector<16xi8>", Range(-6144, 6096)),
        ("vector.broadcast %a : i8 to vector<16xi8>", Range(-260096, 262144)),
    ],
)
def test_products_with_a_constant_have_its_range(
    context: ir.Context, first: str, expected: Range
) -> None:
    """Sums of weights are products with 1: 16 x -128, and 16 x 127."""
    found = program(f"""
      %v = {first}
      %w = vector.broadcast %b : i8 to vector<16xi8>
      %r = accel.dot %zero, %v, %w offset 0 : vector<16xi8>""")
    assert Ranges().of(found.all(DotOp)[0].result) == expected


@pytest.mark.parametrize(
    ("offset", "expected"),
    [(0, Range(-4 * 128 * 127, 4 * 128 * 128)), (128, Range(-4 * 255 * 128, 4 * 255 * 127))],
)
def test_each_sum_of_words_has_the_range_of_its_products(
    context: ir.Context, offset: int, expected: Range
) -> None:
    """Each of 16 sums gets four products."""
    found = program(f"""
      %sums = vector.broadcast %zero : i32 to vector<16xi32>
      %v = vector.broadcast %a : i8 to vector<4xi8>
      %w = vector.broadcast %b : i8 to vector<64xi8>
      %r = accel.dot_each %sums, %v, %w offset {offset}
        : vector<16xi32>, vector<4xi8>, vector<64xi8>""")
    assert Ranges().of(found.all(DotEachOp)[0].result) == expected


def test_sums_of_words_grow_with_each_step_of_a_loop(context: ir.Context) -> None:
    found = program("""
      %sums = vector.broadcast %zero : i32 to vector<8xi32>
      %v = vector.broadcast %a : i8 to vector<4xi8>
      %w = vector.broadcast %b : i8 to vector<32xi8>
      %all = scf.for %k = %c0 to %c10 step %c1 iter_args(%acc = %sums) -> (vector<8xi32>) {
        %next = accel.dot_each %acc, %v, %w offset 128
          : vector<8xi32>, vector<4xi8>, vector<32xi8>
        scf.yield %next : vector<8xi32>
      }""")
    (loop,) = found.all(scf.ForOp)
    assert Ranges().of(loop.results[0]) == Range(-40 * 255 * 128, 40 * 255 * 127)
