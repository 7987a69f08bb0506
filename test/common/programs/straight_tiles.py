"""Straight-line code: tiles that are loaded, computed and stored one after the other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from mlir import ir
from numpy.typing import NDArray

from forebay.emulator import Emulator
from forebay.pipelines import run_pipeline

BYTES = 64
"""Of a tile."""

MACHINE = """
accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @dram workspace read [@cpu, @npu] write [@cpu, @npu]
memref_pool.pool @spad workspace local capacity {capacity} base 0 read [@npu] write [@npu]
{queues}
accel.transfer @npu.in on @npu symbol "npu_in" from [@dram] to [@spad] rank 2 queue @npu.load
  latency 8 bandwidth 4
accel.transfer @npu.out on @npu symbol "npu_out" from [@spad] to [@dram] rank 2 queue @npu.{store}
  latency 8 bandwidth 4
accel.intrinsic @npu.double on @npu symbol "npu_double" operands [
  #accel.operand<name = "x", access = in, pools = [@spad]>,
  #accel.operand<name = "y", access = out, pools = [@spad]>] queue @npu.run {{
^bb0(%x: memref<?xi8>, %y: memref<?xi8>):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %c64 step %c1 {{
    %v = memref.load %x[%i] : memref<?xi8>
    %s = arith.addi %v, %v : i8
    memref.store %s, %y[%i] : memref<?xi8>
  }}
  accel.yield
}} cycles {{
^bb0:
  %c = arith.constant {cycles} : i64
  accel.yield %c : i64
}}
"""
QUEUE = 'accel.queue @npu.{name} on @npu symbol "npu_{name}" depth {depth}'


@dataclass(frozen=True)
class Tiles:
    """`y[i] = 2 * x[i]`, a tile of 64 bytes for each row; a load or store takes 24 cycles.

    `shared` puts loads and stores into one queue.
    """

    count: int
    capacity: int = 4 * BYTES
    cycles: int = 30
    depth: int = 4
    shared: bool = False

    @property
    def text(self) -> str:
        names = ("load", "run") if self.shared else ("load", "store", "run")
        machine = MACHINE.format(
            capacity=self.capacity,
            queues="\n".join(QUEUE.format(name=name, depth=self.depth) for name in names),
            store="load" if self.shared else "store",
            cycles=self.cycles,
        )
        whole = f"memref<{self.count}x{BYTES}xi8, #memref_pool.space<@dram>>"
        tile = f"memref<1x{BYTES}xi8, #memref_pool.space<@spad>>"
        lines = [
            machine,
            f'func.func @main(%x: {whole} {{accel.name = "x"}}, '
            f'%y: {whole} {{accel.name = "y", bufferize.result}}) {{',
        ]
        for i in range(self.count):
            layout = f"strided<[{BYTES}, 1], offset: {BYTES * i}>"
            row = f"memref<1x{BYTES}xi8, {layout}, #memref_pool.space<@dram>>"
            part = f"[{i}, 0] [1, {BYTES}] [1, 1] : {whole} to {row}"
            lines += [
                f"%from{i} = memref.subview %x{part}",
                f"%a{i} = memref_pool.alloc : {tile}",
                f"accel.move @npu.in %from{i} into %a{i} : {row}, {tile}",
                f"%b{i} = memref_pool.alloc : {tile}",
                f"accel.call @npu.double ins(%a{i} : {tile}) outs(%b{i} : {tile})",
                f"%to{i} = memref.subview %y{part}",
                f"accel.move @npu.out %b{i} into %to{i} : {tile}, {row}",
            ]
        return "\n".join([*lines, "return", "}"])

    def planned(self, in_flight: int = 2) -> ir.Module:
        """The program after overlap, planned and checked."""
        module = ir.Module.parse(self.text)
        overlap = f"accel-overlap-calls{{in-flight={in_flight}}}"
        run_pipeline(module, f"builtin.module({overlap},memref-pool-plan,memref-pool-verify-plan)")
        return module

    def inputs(self) -> NDArray[np.int8]:
        return np.random.default_rng(0).integers(-64, 64, (self.count, BYTES)).astype(np.int8)


def emulated(module: ir.Module, x: NDArray[np.int8]) -> tuple[NDArray[np.int8], int]:
    """The output of a run of which every access was checked, and its cycles."""
    emulator = Emulator(module.operation)
    return emulator.call("main", [x])[0], emulator.report.cycles
