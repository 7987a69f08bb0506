"""A result takes the buffer of its source only where nothing can tell."""

from __future__ import annotations

import pytest
from mlir import ir

from forebay.dialects.accel import ReduceOp
from forebay.dialects.memref_pool import AllocOp
from forebay.ir.nested import ops_of
from forebay.lowering.padding.shared_buffer import may_share_buffer, share_buffer

PROGRAM = """
#ws = #memref_pool.space<{pools}>
#x = affine_map<(y, x, k) -> (y + k - 1, x)>
#o = affine_map<(y, x) -> (y, x)>
memref_pool.pool @ws workspace
memref_pool.pool @other workspace
memref_pool.pool @spad workspace local capacity 64
accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
accel.queue @npu.dma on @npu symbol "npu_dma" depth 4
accel.transfer @npu.in on @npu symbol "npu_in" from [@ws] to [@spad] rank 2 queue @npu.dma
func.func @main(%in: memref<4x4xi8>, %out: memref<4x4xi8>, %flag: i1) {{
  {source}
  %y = memref_pool.alloc : memref<4x4xi8, #ws>
  {before}
  accel.reduce [4, 4 | 3] ins(%x : memref<{rows}x4xi8, #ws>) outs(%y : memref<4x4xi8, #ws>)
    maps [#x, #o]
    init {{
      %zero = arith.constant 0 : i8
      accel.yield %zero : i8
    }} body {{
    ^bb0(%sum: i8, %x0: i8):
      %next = arith.addi %sum, %x0 : i8
      accel.yield %next : i8
    }} finish {{
    ^bb0(%sum: i8, %count: i32):
      accel.yield %sum : i8
    }}
  {behind}
  return
}}
"""
SOURCE = "%x = memref_pool.alloc : memref<4x4xi8, #ws>"
PINNED = "%x = memref_pool.alloc pinned <@ws, 0> : memref<4x4xi8, #ws>"
HIGHER = "%x = memref_pool.alloc : memref<5x4xi8, #ws>"
WRITE = "\n  memref.copy %in, %x : memref<4x4xi8> to memref<4x4xi8, #ws>"
LOOP = """
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %c1 step %c1 {
"""
USE = "memref.copy %y, %out : memref<4x4xi8, #ws> to memref<4x4xi8>"
USE_SOURCE = "memref.copy %x, %in : memref<4x4xi8, #ws> to memref<4x4xi8>"
USE_VIEW = """
  %v = memref.collapse_shape %x [[0, 1]] : memref<4x4xi8, #ws> into memref<16xi8, #ws>
  scf.if %flag {
    %c0 = arith.constant 0 : index
    %e = memref.load %v[%c0] : memref<16xi8, #ws>
  }
"""
SELECT = "%s = arith.select %flag, %x, %x : memref<4x4xi8, #ws>"
IN_FLIGHT = """
  %tile = memref_pool.alloc : memref<4x4xi8, #memref_pool.space<@spad>>
  %token = accel.start @npu.in %x into %tile
    : memref<4x4xi8, #ws>, memref<4x4xi8, #memref_pool.space<@spad>>
"""
CHOSEN = """
  %s = scf.if %flag -> (memref<4x4xi8, #ws>) {
    scf.yield %x : memref<4x4xi8, #ws>
  } else {
    %z = memref_pool.alloc : memref<4x4xi8, #ws>
    memref.copy %in, %z : memref<4x4xi8> to memref<4x4xi8, #ws>
    scf.yield %z : memref<4x4xi8, #ws>
  }
"""
USE_CHOSEN = "memref.copy %s, %in : memref<4x4xi8, #ws> to memref<4x4xi8>"
FIRST = "memref.copy %in, %y : memref<4x4xi8> to memref<4x4xi8, #ws>"


def kernel_in(module: ir.Module) -> ReduceOp:
    (kernel,) = ops_of(module.operation, ReduceOp)
    return kernel


def program(**parts: str) -> ir.Module:
    plain = {"source": SOURCE + WRITE, "before": "", "behind": USE, "pools": "@ws", "rows": "4"}
    return ir.Module.parse(PROGRAM.format(**plain | parts))


def test_the_result_is_in_the_buffer_of_the_source() -> None:
    with ir.Context(), ir.Location.unknown():
        module = program(before=USE_SOURCE)
        kernel = kernel_in(module)
        assert may_share_buffer(kernel)
        share_buffer(kernel)
        (alloc,) = ops_of(module.operation, AllocOp)
        assert kernel.output == kernel.inputs[0] == alloc.memref
        assert "memref.copy %0, %arg1" in str(module)
        assert not may_share_buffer(kernel), "it is one already"


@pytest.mark.parametrize(
    "parts",
    [
        {"behind": USE + "\n" + USE_SOURCE},
        {"behind": USE + USE_VIEW},
        {"before": SELECT},
        {"before": CHOSEN, "behind": USE + "\n" + USE_CHOSEN},
        {"before": FIRST},
        {"before": IN_FLIGHT, "behind": "accel.wait %token\n" + USE},
        {"pools": "[@ws, @other]"},
        {"source": PINNED + WRITE},
        {"source": HIGHER, "rows": "5"},
        {"source": SOURCE, "before": LOOP + WRITE, "behind": USE + "}"},
        {"source": "", "before": LOOP + SOURCE + WRITE, "behind": "}" + USE},
    ],
    ids=[
        *["source", "view", "select", "branch", "result", "in flight", "pools", "pinned", "shape"],
        *["source outside", "result outside"],
    ],
)
def test_it_keeps_its_own_buffer(parts: dict[str, str]) -> None:
    with ir.Context(), ir.Location.unknown():
        assert not may_share_buffer(kernel_in(program(**parts)))
