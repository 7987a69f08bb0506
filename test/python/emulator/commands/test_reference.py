"""What a reference may be made of: what it does to its operands is watched, or refused."""

import numpy as np
import pytest
from common.emulated import run

from forebay.emulator.memory.faults import NotEmulatedError, WrongReference

PROGRAM = """
accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @ws workspace capacity 64 align 16 read [@cpu, @npu] write [@cpu, @npu]
accel.intrinsic @npu.op on @npu symbol "npu_op"
  operands [#accel.operand<name = "x", access = in, pools = [@ws]>,
            #accel.operand<name = "y", access = out, pools = [@ws]>] scalars [] {{
^bb0(%x: memref<?xi8>, %y: memref<?xi8>):
  {}
  accel.yield
}}
func.func @main(%in: memref<16xi8>, %out: memref<16xi8> {{bufferize.result}}) {{
  %a = memref_pool.alloc at <@ws, 0> : memref<16xi8, #ws>
  %b = memref_pool.alloc at <@ws, 16> : memref<16xi8, #ws>
  memref.copy %in, %a : memref<16xi8> to memref<16xi8, #ws>
  accel.call @npu.op ins(%a : memref<16xi8, #ws>) outs(%b : memref<16xi8, #ws>) config {{}}
  memref.copy %b, %out : memref<16xi8, #ws> to memref<16xi8>
  return
}}
"""
X = np.arange(16, dtype=np.int8)


def test_a_copy_is_watched() -> None:
    copy = "memref.copy %x, %y : memref<?xi8> to memref<?xi8>"
    np.testing.assert_array_equal(run(PROGRAM.format(copy), X)[0], X)
    with pytest.raises(WrongReference, match="reads element 0 of operand 'y' before it"):
        run(PROGRAM.format("memref.copy %y, %x : memref<?xi8> to memref<?xi8>"), X)


def test_an_unobserved_reference_is_refused() -> None:
    with pytest.raises(NotEmulatedError, match=r"'linalg.copy' uses an operand of @npu.op in its"):
        run(PROGRAM.format("linalg.copy ins(%x : memref<?xi8>) outs(%y : memref<?xi8>)"), X)


def test_what_is_no_machine_code_is_refused_at_its_intrinsic() -> None:
    body = """%i = index.constant 0
  %v = memref.load %x[%i] : memref<?xi8>
  memref.store %v, %y[%i] : memref<?xi8>"""
    with pytest.raises(NotEmulatedError, match=r"5:1: 'accel.intrinsic' cannot be made machine co"):
        run(PROGRAM.format(body), X)
