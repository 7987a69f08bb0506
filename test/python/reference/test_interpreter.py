"""Control flow, functions, state, linalg, tensors, buffers and intrinsics; what is refused."""

import numpy as np
import pytest
from common.oracles.operands import check, drawn, interpret
from mlir import ir

import forebay.dialects  # noqa: F401  # pyright: ignore[reportUnusedImport]  (registers)
from forebay.reference import Interpreter, UnsupportedError
from forebay.reference.program import Program


def test_loops_carry_tensors() -> None:
    text = """
    func.func @main(%x: tensor<4xi32>, %n: tensor<i32>) -> (tensor<4xi32>, tensor<i32>) {
      %one = "tosa.const"() {values = dense<1> : tensor<i32>} : () -> tensor<i32>
      %zero = "tosa.const"() {values = dense<0> : tensor<i32>} : () -> tensor<i32>
      %y, %m = tosa.while_loop (%a = %x, %i = %n) : (tensor<4xi32>, tensor<i32>)
          -> (tensor<4xi32>, tensor<i32>) {
        %c = tosa.greater %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
        tosa.yield %c : tensor<i1>
      } do {
      ^bb0(%a: tensor<4xi32>, %i: tensor<i32>):
        %b = tosa.add %a, %a : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
        %j = tosa.sub %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
        tosa.yield %b, %j : tensor<4xi32>, tensor<i32>
      }
      return %y, %m : tensor<4xi32>, tensor<i32>
    }
    """
    x = np.array([1, -2, 3, 5], np.int32)
    y, rest = interpret(text, [x, np.array(6, np.int32)])
    np.testing.assert_array_equal(y, x * 64)
    assert rest == 0


TILES = """
func.func private @double(%t: tensor<2x4xi32>) -> tensor<2x4xi32> {
  %s = tosa.add %t, %t : (tensor<2x4xi32>, tensor<2x4xi32>) -> tensor<2x4xi32>
  return %s : tensor<2x4xi32>
}
func.func @main(%x: tensor<6x4xi32>) -> tensor<6x4xi32> {
  %0 = arith.constant 0 : index
  %2 = arith.constant 2 : index
  %4 = arith.constant 4 : index
  %6 = arith.constant 6 : index
  %e = tensor.empty() : tensor<6x4xi32>
  %r = scf.for %i = %0 to %6 step %2 iter_args(%acc = %e) -> (tensor<6x4xi32>) {
    %t = tensor.extract_slice %x[%i, 0] [2, 4] [1, 1] : tensor<6x4xi32> to tensor<2x4xi32>
    %first = arith.cmpi ult, %i, %4 : index
    %d = scf.if %first -> (tensor<2x4xi32>) {
      %d = func.call @double(%t) : (tensor<2x4xi32>) -> tensor<2x4xi32>
      scf.yield %d : tensor<2x4xi32>
    } else {
      scf.yield %t : tensor<2x4xi32>
    }
    %n = tensor.insert_slice %d into %acc[%i, 0] [2, 4] [1, 1]
        : tensor<2x4xi32> into tensor<6x4xi32>
    scf.yield %n : tensor<6x4xi32>
  }
  return %r : tensor<6x4xi32>
}
"""


def test_tiles_branches_and_calls() -> None:
    x = drawn((6, 4), "int32") >> 2
    (found,) = interpret(TILES, [x])
    np.testing.assert_array_equal(found, x * np.array([2, 2, 2, 2, 1, 1])[:, None])


def test_variables_last_until_a_reset() -> None:
    text = """
    module {
      tosa.variable @count = dense<[5, -1]> : tensor<2xi32>
      func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {
        %v = tosa.variable_read @count : tensor<2xi32>
        %s = tosa.add %v, %x : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
        tosa.variable_write @count, %s : tensor<2xi32>
        return %v : tensor<2xi32>
      }
    }
    """
    x = np.array([10, 20], np.int32)
    with ir.Context():
        interpreter = Interpreter(ir.Module.parse(text).operation)
        for _ in range(2):
            interpreter.reset()
            found = [interpreter.run([x]).outputs[0].tolist() for _ in range(3)]
            assert found == [[5, -1], [15, 19], [25, 39]]


LINALG = """
#in = affine_map<(n, c, k) -> (n * 2 + k, c)>
#w = affine_map<(n, c, k) -> (k, c)>
#out = affine_map<(n, c, k) -> (c, n)>
func.func @main(%x: tensor<9x3xi8>, %w: tensor<3x3xi8>, %a: tensor<4x6xf32>, %b: tensor<6x5xf32>)
    -> (tensor<3x4xi32>, tensor<4x5xf32>, tensor<5x4xi32>) {
  %zero = arith.constant 7 : i32
  %e = tensor.empty() : tensor<3x4xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<3x4xi32>) -> tensor<3x4xi32>
  %r = linalg.generic {indexing_maps = [#in, #w, #out],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<9x3xi8>, tensor<3x3xi8>) outs(%f : tensor<3x4xi32>) {
    ^bb0(%p: i8, %q: i8, %acc: i32):
      %i = arith.extsi %p : i8 to i32
      %j = arith.extui %q : i8 to i32
      %m = arith.muli %i, %j : i32
      %s = arith.addi %acc, %m : i32
      linalg.yield %s : i32
  } -> tensor<3x4xi32>
  %z = arith.constant 0.0 : f32
  %g = tensor.empty() : tensor<4x5xf32>
  %h = linalg.fill ins(%z : f32) outs(%g : tensor<4x5xf32>) -> tensor<4x5xf32>
  %t = linalg.matmul ins(%a, %b : tensor<4x6xf32>, tensor<6x5xf32>) outs(%h : tensor<4x5xf32>)
      -> tensor<4x5xf32>
  %u = tensor.empty() : tensor<5x4xi32>
  %v = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} outs(%u : tensor<5x4xi32>) {
    ^bb0(%o: i32):
      %i = linalg.index 0 : index
      %j = linalg.index 1 : index
      %k = arith.shli %i, %j : index
      %l = arith.index_cast %k : index to i32
      linalg.yield %l : i32
  } -> tensor<5x4xi32>
  return %r, %t, %v : tensor<3x4xi32>, tensor<4x5xf32>, tensor<5x4xi32>
}
"""


def test_structured_ops() -> None:
    """Windows, permuted outputs, unsigned operands, indices; upstream computes the same."""
    inputs = [
        drawn((9, 3), "int8", 1),
        drawn((3, 3), "int8", 2),
        drawn((4, 6), "float32", 3),
        drawn((6, 5), "float32", 4),
    ]
    check(LINALG, inputs, tolerance=1e-5)


CALL = """
accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
accel.intrinsic @npu.scale on @npu symbol "npu_scale"
  operands [#accel.operand<name = "x", access = in>, #accel.operand<name = "y", access = inout>]
  scalars ["by"] {
^bb0(%x: memref<?xi8>, %y: memref<?xi32>, %by: i32):
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %n = memref.dim %x, %0 : memref<?xi8>
  scf.for %i = %0 to %n step %1 {
    %v = memref.load %x[%i] : memref<?xi8>
    %w = arith.extsi %v : i8 to i32
    %p = arith.muli %w, %by : i32
    %old = memref.load %y[%i] : memref<?xi32>
    %s = arith.addi %old, %p : i32
    memref.store %s, %y[%i] : memref<?xi32>
  }
  accel.yield
}
func.func @main(%x: tensor<2x3xi8>, %y: tensor<2x3xi32>) -> (tensor<2x3xi32>, tensor<2x3xi32>) {
  %r = accel.call @npu.scale ins(%x : tensor<2x3xi8>) outs(%y : tensor<2x3xi32>) accumulate [0]
    config {by = -3 : i64} -> tensor<2x3xi32>
  return %r, %y : tensor<2x3xi32>, tensor<2x3xi32>
}
"""


def test_calls_compute_what_their_references_say() -> None:
    x, y = drawn((2, 3), "int8"), drawn((2, 3), "int32", 1) >> 4
    called, kept = interpret(CALL, [x, y])
    np.testing.assert_array_equal(called, y - 3 * x.astype(np.int32))
    np.testing.assert_array_equal(kept, y)


def test_buffers_for_results_are_outputs() -> None:
    text = """
    func.func @main(%x: memref<3xi32>, %y: memref<3xi32> {bufferize.result}) {
      %0 = arith.constant 0 : index
      %v = memref.load %x[%0] : memref<3xi32>
      memref.copy %x, %y : memref<3xi32> to memref<3xi32>
      %w = memref.subview %y[1] [2] [1] : memref<3xi32> to memref<2xi32, strided<[1], offset: 1>>
      linalg.fill ins(%v : i32) outs(%w : memref<2xi32, strided<[1], offset: 1>>)
      memref.store %v, %x[%0] : memref<3xi32>
      return
    }
    """
    x = np.array([7, 8, 9], np.int32)
    (found,) = interpret(text, [x])
    np.testing.assert_array_equal(found, [7, 7, 7])
    with pytest.raises(UnsupportedError, match="takes other arguments than 2 inputs"):
        interpret(text, [x, x])


def test_unknown_ops_are_named_before_anything_runs() -> None:
    text = """
    func.func @main(%x: vector<4xi32>) -> vector<4xi32> {
      %y = vector.broadcast %x : vector<4xi32> to vector<4xi32>
      return %y : vector<4xi32>
    }
    """
    with pytest.raises(UnsupportedError) as caught:
        interpret(text, [])
    assert str(caught.value) == "-:3:12: 'vector.broadcast' has no rule in the interpreter"
    assert caught.value.op == "vector.broadcast"


def test_recursion_and_long_loops_are_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Program.LONGEST == 1_000_000
    monkeypatch.setattr(Program, "LONGEST", 10_000)
    recursive = TILES.replace(
        "tosa.add %t, %t : (tensor<2x4xi32>, tensor<2x4xi32>)",
        "func.call @double(%t) : (tensor<2x4xi32>)",
    )
    with pytest.raises(UnsupportedError, match="calls @double, which is running already"):
        interpret(recursive, [])
    endless = CALL.replace("memref.dim %x, %0 : memref<?xi8>", "arith.constant 1000000000 : index")
    endless = endless.replace("memref.load %x[%i]", "memref.load %x[%0]")
    endless = endless.replace("memref.load %y[%i]", "memref.load %y[%0]")
    endless = endless.replace("memref.store %s, %y[%i]", "memref.store %s, %y[%0]")
    x, y = drawn((2, 3), "int8"), drawn((2, 3), "int32")
    with pytest.raises(UnsupportedError, match="to more than 10,000 ops in loops"):
        interpret(endless, [x, y])


def test_globals_hold_their_values() -> None:
    text = """
    memref.global "private" constant @weights : memref<3xi32> = dense<[1, -2, 3]>
    memref.global "private" @sum : memref<3xi32> = dense<0>
    func.func @main(%x: memref<3xi32>, %y: memref<3xi32> {bufferize.result}) {
      %w = memref.get_global @weights : memref<3xi32>
      %s = memref.get_global @sum : memref<3xi32>
      linalg.add ins(%x, %w : memref<3xi32>, memref<3xi32>) outs(%s : memref<3xi32>)
      %again = memref.get_global @sum : memref<3xi32>
      memref.copy %again, %y : memref<3xi32> to memref<3xi32>
      return
    }
    """
    (y,) = interpret(text, [np.array([10, 20, 30], np.int32)])
    np.testing.assert_array_equal(y, [11, 18, 33])
