"""Loops, branches and the variables that C needs for them: C and LLVM agree with NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
from mlir import ir
from numpy.typing import NDArray

from forebay.codegen.project.project import project_files
from forebay.engines.c import CEngine
from forebay.engines.llvm import LlvmEngine

STRICT = ("-std=c99", "-O1", "-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-pedantic", "-Werror",
          "-fsanitize=undefined", "-fno-sanitize-recover=all")  # fmt: skip
CONSTANTS = """
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
"""


def assert_both(kernel: Any, body: str, inputs: list[Any], expected: NDArray[Any]) -> str:
    """Check both engines; return the C."""
    module, model = kernel(CONSTANTS + body, inputs, [expected])
    np.testing.assert_array_equal(CEngine(module, model, STRICT).run(inputs)[0], expected)
    np.testing.assert_array_equal(LlvmEngine(module, model).run(inputs)[0], expected)
    return project_files(module, model)["kernel.c"]


def int32(*values: int) -> NDArray[np.int32]:
    return np.array(values, np.int32)


def test_carried_values_swap_at_once(kernel: Any) -> None:
    """Fibonacci: both right sides read the values from before the step."""
    body = """
      %a, %b = scf.for %i = %c0 to %c8 step %c1 iter_args(%x = %z, %y = %one) -> (i32, i32) {
        %s = arith.addi %x, %y : i32
        scf.yield %y, %s : i32, i32
      }
      memref.store %a, %out0[%c0] : memref<2xi32>
      memref.store %b, %out0[%c1] : memref<2xi32>"""
    assert_both(kernel, body, [], int32(21, 34))


def test_nested_sum_is_one_variable(kernel: Any) -> None:
    x = np.arange(32, dtype=np.int32).reshape(4, 8)
    body = """
      %total = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %z) -> (i32) {
        %row = scf.for %j = %c0 to %c8 step %c1 iter_args(%b = %a) -> (i32) {
          %v = memref.load %in0[%i, %j] : memref<4x8xi32>
          %s = arith.addi %b, %v overflow<nsw> : i32
          scf.yield %s : i32
        }
        scf.yield %row : i32
      }
      memref.store %total, %out0[%c0] : memref<1xi32>"""
    text = assert_both(kernel, body, [x], int32(x.sum()))
    assert "acc += in[n * 8 + k];" in text
    assert "acc2" not in text


def test_init_that_lives_on_is_not_taken_over(kernel: Any) -> None:
    body = """
      %a = scf.for %i = %c0 to %c4 step %c1 iter_args(%x = %one) -> (i32) {
        %s = arith.addi %x, %x : i32
        scf.yield %s : i32
      }
      %b = scf.for %i = %c0 to %c4 step %c1 iter_args(%x = %a) -> (i32) {
        %s = arith.addi %x, %one : i32
        scf.yield %s : i32
      }
      memref.store %a, %out0[%c0] : memref<2xi32>
      memref.store %b, %out0[%c1] : memref<2xi32>"""
    assert_both(kernel, body, [], int32(16, 20))


def test_init_from_outside_starts_anew_in_each_iteration(kernel: Any) -> None:
    body = """
      %a = scf.for %i = %c0 to %c4 step %c1 iter_args(%x = %one) -> (i32) {
        %s = arith.addi %x, %one : i32
        scf.yield %s : i32
      }
      scf.for %i = %c0 to %c2 step %c1 {
        %b = scf.for %j = %c0 to %c4 step %c1 iter_args(%x = %a) -> (i32) {
          %s = arith.addi %x, %x : i32
          scf.yield %s : i32
        }
        memref.store %b, %out0[%i] : memref<2xi32>
      }"""
    assert_both(kernel, body, [], int32(80, 80))


def test_variable_of_a_narrower_type_is_not_taken_over(kernel: Any) -> None:
    """An i8 that a loop made starts an i32 that outgrows it."""
    body = """
      %c3 = arith.constant 3 : i8
      %a = scf.for %i = %c0 to %c4 step %c1 iter_args(%x = %c3) -> (i8) {
        %s = arith.addi %x, %x : i8
        scf.yield %s : i8
      }
      %wide = arith.extsi %a : i8 to i32
      %b = scf.for %i = %c0 to %c8 step %c1 iter_args(%x = %wide) -> (i32) {
        %s = arith.addi %x, %x : i32
        scf.yield %s : i32
      }
      memref.store %b, %out0[%c0] : memref<1xi32>"""
    assert_both(kernel, body, [], int32(3 * 2**12))


def test_load_before_a_store_reads_the_old_value(kernel: Any) -> None:
    body = """
      memref.store %one, %out0[%c0] : memref<2xi32>
      %old = memref.load %out0[%c0] : memref<2xi32>
      %c7 = arith.constant 7 : i32
      memref.store %c7, %out0[%c0] : memref<2xi32>
      memref.store %old, %out0[%c1] : memref<2xi32>"""
    assert_both(kernel, body, [], int32(7, 1))


def test_load_before_a_loop_reads_the_old_value(kernel: Any) -> None:
    body = """
      memref.store %one, %out0[%c0] : memref<2xi32>
      %old = memref.load %out0[%c0] : memref<2xi32>
      %more = arith.addi %old, %one : i32
      scf.for %i = %c0 to %c1 step %c1 {
        memref.store %z, %out0[%i] : memref<2xi32>
      }
      memref.store %more, %out0[%c1] : memref<2xi32>"""
    assert_both(kernel, body, [], int32(0, 2))


def test_value_of_a_variable_survives_its_next_change(kernel: Any) -> None:
    """%twice reads %a, whose variable the second loop goes on with."""
    body = """
      %a = scf.for %i = %c0 to %c4 step %c1 iter_args(%x = %one) -> (i32) {
        %s = arith.addi %x, %x : i32
        scf.yield %s : i32
      }
      %twice = arith.addi %a, %a : i32
      %b = scf.for %i = %c0 to %c4 step %c1 iter_args(%x = %a) -> (i32) {
        %s = arith.addi %x, %one : i32
        scf.yield %s : i32
      }
      memref.store %twice, %out0[%c0] : memref<2xi32>
      memref.store %b, %out0[%c1] : memref<2xi32>"""
    assert_both(kernel, body, [], int32(32, 20))


def test_if_with_results(kernel: Any) -> None:
    x = int32(3, -4, 5, -6)
    body = """
      scf.for %i = %c0 to %c4 step %c1 {
        %v = memref.load %in0[%i] : memref<4xi32>
        %p = arith.cmpi slt, %v, %z : i32
        %r, %s = scf.if %p -> (i32, i32) {
          %n = arith.subi %z, %v : i32
          scf.yield %n, %one : i32, i32
        } else {
          scf.yield %v, %z : i32, i32
        }
        %t = arith.addi %r, %s : i32
        memref.store %t, %out0[%i] : memref<4xi32>
      }"""
    assert_both(kernel, body, [x], int32(3, 5, 5, 7))


def test_if_without_else(kernel: Any) -> None:
    body = """
      scf.for %i = %c0 to %c4 step %c1 {
        %p = arith.cmpi ult, %i, %c2 : index
        memref.store %z, %out0[%i] : memref<4xi32>
        scf.if %p {
          memref.store %one, %out0[%i] : memref<4xi32>
        }
      }"""
    assert_both(kernel, body, [], int32(1, 1, 0, 0))


def test_while_with_a_plain_condition(kernel: Any) -> None:
    """Bits of a number by halving it."""
    body = """
      %n = memref.load %in0[%c0] : memref<1xi32>
      %rest, %bits = scf.while (%v = %n, %count = %z) : (i32, i32) -> (i32, i32) {
        %p = arith.cmpi sgt, %v, %z : i32
        scf.condition(%p) %v, %count : i32, i32
      } do {
      ^bb0(%v: i32, %count: i32):
        %h = arith.shrsi %v, %one : i32
        %m = arith.addi %count, %one : i32
        scf.yield %h, %m : i32, i32
      }
      memref.store %bits, %out0[%c0] : memref<1xi32>"""
    text = assert_both(kernel, body, [int32(1000)], int32(10))
    assert "while (acc > 0) {" in text


def test_while_that_computes_before_its_condition(kernel: Any) -> None:
    """A do-while: the value tested is the one handed out."""
    body = """
      %end = scf.while (%v = %one) : (i32) -> (i32) {
        %next = arith.muli %v, %v : i32
        %more = arith.addi %next, %one : i32
        memref.store %more, %out0[%c0] : memref<2xi32>
        %limit = arith.constant 100 : i32
        %p = arith.cmpi slt, %more, %limit : i32
        scf.condition(%p) %more : i32
      } do {
      ^bb0(%v: i32):
        scf.yield %v : i32
      }
      memref.store %end, %out0[%c1] : memref<2xi32>"""
    # 1 -> 2 -> 5 -> 26 -> 677
    assert_both(kernel, body, [], int32(677, 677))


def test_while_that_exchanges_its_values(kernel: Any) -> None:
    """Euclid: gcd(1071, 462) = 21."""
    body = """
      %a0 = memref.load %in0[%c0] : memref<2xi32>
      %b0 = memref.load %in0[%c1] : memref<2xi32>
      %g, %zero = scf.while (%a = %a0, %b = %b0) : (i32, i32) -> (i32, i32) {
        %p = arith.cmpi ne, %b, %z : i32
        scf.condition(%p) %a, %b : i32, i32
      } do {
      ^bb0(%a: i32, %b: i32):
        %r = arith.remsi %a, %b : i32
        scf.yield %b, %r : i32, i32
      }
      memref.store %g, %out0[%c0] : memref<1xi32>"""
    assert_both(kernel, body, [int32(1071, 462)], int32(21))


def test_while_that_hands_out_one_value_twice(kernel: Any) -> None:
    body = """
      %r:2 = scf.while (%a = %one) : (i32) -> (i32, i32) {
        %c50 = arith.constant 50 : i32
        %p = arith.cmpi slt, %a, %c50 : i32
        scf.condition(%p) %a, %a : i32, i32
      } do {
      ^bb0(%a: i32, %b: i32):
        %s = arith.addi %a, %b : i32
        scf.yield %s : i32
      }
      %more = scf.for %i = %c0 to %c4 step %c1 iter_args(%x = %r#0) -> (i32) {
        %s = arith.addi %x, %one : i32
        scf.yield %s : i32
      }
      memref.store %more, %out0[%c0] : memref<2xi32>
      memref.store %r#1, %out0[%c1] : memref<2xi32>"""
    assert_both(kernel, body, [], int32(68, 64))


def test_loop_bounds_are_computed_once(kernel: Any) -> None:
    """The bound is read from memory that the body overwrites."""
    body = """
      %n = memref.load %in0[%c0] : memref<1xi32>
      memref.store %n, %out0[%c0] : memref<1xi32>
      %m = memref.load %out0[%c0] : memref<1xi32>
      %end = arith.index_cast %m : i32 to index
      scf.for %i = %c0 to %end step %c2 {
        %v = memref.load %out0[%c0] : memref<1xi32>
        %s = arith.addi %v, %one : i32
        memref.store %s, %out0[%c0] : memref<1xi32>
      }"""
    assert_both(kernel, body, [int32(5)], int32(8))


def test_function_with_a_result(context: ir.Context, kernel: Any) -> None:
    _, model = kernel("", [int32(3)], [int32(0)])
    module = ir.Module.parse("""
      func.func private @twice(%x: i32, %unused: i32) -> i32 {
        %r = arith.addi %x, %x : i32
        return %r : i32
      }
      func.func @main(%in: memref<1xi32>, %out: memref<1xi32>) {
        %c0 = arith.constant 0 : index
        %x = memref.load %in[%c0] : memref<1xi32>
        %y = call @twice(%x, %x) : (i32, i32) -> i32
        %z = call @twice(%y, %x) : (i32, i32) -> i32
        memref.store %z, %out[%c0] : memref<1xi32>
        return
      }""")
    for engine in (CEngine(module, model, STRICT), LlvmEngine(module, model)):
        np.testing.assert_array_equal(engine.run([int32(3)])[0], int32(12))
