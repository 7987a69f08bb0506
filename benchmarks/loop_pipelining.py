"""The pipelining of loops: how the work grows with the number of loops.

python benchmarks/loop_pipelining.py [--loops 5 10 20 40]

Each loop loads a tile, runs an intrinsic on it and stores the result. The loops are in one
function, or in private functions that the entry function calls. The scratchpad has room for two
tiles of each buffer, or only for one. The work is the number of Python and C functions that the
pass calls, which is the same in each run; the exit code is 1 if twice the loops need more than 2.3
times the calls.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from assignment import grows
from measurement.counting import calls_of
from measurement.table import count as count_text
from measurement.table import figures
from mlir import ir

from forebay.pipelines import run_pipeline
from forebay.reports.table import show

MACHINE = """
accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @dram workspace read [@cpu] write [@cpu]
memref_pool.pool @spad workspace local capacity {capacity} base 0 read [@npu] write [@npu]
accel.queue @npu.load on @npu symbol "npu_load" depth 4
accel.queue @npu.run on @npu symbol "npu_run" depth 4
accel.transfer @npu.in on @npu symbol "npu_in" from [@dram] to [@spad] rank 2 queue @npu.load
accel.transfer @npu.out on @npu symbol "npu_out" from [@spad] to [@dram] rank 2 queue @npu.load
accel.intrinsic @npu.f on @npu symbol "npu_f" operands [
  #accel.operand<name = "x", access = in, pools = [@spad]>,
  #accel.operand<name = "y", access = out, pools = [@spad]>] queue @npu.run
"""
WHOLE = "memref<8x16xi8, #memref_pool.space<@dram>>"
ROW = "memref<1x16xi8, strided<[16, 1], offset: ?>, #memref_pool.space<@dram>>"
TILE = "memref<1x16xi8, #memref_pool.space<@spad>>"
PORTS = f"%x: {WHOLE}, %y: {WHOLE}"
BOUNDS = """
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index"""
LOOP = f"""
  scf.for %i = %c0 to %c8 step %c1 {{
    %from = memref.subview %x[%i, 0] [1, 16] [1, 1] : {WHOLE} to {ROW}
    %a = memref_pool.alloc : {TILE}
    accel.move @npu.in %from into %a : {ROW}, {TILE}
    %r = memref_pool.alloc : {TILE}
    accel.call @npu.f ins(%a : {TILE}) outs(%r : {TILE})
    %to = memref.subview %y[%i, 0] [1, 16] [1, 1] : {WHOLE} to {ROW}
    accel.move @npu.out %r into %to : {TILE}, {ROW}
  }}"""
ROOMY, TIGHT = 1024, 32
"""Bytes of the scratchpad: for all slots of a loop, and for one slot of each of its buffers."""


@dataclass(frozen=True)
class Program:
    """Loops in as many functions, on a scratchpad of that size."""

    loops: int
    functions: int = 1
    capacity: int = ROOMY

    @property
    def text(self) -> str:
        """Return the module."""
        head = MACHINE.replace("{capacity}", str(self.capacity))
        if self.functions == 1:
            return f"{head}func.func @main({PORTS}) {{{self._loops(self.loops)}\n  return\n}}"
        parts = [
            f"func.func private @f{n}({PORTS}) {{{self._loops(count)}\n  return\n}}\n"
            for n, count in enumerate(self._counts)
        ]
        calls = [
            f"  func.call @f{n}(%x, %y) : ({WHOLE}, {WHOLE}) -> ()\n" for n in range(len(parts))
        ]
        return f"{head}{''.join(parts)}func.func @main({PORTS}) {{\n{''.join(calls)}  return\n}}"

    @property
    def _counts(self) -> list[int]:
        each, more = divmod(self.loops, self.functions)
        return [each + (n < more) for n in range(self.functions)]

    @staticmethod
    def _loops(count: int) -> str:
        return BOUNDS + LOOP * count


def measure(program: Program) -> int:
    """Return the number of calls of the pass."""
    with ir.Context() as context, ir.Location.unknown():
        context.enable_multithreading(False)
        module = ir.Module.parse(program.text)
        return calls_of(lambda: run_pipeline(module, "builtin.module(accel-pipeline-loops)"))


def shapes(loops: int) -> list[Program]:
    """Return the programs with that many loops."""
    return [
        Program(loops),
        Program(loops, functions=loops),
        Program(loops, functions=2),
        Program(loops, capacity=TIGHT),
    ]


SHAPES = ("one function", "a function each", "two functions", "no room")


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a row per number of loops."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--loops", type=int, nargs="+", default=[5, 10, 20, 40])
    loops = parser.parse_args(arguments).loops
    for program in shapes(2):
        measure(program)  # imports
    found = [[measure(program) for program in shapes(count)] for count in loops]
    rows = [
        [str(n), *(count_text(calls) for calls in row)] for n, row in zip(loops, found, strict=True)
    ]
    show([figures(["loops", *SHAPES], rows)])
    pairs = pairwise(zip(loops, found, strict=True))
    return int(
        any(
            grows(more / few, n / m)
            for (m, before), (n, row) in pairs
            for few, more in zip(before, row, strict=True)
        )
    )


if __name__ == "__main__":
    sys.exit(main())
