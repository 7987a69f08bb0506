"""Device calls in order: C and LLVM make the same ones, and the bytes are right."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

import numpy as np

import forebay

from .recorded import arange, recorded
from .scratchpad import DEVICE, WHOLE

LOOP = """
func.func @main(%a: memref<32xi8, #dram> {accel.name = "a", accel.dtype = "int8"},
                %r: memref<32xi32, #dram>
                  {accel.name = "r", accel.dtype = "int32", bufferize.result}) {
  %s = memref_pool.alloc : memref<32xi8, #spad>
  %y = memref_pool.alloc : memref<32xi32, #acc>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %t0 = accel.start @npu.mvin %a into %s : memref<32xi8, #dram>, memref<32xi8, #spad>
  %last = scf.for %i = %c0 to %c3 step %c1 iter_args(%t = %t0) -> (!accel.token) {
    accel.wait %t
    accel.call @npu.widen ins(%s : memref<32xi8, #spad>) outs(%y : memref<32xi32, #acc>)
      config {n = 32 : i64}
    %next = accel.start @npu.mvin %a into %s : memref<32xi8, #dram>, memref<32xi8, #spad>
    scf.yield %next : !accel.token
  }
  accel.wait %last
  accel.move @npu.mvout %y into %r : memref<32xi32, #acc>, memref<32xi32, #dram>
  return
}
"""
"""A transfer is started in one iteration and waited for in the next."""

BOTH = """
accel.intrinsic @npu.double on @npu symbol "npu_double"
  operands [#accel.operand<name = "x", access = in, pools = [@spad, @acc]>,
            #accel.operand<name = "y", access = out, pools = [@spad, @acc]>] scalars ["n"] {
^bb0(%x: memref<?xi8>, %y: memref<?xi8>, %n: i32):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = arith.index_cast %n : i32 to index
  scf.for %i = %c0 to %m step %c1 {
    %v = memref.load %x[%i] : memref<?xi8>
    %w = arith.addi %v, %v : i8
    memref.store %w, %y[%i] : memref<?xi8>
  }
  accel.yield
}
func.func @main(%a: memref<96xi8, #dram> {accel.name = "a", accel.dtype = "int8"},
                %r: memref<96xi8, #dram>
                  {accel.name = "r", accel.dtype = "int8", bufferize.result}) {
  %s = memref_pool.alloc : memref<96xi8, #spad>
  %t = memref_pool.alloc : memref<96xi8, #spad>
  %y = memref_pool.alloc : memref<96xi8, #acc>
  %z = memref_pool.alloc : memref<96xi8, #acc>
  accel.move @npu.mvin %a into %s : memref<96xi8, #dram>, memref<96xi8, #spad>
  accel.call @npu.double ins(%s : memref<96xi8, #spad>) outs(%y : memref<96xi8, #acc>)
      config {n = 96 : i64}
  accel.call @npu.double ins(%y : memref<96xi8, #acc>) outs(%t : memref<96xi8, #spad>)
      config {n = 96 : i64}
  accel.call @npu.double ins(%t : memref<96xi8, #spad>) outs(%s : memref<96xi8, #spad>)
      config {n = 96 : i64}
  accel.call @npu.double ins(%s : memref<96xi8, #spad>) outs(%z : memref<96xi8, #acc>)
      config {n = 96 : i64}
  accel.call @npu.double ins(%z : memref<96xi8, #acc>) outs(%y : memref<96xi8, #acc>)
      config {n = 96 : i64}
  accel.move @npu.mvout %y into %r : memref<96xi8, #acc>, memref<96xi8, #dram>
  return
}
"""
"""Each operand may be in either of two memories inside of the device."""

ENGINES: tuple[Literal["c", "llvm", "emulator"], ...] = ("c", "llvm", "emulator")


def compiled_from(text: str, directory: Path) -> forebay.Compiled:
    path = directory / "net.mlir"
    path.write_text(DEVICE + text, encoding="utf-8")
    return forebay.compile(path)


def assert_device_calls(
    network: forebay.Compiled, shape: tuple[int, ...], expected: list[str]
) -> None:
    assert recorded(network, [arange(*shape)], "c") == expected
    assert recorded(network, [arange(*shape)], "llvm") == expected


def test_addresses_inside_of_a_device(tmp_path: Path) -> None:
    path = tmp_path / "net.mlir"
    path.write_text(DEVICE + WHOLE, encoding="utf-8")
    expected = [
        "npu_mvin dram+0 0 1 0 0 128",
        "npu_widen 0 0x80000000 128",
        "npu_mvout 0x80000000 dram+0 512",
    ]
    assert_device_calls(forebay.compile(path, io="pool"), (4, 4, 1, 8), expected)


def test_one_operand_in_several_memories(tmp_path: Path) -> None:
    """96 bytes are 6 rows of 16 in the scratchpad, 2 rows of 64 in the other memory."""
    network = compiled_from(BOTH, tmp_path)
    expected = [
        "npu_mvin dram+0 0 1 0 0 96",
        "npu_double 0 0x80000000 96",
        "npu_double 0x80000000 6 96",
        "npu_double 6 0 96",
        "npu_double 0 0x80000002 96",
        "npu_double 0x80000002 0x80000000 96",
        "npu_mvout 0x80000000 dram+0 96",
    ]
    assert_device_calls(network, (96,), expected)
    image = arange(96)
    for engine in ENGINES:
        np.testing.assert_array_equal(network.run(image, engine=engine), image << 5)


def test_a_ticket_is_carried_from_one_iteration_to_the_next(tmp_path: Path) -> None:
    network = compiled_from(LOOP, tmp_path)
    load = "npu_mvin_start dram+0 0 1 0 0 32"
    middle = [
        line
        for ticket in (1, 2, 3)
        for line in (f"npu_load_wait {ticket}", "npu_widen 0 0x80000000 32", load)
    ]
    expected = [load, *middle, "npu_load_wait 4", "npu_mvout 0x80000000 dram+0 128"]
    assert_device_calls(network, (32,), expected)
    image = arange(32)
    for engine in ENGINES:
        np.testing.assert_array_equal(network.run(image, engine=engine), image.astype(np.int32))


def test_the_c_of_a_carried_ticket(tmp_path: Path) -> None:
    project = compiled_from(LOOP, tmp_path).write(tmp_path / "out")
    text = (project / "net_npu.c").read_text(encoding="utf-8")
    loop = text[text.index("    for (") : text.index("\n    }\n", text.index("    for ("))]
    assert loop.startswith("    for (int32_t i = 0; i < 3; ++i) {\n        code = npu_load_wait(")
    carried = re.findall(r"uint32_t (\w+) = ticket;", text)
    assert carried == ["ticket2"] and "npu_load_wait(ticket2)" in loop
    assert loop.index("npu_load_wait") < loop.index("npu_widen") < loop.index("npu_mvin_start")
    assert text.index("npu_load_wait(", text.index("\n    }\n")) < text.index("npu_mvout(")
