"""A device with a local memory, two queues and a doubling intrinsic, for programs in flight."""

from __future__ import annotations

import re

import numpy as np
import pytest

from common.emulated import emulator
from forebay.emulator import Emulator, Fault

MACHINE = """
accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @dram workspace capacity 1024
memref_pool.pool @spad workspace local capacity 256 align 16 base 4096 unit 16 read [@npu] write [@npu]
accel.queue @npu.load on @npu symbol "npu_load" depth 2
accel.queue @npu.run on @npu symbol "npu_run" depth 2
accel.transfer @npu.mvin on @npu symbol "npu_mvin" from [@dram] to [@spad] rank 2 queue @npu.load granule 4
  latency 20 bandwidth 16
accel.transfer @npu.mvout on @npu symbol "npu_mvout" from [@spad] to [@dram] rank 2 queue @npu.load
  latency 10 bandwidth 8
accel.intrinsic @npu.double on @npu symbol "npu_double"
  operands [#accel.operand<name = "x", access = in, pools = [@spad]>,
            #accel.operand<name = "y", access = out, pools = [@spad]>]
  scalars ["count"] queue @npu.run {
^bb0(%x: memref<?xi8>, %y: memref<?xi8>, %count: i32):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.index_cast %count : i32 to index
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<?xi8>
    %s = arith.addi %v, %v : i8
    memref.store %s, %y[%i] : memref<?xi8>
  }
  accel.yield
} cycles {
^bb0(%count: i32):
  %wide = arith.extui %count : i32 to i64
  %c5 = arith.constant 5 : i64
  %c = arith.addi %wide, %c5 : i64
  accel.yield %c : i64
}
"""  # noqa: E501
TYPES = {
    "#dram": "#memref_pool.space<@dram>",
    "#spad": "#memref_pool.space<@spad>",
    "DRAM": "memref<16xi8, #memref_pool.space<@dram>>",
    "SPAD": "memref<16xi8, #memref_pool.space<@spad>>",
}
COPY_IN = "memref.copy %in, %a : memref<16xi8> to DRAM"
COPY_OUT = "memref.copy %r, %out : DRAM to memref<16xi8>"
LOAD = "%t = accel.start @npu.mvin %a into %x : DRAM, SPAD"
RUN = (
    "%u = accel.launch @npu.double ins(%x : SPAD) outs(%y : SPAD) after (%t) "
    "config {count = 16 : i64}"
)
STORE = "%v = accel.start @npu.mvout %y into %r after (%u) : SPAD, DRAM"
CHAIN = (
    "%a = memref_pool.alloc at <@dram, 0> : DRAM",
    "%r = memref_pool.alloc at <@dram, 16> : DRAM",
    "%x = memref_pool.alloc at <@spad, 0> : SPAD",
    "%y = memref_pool.alloc at <@spad, 16> : SPAD",
    COPY_IN,
    LOAD,
    RUN,
    STORE,
    "accel.wait %v",
    COPY_OUT,
)
ROUND = (
    "%a = memref_pool.alloc at <@dram, 0> : DRAM",
    "%x = memref_pool.alloc at <@spad, 16> : SPAD",
    "memref.copy %in, %a : memref<16xi8> to DRAM",
    "accel.move @npu.mvin %a into %x : DRAM, SPAD",
    "accel.move @npu.mvout %x into %a : SPAD, DRAM",
    "memref.copy %a, %out : DRAM to memref<16xi8>",
)


def program(*lines: str) -> str:
    """`@main` with the machine; each line's location is its number, from 1."""
    body = "\n".join(f'  {line} loc("n.mlir":{n}:1)' for n, line in enumerate(lines, 1))
    text = (
        'func.func @main(%in: memref<16xi8> {accel.name = "x"}, '
        '%out: memref<16xi8> {accel.name = "y", bufferize.result}) {\n'
        f"{body}\n  return\n}}\n"
    )
    for short, long in TYPES.items():
        text = re.sub(rf"(?<!\w){short}\b", long, text)
    return MACHINE + text


def machine(*lines: str) -> Emulator:
    """An emulator of such a program."""
    return emulator(program(*lines))


def refused(kind: type[Fault], *lines: str) -> str:
    """The message of the fault, of this very kind, that stops the program."""
    with pytest.raises(Fault) as caught:
        machine(*lines).call("main", [np.arange(16, dtype=np.int8)])
    assert type(caught.value) is kind, caught.value
    return str(caught.value)


def without(lines: tuple[str, ...], number: int, *instead: str) -> tuple[str, ...]:
    """The program with other lines in place of one, whose number counts from 1."""
    return (*lines[: number - 1], *instead, *lines[number:])
