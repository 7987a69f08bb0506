"""Straight tiles: how the work of each part of a compilation grows with the number of tiles.

python benchmarks/straight_tiles.py [--tiles 50 200 800]

Each tile is loaded, computed and stored by code of its own, as a device's stage unrolls it. The
scratchpad has room for two tiles. The work is the number of Python and C functions that are called,
which is the same in each run; the exit code is 1 if a part needs more than 2.3 times the calls for
twice the tiles. Passes of MLIR itself are not counted.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from functools import partial
from itertools import pairwise

from assignment import grows
from measurement.counting import calls_of
from measurement.table import count as count_text
from measurement.table import figures
from mlir import ir

import forebay.passes  # noqa: F401  (registers)
from forebay.pipelines import run_pipeline
from forebay.reports.table import show

BYTES = 64
MACHINE = f"""
accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @dram workspace read [@cpu, @npu] write [@cpu, @npu]
memref_pool.pool @spad workspace local capacity {4 * BYTES} base 0 read [@npu] write [@npu]
accel.queue @npu.load on @npu symbol "npu_load" depth 4
accel.queue @npu.store on @npu symbol "npu_store" depth 4
accel.queue @npu.run on @npu symbol "npu_run" depth 4
accel.transfer @npu.in on @npu symbol "npu_in" from [@dram] to [@spad] rank 2 queue @npu.load
accel.transfer @npu.out on @npu symbol "npu_out" from [@spad] to [@dram] rank 2 queue @npu.store
accel.intrinsic @npu.f on @npu symbol "npu_f" operands [
  #accel.operand<name = "x", access = in, pools = [@spad]>,
  #accel.operand<name = "y", access = out, pools = [@spad]>] queue @npu.run
"""
PASSES = (
    ("copies", "accel-lower-copies"),
    ("registers", "accel-set-registers"),
    ("hoisting", "accel-hoist-transfers"),
    ("overlap", "accel-overlap-calls"),
    ("plan", "memref-pool-plan"),
    ("check", "memref-pool-verify-plan"),
    ("functions", "accel-outline-operators"),
    ("", "func.func(canonicalize,cse)"),
    ("views", "memref-pool-materialize"),
    ("check", "memref-pool-verify-plan"),
    ("printable", "memref-pool-check-printable"),
)
"""The passes behind bufferization, with the column of each; MLIR's own have none."""
COLUMNS = tuple(dict.fromkeys(column for column, _ in PASSES if column))


def program(tiles: int) -> str:
    """Return a module with that many tiles, which are rows of `%x`."""
    whole = f"memref<{tiles}x{BYTES}xi8, #memref_pool.space<@dram>>"
    tile = f"memref<1x{BYTES}xi8, #memref_pool.space<@spad>>"
    ports = f'%x: {whole} {{accel.name = "x"}}, %y: {whole} {{accel.name = "y", bufferize.result}}'
    lines = [MACHINE, f"func.func @main({ports}) {{"]
    for i in range(tiles):
        layout = f"strided<[{BYTES}, 1], offset: {BYTES * i}>"
        row = f"memref<1x{BYTES}xi8, {layout}, #memref_pool.space<@dram>>"
        lines += [
            f"%from{i} = memref.subview %x[{i}, 0] [1, {BYTES}] [1, 1] : {whole} to {row}",
            f"%a{i} = memref_pool.alloc : {tile}",
            f"memref.copy %from{i}, %a{i} : {row} to {tile}",
            f"%b{i} = memref_pool.alloc : {tile}",
            f"accel.call @npu.f ins(%a{i} : {tile}) outs(%b{i} : {tile})",
            f"%to{i} = memref.subview %y[{i}, 0] [1, {BYTES}] [1, 1] : {whole} to {row}",
            f"memref.copy %b{i}, %to{i} : {tile} to {row}",
        ]
    return "\n".join([*lines, "return", "}"])


def measure(tiles: int) -> dict[str, int]:
    """Return the calls by column."""
    found = dict.fromkeys(COLUMNS, 0)
    with ir.Context() as context, ir.Location.unknown():
        context.enable_multithreading(False)
        module = ir.Module.parse(program(tiles))
        for column, name in PASSES:
            calls = calls_of(partial(run_pipeline, module, f"builtin.module({name})"))
            if column:
                found[column] += calls
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a row per number of tiles."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tiles", type=int, nargs="+", default=[50, 200, 800])
    tiles = parser.parse_args(arguments).tiles
    measure(2)  # imports
    found = [measure(count) for count in tiles]
    rows = [
        [str(n), *map(count_text, calls.values())] for n, calls in zip(tiles, found, strict=True)
    ]
    show([figures(["tiles", *COLUMNS], rows)])
    pairs = pairwise(zip(tiles, found, strict=True))
    return int(
        any(
            grows(more / few, n / m)
            for (m, before), (n, row) in pairs
            for few, more in zip(before.values(), row.values(), strict=True)
        )
    )


if __name__ == "__main__":
    sys.exit(main())
