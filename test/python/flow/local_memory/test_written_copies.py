"""Copies that a program writes into pools that it names; results leave when they are ready."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import forebay

NAMED = """
accel.device @cpu kind "c" host
accel.device @dma kind "d"
memref_pool.pool @l2 workspace capacity 4096 read [@cpu, @dma] write [@cpu, @dma]
memref_pool.pool @l1 workspace capacity 128 read [@cpu, @dma] write [@cpu, @dma]
accel.transfer @dma.cp on @dma symbol "dma_cp" from [@l2] to [@l1] rank 1
func.func @main(%a: tensor<64xi8> {accel.name = "a"}) -> (tensor<64xi8> {accel.name = "o"}) {
  %e = tensor.empty() {memref_pool.candidates = #memref_pool.space<@l1>} : tensor<64xi8>
  %x = linalg.copy ins(%a : tensor<64xi8>) outs(%e : tensor<64xi8>) -> tensor<64xi8>
  %z = tensor.empty() : tensor<64xi8>
  %y = linalg.add ins(%x, %x : tensor<64xi8>, tensor<64xi8>)
    outs(%z : tensor<64xi8>) -> tensor<64xi8>
  return %y : tensor<64xi8>
}
"""

COUNT = """
^bb0(%y: memref<?xi32>, %from: i32):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 600 : index
  scf.for %i = %c0 to %n step %c1 {
    %number = arith.index_cast %i : index to i32
    %v = arith.addi %number, %from : i32
    memref.store %v, %y[%i] : memref<?xi32>
  }
  accel.yield
"""

RESULTS = f"""
accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @dram workspace align 16 read [@cpu] write [@cpu]
memref_pool.pool @acc workspace local capacity 4096 align 32 base 16384 unit 32
  read [@npu] write [@npu]
accel.transfer @npu.mvout on @npu symbol "npu_mvout" from [@acc] to [@dram] rank 1
accel.intrinsic @npu.count on @npu symbol "npu_count"
  operands [#accel.operand<name = "y", access = out, pools = [@acc]>] scalars ["from"] {{{COUNT}}}
func.func @main() -> (tensor<600xi32> {{accel.name = "o"}}, tensor<600xi32> {{accel.name = "p"}}) {{
  %a = tensor.empty() : tensor<600xi32>
  %o = accel.call @npu.count outs(%a : tensor<600xi32>) config {{from = 0 : i64}} -> tensor<600xi32>
  %b = tensor.empty() : tensor<600xi32>
  %p = accel.call @npu.count outs(%b : tensor<600xi32>) config {{from = 7 : i64}} -> tensor<600xi32>
  return %o, %p : tensor<600xi32>, tensor<600xi32>
}}
"""

C_NAME = f"""
accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @sram workspace read [@cpu, @npu] write [@cpu, @npu]
accel.intrinsic @npu.count on @npu symbol "npu_count"
  operands [#accel.operand<name = "y", access = out, pools = [@sram]>] scalars ["from"] {{{COUNT}}}
func.func @main() -> (tensor<600xi32> {{accel.name = "o"}}) {{
  %o = call @npu_count() : () -> tensor<600xi32>
  return %o : tensor<600xi32>
}}
func.func private @npu_count() -> tensor<600xi32> {{
  %a = tensor.empty() : tensor<600xi32>
  %o = accel.call @npu.count outs(%a : tensor<600xi32>) config {{from = 3 : i64}} -> tensor<600xi32>
  return %o : tensor<600xi32>
}}
"""


def compiled(text: str, folder: Path) -> forebay.Compiled:
    program = folder / "program.mlir"
    program.write_text(text)
    return forebay.compile(program, io="pool")


@pytest.mark.parametrize("engine", ["c", "llvm", "emulator"])
def test_a_copy_into_a_named_pool_is_made_by_its_transfer(tmp_path: Path, engine: str) -> None:
    model = compiled(NAMED, tmp_path)
    assert model.plan.peak("l1") == 64
    a = np.arange(64, dtype=np.int8)
    assert np.array_equal(model.run(a, engine=engine), 2 * a)


def test_results_leave_the_device_one_after_the_other(tmp_path: Path) -> None:
    """Two of 2,400 bytes, in 4,096."""
    model = compiled(RESULTS, tmp_path)
    assert model.plan.peak("acc") == 2400
    results = model.run(engine="emulator")
    assert [int(y[1]) for y in results] == [1, 8]


@pytest.mark.parametrize("engine", ["c", "llvm", "emulator"])
def test_a_function_may_be_called_as_a_c_function_is(tmp_path: Path, engine: str) -> None:
    model = compiled(C_NAME, tmp_path)
    assert model.run(engine=engine).tolist() == list(range(3, 603))
