"""Buffers are called as what they are for."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import forebay

DEVICE = """
accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @dram workspace
memref_pool.pool @wei workspace read [@cpu, @npu] write [@cpu, @npu]
accel.transfer @npu.load on @npu symbol "npu_load" from [@dram] to [@wei] rank 1
accel.intrinsic @npu.scale on @npu symbol "npu_scale"
  operands [#accel.operand<name = "factors", access = in, pools = [@wei]>,
            #accel.operand<name = "y", access = inout, pools = [@dram]>] {
^bb0(%f: memref<?xi8>, %y: memref<?xi8>):
  %c0 = arith.constant 0 : index
  %v = memref.load %f[%c0] : memref<?xi8>
  %w = memref.load %y[%c0] : memref<?xi8>
  %p = arith.muli %v, %w : i8
  memref.store %p, %y[%c0] : memref<?xi8>
  accel.yield
}
#dram = #memref_pool.space<@dram>
#wei = #memref_pool.space<@wei>
func.func @main(%a: memref<4xi8, #dram> {accel.name = "a", accel.dtype = "int8"},
    %r: memref<4xi8, #dram> {accel.name = "r", accel.dtype = "int8", bufferize.result}) {
  PROGRAM
  return
}
"""
BYTES = "memref<4xi8, #dram>, memref<4xi8, #dram>"


def compiled_from(program: str, directory: Path) -> tuple[forebay.Compiled, str]:
    path = directory / "net.mlir"
    path.write_text(DEVICE.replace("PROGRAM", program), encoding="utf-8")
    network = forebay.compile(path)
    project = network.write(directory / "out", golden=())
    return network, "".join(p.read_text("utf-8") for p in sorted(project.glob("net*.c")))


def test_what_is_fetched_for_an_operand_is_called_as_the_operand(tmp_path: Path) -> None:
    network, text = compiled_from(
        f"""
  %f = memref_pool.alloc : memref<4xi8, #wei>
  memref_pool.copy %a into %r : {BYTES}
  accel.move @npu.load %a into %f : memref<4xi8, #dram>, memref<4xi8, #wei>
  accel.call @npu.scale ins(%f : memref<4xi8, #wei>) outs(%r : memref<4xi8, #dram>)
    accumulate [0]
  """,
        tmp_path,
    )
    assert "int8_t *factors = (int8_t *)wei;" in text
    assert "net_npu_part(in, factors, out);" in text
    assert "npu_load(in, factors, 4u);" in text
    assert "npu_scale(factors, out);" in text
    found = network.run(np.array([3, 1, 2, 4], np.int8))
    np.testing.assert_array_equal(found, [9, 1, 2, 4])


def test_copies_in_a_circle_have_names(tmp_path: Path) -> None:
    network, _ = compiled_from(
        f"""
  %x = memref_pool.alloc : memref<4xi8, #dram>
  %y = memref_pool.alloc : memref<4xi8, #dram>
  memref_pool.copy %a into %x : {BYTES}
  memref_pool.copy %x into %y : {BYTES}
  memref_pool.copy %y into %x : {BYTES}
  memref_pool.copy %x into %r : {BYTES}
  """,
        tmp_path,
    )
    image = np.array([3, 1, 2, 4], np.int8)
    np.testing.assert_array_equal(network.run(image), image)
