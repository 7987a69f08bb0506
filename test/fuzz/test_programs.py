"""Drawn programs with fixed numbers, and that wrong ones are noticed."""

from collections import Counter

import numpy as np
import pytest
from common.sweep import sweep
from mlir import ir

from fuzz.cases import judged
from fuzz.programs import check
from fuzz.programs.draw import Program
from fuzz.programs.interpret import Interpreter


@pytest.mark.parametrize("first", sweep(range(1, 41, 4)))
def test_passes_engines_and_plans_keep_what_programs_compute(first: int):
    found = {seed: judged(check, seed) for seed in range(first, first + 4)}
    counts = sum((Counter(counted) for counted, _ in found.values()), Counter())
    print(dict(counts))
    assert {seed: text for seed, (_, text) in found.items() if text is not None} == {}
    assert counts["programs planned"] > 0


def test_drawn_programs_have_everything_that_they_are_drawn_for():
    texts = "\n".join(Program(seed).text for seed in range(150))
    wanted = (
        "accel.move", "accel.call", "accel.start", "accel.launch", "accel.wait", " after (",
        "scf.for", "scf.if", "} else {", "iter_args", "arith.select", "func.call",
        "memref.subview", "memref.reinterpret_cast", "memref.collapse_shape", "memref.cast",
        "memref.copy", "memref_pool.copy", "linalg.generic", "memref.load", "get_global @s",
    )  # fmt: skip
    counts = {text: texts.count(text) for text in wanted}
    assert {text: count for text, count in counts.items() if count < 5} == {}


def test_the_interpreter_computes_what_is_written_here():
    """A tile at a dynamic row through the device, three times or not at all."""
    text = Program(0).text.split("func.func")[0] + PROGRAM
    with ir.Context():
        interpreter = Interpreter(ir.Module.parse(text))
    x = [[row] * 16 for row in range(4)]
    assert _rows(interpreter, x, 0) == [7, 7, 7, 7]
    assert _rows(interpreter, x, 3) == [0, 2, 4, 7]


def _rows(interpreter: Interpreter, x: list[list[int]], count: int) -> list[int]:
    (y,) = interpreter.call("main", [np.array([count, 0, 0, 0]), np.array(x)])
    return y[:, 5].tolist()


PROGRAM = """
func.func @main(%n: memref<4xi32>, %x: memref<4x16xi8, #memref_pool.space<@dram>>,
                %y: memref<4x16xi8> {bufferize.result}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %seven = arith.constant 7 : i8
  linalg.fill ins(%seven : i8) outs(%y : memref<4x16xi8>)
  %n0 = memref.load %n[%c0] : memref<4xi32>
  %end = arith.index_cast %n0 : i32 to index
  scf.for %i = %c0 to %end step %c1 {
    %t = memref_pool.alloc : memref<1x16xi8, #memref_pool.space<@l1>>
    %u = memref_pool.alloc : memref<1x16xi8, #memref_pool.space<@l1>>
    %xt = memref.subview %x[%i, 0] [1, 16] [1, 1] : memref<4x16xi8, #memref_pool.space<@dram>>
      to memref<1x16xi8, strided<[16, 1], offset: ?>, #memref_pool.space<@dram>>
    %yt = memref.subview %y[%i, 0] [1, 16] [1, 1] : memref<4x16xi8>
      to memref<1x16xi8, strided<[16, 1], offset: ?>>
    accel.move @npu.in %xt into %t : memref<1x16xi8, strided<[16, 1], offset: ?>,
      #memref_pool.space<@dram>>, memref<1x16xi8, #memref_pool.space<@l1>>
    accel.call @npu.double ins(%t : memref<1x16xi8, #memref_pool.space<@l1>>)
      outs(%u : memref<1x16xi8, #memref_pool.space<@l1>>) config {count = 16 : i64}
    memref_pool.copy %u into %yt : memref<1x16xi8, #memref_pool.space<@l1>>,
      memref<1x16xi8, strided<[16, 1], offset: ?>>
  }
  return
}
"""
