"""Flags of addresses inside a device: in C, LLVM and references, and checked by the machine."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from mlir import ir

import forebay
from forebay.emulator.compiled import driver_functions
from forebay.emulator.memory.faults import WrongFlags
from forebay.pipelines import PipelineError, run_pipeline

DEVICE = """
accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @dram workspace read [@cpu] write [@cpu]
memref_pool.pool @acc workspace local capacity 65536 align 64 base 2147483648 unit 64
  read [@npu] write [@npu]
accel.transfer @npu.mvin on @npu symbol "npu_mvin" from [@dram] to [@acc] rank 2
accel.transfer @npu.mvout on @npu symbol "npu_mvout" from [@acc] to [@dram] rank 1
  source_flags 0x20000000
accel.intrinsic @npu.add on @npu symbol "npu_add"
  operands [#accel.operand<name = "x", access = in, pools = [@acc]>,
            #accel.operand<name = "c", access = inout, pools = [@acc], flags = 0x40000000>]
  scalars ["n"] {
^bb0(%x: memref<?xi32>, %c: memref<?xi32>, %n: i32):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = arith.index_cast %n : i32 to index
  scf.for %i = %c0 to %m step %c1 {
    %v = memref.load %x[%i] : memref<?xi32>
    %w = memref.load %c[%i] : memref<?xi32>
    %s = arith.addi %v, %w : i32
    memref.store %s, %c[%i] : memref<?xi32>
  }
  accel.yield
}
"""
PROGRAM = """
func.func @main(%a: tensor<16xi32> {accel.name = "a"}, %b: tensor<16xi32> {accel.name = "b"})
    -> (tensor<16xi32> {accel.name = "sum"}) {
  %r = accel.call @npu.add ins(%a : tensor<16xi32>) outs(%b : tensor<16xi32>) accumulate [0]
    config {n = 16 : i64} -> tensor<16xi32>
  return %r : tensor<16xi32>
}
"""
A, B = np.arange(16, dtype=np.int32), np.full(16, 100, np.int32)


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> forebay.Compiled:
    path = tmp_path_factory.mktemp("model") / "sum.mlir"
    path.write_text(DEVICE + PROGRAM, encoding="utf-8")
    return forebay.compile(path, io="pool")


@pytest.mark.parametrize("engine", ["c", "llvm", "emulator"])
def test_references_take_the_address_without_flags(
    compiled: forebay.Compiled, engine: Literal["c", "llvm", "emulator"]
) -> None:
    np.testing.assert_array_equal(compiled.run(A, B, engine=engine), A + B)


def test_c_functions_get_the_flags_with_the_address(
    compiled: forebay.Compiled, tmp_path: Path
) -> None:
    compiled.write(tmp_path / "sum")
    text = (tmp_path / "sum" / "sum_npu.c").read_text(encoding="utf-8")
    text = re.sub(r" /\*.*?\*/", "", text)
    added = re.search(r"npu_add\(0x8000000(\d)u, 0xc000000(\d)u, 16\)", text)
    assert added is not None and added.group(1) != added.group(2)
    assert f"npu_mvout(0xa000000{added.group(2)}u, " in text


@pytest.mark.parametrize("through", ["c", "llvm"])
def test_the_machine_decodes_the_flags(
    compiled: forebay.Compiled, through: Literal["c", "llvm"]
) -> None:
    (found,) = compiled.checked(through).run([A, B])
    np.testing.assert_array_equal(found, A + B)


def test_an_address_without_its_flags_is_a_fault(
    compiled: forebay.Compiled, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The machine expects one bit more than the code gives."""
    init = driver_functions.DriverFunction.__init__

    def with_more(self, op, parameters, machine):
        init(self, op, parameters, machine)
        self._flags = [flags | (0x1000_0000 if flags else 0) for flags in self._flags]

    monkeypatch.setattr(driver_functions.DriverFunction, "__init__", with_more)
    with pytest.raises(WrongFlags, match=r"0xc000000. without the flags 0x50000000"):
        compiled.checked("c").run([A, B])


def test_an_address_that_has_the_bit_of_a_flag_is_refused() -> None:
    """Without a capacity only the plan knows the addresses."""
    device = DEVICE.replace("local capacity 65536 align 64 base 2147483648", "local base 1048576")
    text = device.replace("0x40000000", "1048576") + PROGRAM
    with ir.Context(), ir.Location.unknown(), pytest.raises(ir.MLIRError) as caught:
        ir.Module.parse(text)
    assert "operand 'c' has address flags that addresses in @acc have, too: 0x100000" in str(
        caught.value
    )
    text = DEVICE.replace("capacity 65536 ", "").replace("0x40000000", "1") + BUFFERS
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        with pytest.raises(PipelineError, match="has the address 0x80000001, and its operand the"):
            run_pipeline(
                module,
                "builtin.module(memref-pool-plan,memref-pool-materialize,memref-pool-check-printable)",
            )


BUFFERS = """
#dram = #memref_pool.space<@dram>
#acc = #memref_pool.space<@acc>
func.func @main(%a: memref<16xi32, #dram> {accel.name = "a"},
                %b: memref<16xi32, #dram> {accel.name = "b", bufferize.result}) {
  %x = memref_pool.alloc : memref<16xi32, #acc>
  %y = memref_pool.alloc pinned <@acc, 64> : memref<16xi32, #acc>
  accel.move @npu.mvin %a into %x : memref<16xi32, #dram>, memref<16xi32, #acc>
  accel.move @npu.mvin %a into %y : memref<16xi32, #dram>, memref<16xi32, #acc>
  accel.call @npu.add ins(%x : memref<16xi32, #acc>) outs(%y : memref<16xi32, #acc>)
    accumulate [0] config {n = 16 : i64}
  accel.move @npu.mvout %y into %b : memref<16xi32, #acc>, memref<16xi32, #dram>
  return
}
"""
