"""Before buffers are assigned to pools, every device reaches all of them."""

import numpy as np
import pytest
from mlir import ir

import forebay.passes  # noqa: F401  # pyright: ignore[reportUnusedImport]  (registers)
from forebay.emulator import Emulator
from forebay.emulator.memory.faults import WrongPool

TEXT = """
accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @sram workspace read [@npu] write [@npu]
accel.intrinsic @npu.copy on @npu symbol "npu_copy"
  operands [#accel.operand<name = "x", access = in, pools = [@sram]>,
            #accel.operand<name = "y", access = out, pools = [@sram]>] scalars [] {
^bb0(%x: memref<?xi8>, %y: memref<?xi8>):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %v = memref.load %x[%i] : memref<?xi8>
    memref.store %v, %y[%i] : memref<?xi8>
  }
  accel.yield
}
func.func @main(%x: memref<4xi8> {accel.name = "x"},
                %y: memref<4xi8> {accel.name = "y", bufferize.result}) {
  accel.call @npu.copy ins(%x : memref<4xi8>) outs(%y : memref<4xi8>)
  return
}"""
X = np.array([1, 2, 3, 4], np.int8)


@pytest.fixture
def module() -> ir.Operation:
    with ir.Context(), ir.Location.unknown():
        return ir.Module.parse(TEXT).operation


def test_a_device_reads_memory_that_no_pool_has_yet(module: ir.Operation) -> None:
    emulator = Emulator(module, placed=False, assigned=False)
    np.testing.assert_array_equal(emulator.call("main", [X])[0], X)


def test_once_assigned_it_must_be_in_a_pool_of_the_operand(module: ir.Operation) -> None:
    with pytest.raises(WrongPool):
        Emulator(module, placed=False).call("main", [X])
