"""Functions that are marked are optimised where the others are not."""

from __future__ import annotations

import ctypes
import time

from mlir import ir
from mlir.dialects import func

from forebay.engines.jit_code import JitCode
from forebay.engines.llvm_lowering import lower_to_llvm
from forebay.ir.hot_functions import mark_hot

SUM = """
func.func @sum(%x: memref<65536xi32>, %y: memref<1xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 65536 : index
  %zero = arith.constant 0 : i32
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (i32) {
    %v = memref.load %x[%i] : memref<65536xi32>
    %t = arith.addi %s, %v : i32
    scf.yield %t : i32
  }
  memref.store %sum, %y[%c0] : memref<1xi32>
  return
}
"""


def seconds(*, hot: bool) -> float:
    """Return the shortest time of a sum in code of level 0."""
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(SUM)
        (function,) = module.body.operations
        assert isinstance(function, func.FuncOp)
        if hot:
            mark_hot(function)
        lower_to_llvm(module, "extern", bare_pointers=True)
        code = JitCode(module)
    x, y = (ctypes.c_int32 * 65536)(*range(65536)), (ctypes.c_int32 * 1)()
    pointers = [ctypes.c_void_p(ctypes.addressof(array)) for array in (x, y)]
    packed = (ctypes.c_void_p * 2)(*map(ctypes.addressof, pointers))
    times: list[float] = []
    for _ in range(9):
        start = time.perf_counter()
        code.call("sum", packed)
        times.append(time.perf_counter() - start)
    assert y[0] == sum(range(65536))
    return min(times)


def test_marked_functions_are_optimised_at_level_0() -> None:
    assert 2 * seconds(hot=True) < seconds(hot=False)
