"""The work of moving transfers grows with the number of tiles, not with its square."""

from __future__ import annotations

import sys
from types import FrameType

import pytest
from mlir import ir

import forebay.passes  # noqa: F401  (registers)
from forebay.dialects.accel import MoveOp
from forebay.ir.nested import ops_nested_in
from forebay.pipelines import run_pipeline

HEAD = """
accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @dram workspace read [@cpu] write [@cpu]
memref_pool.pool @spad workspace local capacity {capacity} base 0 read [@npu] write [@npu]
accel.transfer @npu.mvin on @npu symbol "npu_mvin" from [@dram] to [@spad] rank 2
accel.transfer @npu.mvout on @npu symbol "npu_mvout" from [@spad] to [@dram] rank 2
accel.intrinsic @npu.use on @npu symbol "npu_use"
  operands [#accel.operand<name = "x", access = in, pools = [@spad]>,
            #accel.operand<name = "w", access = in, pools = [@spad]>,
            #accel.operand<name = "y", access = out, pools = [@spad]>]
"""
TILE = "memref<4x4xi8, #memref_pool.space<@spad>>"


def product(side: int, capacity: int = 4096) -> ir.Module:
    """`side` times `side` tiles, each of a tile of %x and one of %w that are loaded for it."""
    whole = f"memref<{4 * side}x{4 * side}xi8, #memref_pool.space<@dram>>"
    part = f"memref<4x4xi8, strided<[{4 * side}, 1], offset: OFFSET>, #memref_pool.space<@dram>>"
    lines: list[str] = []

    def tile(name: str, of: str, row: int, column: int) -> str:
        type_ = part.replace("OFFSET", str(16 * side * row + 4 * column))
        at = f"[{4 * row}, {4 * column}] [4, 4] [1, 1]"
        lines.append(f"%{name} = memref.subview %{of}{at} : {whole} to {type_}")
        return type_

    for row in range(side):
        for column in range(side):
            n = f"{row}_{column}"
            for operand, at in (("x", (row, 0)), ("w", (0, column))):
                type_ = tile(f"{operand}p{n}", operand, *at)
                lines.append(f"%{operand}{n} = memref_pool.alloc : {TILE}")
                lines.append(
                    f"accel.move @npu.mvin %{operand}p{n} into %{operand}{n} : {type_}, {TILE}"
                )
            lines.append(f"%y{n} = memref_pool.alloc : {TILE}")
            lines.append(
                f"accel.call @npu.use ins(%x{n}, %w{n} : {TILE}, {TILE}) outs(%y{n} : {TILE})"
            )
            type_ = tile(f"yp{n}", "y", row, column)
            lines.append(f"accel.move @npu.mvout %y{n} into %yp{n} : {TILE}, {type_}")
    body = "\n".join(lines)
    ports = f"%x: {whole}, %w: {whole}, %y: {whole}"
    head = HEAD.replace("{capacity}", str(capacity))
    return ir.Module.parse(f"{head}func.func @main({ports}) {{\n{body}\nreturn\n}}")


def calls_of_pass(module: ir.Module) -> int:
    """How many Python functions are called."""
    count = 0

    def note(_: FrameType, event: str, __: object) -> None:
        nonlocal count
        count += event == "call"

    run_pipeline(module, "builtin.module(accel-hoist-transfers)")  # imports what it needs
    sys.setprofile(note)
    try:
        run_pipeline(ir.Module.parse(str(module)), "builtin.module(accel-hoist-transfers)")
    finally:
        sys.setprofile(None)
    return count


@pytest.fixture(autouse=True)
def _context() -> object:
    with ir.Context() as context, ir.Location.unknown():
        context.enable_multithreading(False)
        yield


def moves(module: ir.Module) -> list[str]:
    ops = ops_nested_in(module.operation)
    return [op.transfer.value for op in ops if isinstance(op, MoveOp)]


@pytest.mark.parametrize("side", [3, 9])
def test_each_tile_is_loaded_once_where_there_is_room(side: int) -> None:
    module = product(side)
    run_pipeline(module, "builtin.module(accel-hoist-transfers)")
    assert moves(module).count("npu.mvin") == 2 * side
    assert moves(module).count("npu.mvout") == side * side


def test_tiles_are_loaded_anew_where_there_is_none() -> None:
    """Four tiles of 16 bytes: one of %x all along its row, one of %y, and two for all of %w."""
    module = product(4, capacity=64)
    run_pipeline(module, "builtin.module(accel-hoist-transfers)")
    loads = moves(module).count("npu.mvin")
    assert 4 + 4 < loads < 2 * 16


@pytest.mark.parametrize("capacity", [65536, 512])
def test_four_times_the_tiles_are_less_than_six_times_the_work(capacity: int) -> None:
    few, many = (calls_of_pass(product(side, capacity)) for side in (6, 12))
    assert many < 6 * few
