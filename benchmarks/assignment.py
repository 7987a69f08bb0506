"""The assignment of pools to a layer in tiles: how the work grows with the number of tiles.

python benchmarks/assignment.py [--tiles 50 100 200 400]

Each tile is a slice of the input, two calls of intrinsics and an insertion into the output, as the
stage of a device makes them. The work is the number of Python and C functions that the pass calls,
which is the same in each run; the exit code is 1 if twice the tiles need more than 2.3 times the
calls.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from itertools import pairwise

from measurement.counting import calls_of
from measurement.table import count as count_text
from measurement.table import figures
from measurement.table import seconds as seconds_text
from mlir import ir

import forebay.passes  # noqa: F401  (registers)
from forebay.pipelines import run_pipeline
from forebay.reports.table import show

GROWTH = 2.3
MACHINE = """
accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @l2 workspace read [@cpu, @npu] write [@cpu, @npu]
memref_pool.pool @act workspace local capacity 1048576 base 0 read [@npu] write [@npu]
memref_pool.pool @wei workspace local capacity 1048576 base 0 read [@npu] write [@npu]
memref_pool.pool @rom constant read [@cpu, @npu]
accel.transfer @npu.in on @npu symbol "npu_in" from [@l2, @rom] to [@act, @wei] rank 2
accel.transfer @npu.out on @npu symbol "npu_out" from [@act] to [@l2] rank 2
accel.intrinsic @npu.f on @npu symbol "npu_f" operands [
  #accel.operand<name = "x", access = in, pools = [@act]>,
  #accel.operand<name = "w", access = in, pools = [@wei]>,
  #accel.operand<name = "y", access = out, pools = [@act]>] scalars []
accel.intrinsic @npu.g on @npu symbol "npu_g" operands [
  #accel.operand<name = "w", access = in, pools = [@wei]>,
  #accel.operand<name = "y", access = inout, pools = [@act]>] scalars []
"""
TILE = """
  %s{n} = tensor.extract_slice %x[{at}] [16] [1] : {whole} to {tile}
  %e{n} = tensor.empty() : {tile}
  %y{n} = accel.call @npu.f ins(%s{n}, %w : {tile}, {tile}) outs(%e{n} : {tile}) -> {tile}
  %z{n} = accel.call @npu.g ins(%w : {tile}) outs(%y{n} : {tile}) accumulate [0] -> {tile}
  %r{next} = tensor.insert_slice %z{n} into %r{n}[{at}] [16] [1] : {tile} into {whole}"""


def program(tiles: int) -> str:
    """Return a module with one layer in tiles."""
    whole, tile = f"tensor<{16 * tiles}xi8>", "tensor<16xi8>"
    body = "".join(
        TILE.format(n=n, at=16 * n, next=n + 1, whole=whole, tile=tile) for n in range(tiles)
    )
    return (
        f"{MACHINE}func.func @main(%x: {whole}, %w: {tile}) -> {whole} {{\n"
        f"  %r0 = tensor.empty() : {whole}{body}\n  return %r{tiles} : {whole}\n}}"
    )


def measure(tiles: int) -> tuple[int, float]:
    """Return the number of calls of the pass, and its processor seconds without counting."""
    with ir.Context(), ir.Location.unknown():
        first, second = (ir.Module.parse(program(tiles)) for _ in range(2))
        started = time.process_time()
        _assign(first)
        seconds = time.process_time() - started
        return calls_of(lambda: _assign(second)), seconds


def _assign(module: ir.Module) -> None:
    run_pipeline(module, "builtin.module(memref-pool-assign{io=pool})")


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a row per number of tiles."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tiles", type=int, nargs="+", default=[50, 100, 200, 400])
    tiles = parser.parse_args(arguments).tiles
    measure(tiles[0])  # imports
    found = [measure(count) for count in tiles]
    rows = [
        [str(n), count_text(calls), count_text(calls // n), seconds_text(seconds)]
        for n, (calls, seconds) in zip(tiles, found, strict=True)
    ]
    show([figures(["tiles", "calls", "calls per tile", "CPU s"], rows)])
    pairs = pairwise(zip(tiles, found, strict=True))
    return int(any(grows(a[0] / b[0], n / m) for (m, b), (n, a) in pairs))


def grows(work: float, size: float) -> bool:
    """Return whether the work grows faster than the size, by more than the aim."""
    return work > size * GROWTH / 2


if __name__ == "__main__":
    sys.exit(main())
