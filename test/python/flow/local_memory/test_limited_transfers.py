"""Copies beyond the limits of a transfer, with a layout change, and from one repeated row."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from common.emulated import emulator

import forebay
from forebay.emulator.commands.move_limits import MoveLimits
from forebay.emulator.memory.faults import NoSuchMove

DEVICE = """
accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @dram workspace capacity 65536 read [@cpu] write [@cpu]
memref_pool.pool @spad workspace local capacity 65536 base 0 unit 16 read [@npu] write [@npu]
accel.transfer @npu.mvin on @npu symbol "npu_mvin" from [@dram] to [@spad] rank 2 granule 4
  limits {extent = 16 : i64, bytes = 64 : i64}
accel.transfer @npu.mvout on @npu symbol "npu_mvout" from [@spad] to [@dram] rank 1
#dram = #memref_pool.space<@dram>
#spad = #memref_pool.space<@spad>
"""
PROGRAM = """
func.func @main(%image: memref<20x96xi8, #dram> {accel.name = "image", accel.dtype = "int8"},
                %row: memref<16xi8, #dram> {accel.name = "row", accel.dtype = "int8"},
                %blocks_out: memref<6x20x16xi8, #dram>
                  {accel.name = "blocks", accel.dtype = "int8", bufferize.result},
                %rows_out: memref<40x16xi8, #dram>
                  {accel.name = "rows", accel.dtype = "int8", bufferize.result}) {
  %blocks = memref_pool.alloc : memref<6x20x16xi8, #spad>
  %rows = memref_pool.alloc : memref<40x16xi8, #spad>
  linalg.generic {indexing_maps = [affine_map<(b, r, c) -> (r, b * 16 + c)>,
                                   affine_map<(b, r, c) -> (b, r, c)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%image : memref<20x96xi8, #dram>) outs(%blocks : memref<6x20x16xi8, #spad>) {
  ^bb0(%i: i8, %o: i8):
    linalg.yield %i : i8
  }
  linalg.generic {indexing_maps = [affine_map<(r, c) -> (c)>, affine_map<(r, c) -> (r, c)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%row : memref<16xi8, #dram>) outs(%rows : memref<40x16xi8, #spad>) {
  ^bb0(%i: i8, %o: i8):
    linalg.yield %i : i8
  }
  memref.copy %blocks, %blocks_out : memref<6x20x16xi8, #spad> to memref<6x20x16xi8, #dram>
  memref.copy %rows, %rows_out : memref<40x16xi8, #spad> to memref<40x16xi8, #dram>
  return
}
"""
IMAGE = np.random.default_rng(1).integers(-128, 128, (20, 96), np.int8)
ROW = np.arange(16, dtype=np.int8)
BLOCKS = IMAGE.reshape(20, 6, 16).transpose(1, 0, 2)
ROWS = np.tile(ROW, (40, 1))


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> forebay.Compiled:
    path = tmp_path_factory.mktemp("model") / "moved.mlir"
    path.write_text(DEVICE + PROGRAM, encoding="utf-8")
    return forebay.compile(path, io="pool")


@pytest.mark.parametrize("engine", ["c", "llvm", "emulator"])
def test_all_engines_move_the_same(
    compiled: forebay.Compiled, engine: Literal["c", "llvm", "emulator"]
) -> None:
    blocks, rows = compiled.run(IMAGE, ROW, engine=engine)
    np.testing.assert_array_equal(blocks, BLOCKS)
    np.testing.assert_array_equal(rows, ROWS)


@pytest.mark.parametrize("through", ["c", "llvm"])
def test_the_machine_checks_each_call(
    compiled: forebay.Compiled, through: Literal["c", "llvm"]
) -> None:
    blocks, rows = compiled.checked(through).run([IMAGE, ROW])
    np.testing.assert_array_equal(blocks, BLOCKS)
    np.testing.assert_array_equal(rows, ROWS)


def test_each_call_is_within_the_limits(compiled: forebay.Compiled, tmp_path: Path) -> None:
    """Six blocks of 20 rows as 16 and 4 rows; 40 rows as 16, 16 and 8."""
    compiled.write(tmp_path / "moved")
    text = (tmp_path / "moved" / "moved_npu.c").read_text(encoding="utf-8")
    text = re.sub(r" /\*.*?\*/", "", text).replace("\n", " ")
    calls = re.findall(r"npu_mvin\(.*?, *0x\w+u, *(\d+)u, *(\d+)u, *(\d+)u, *(\d+)u\)", text)
    found = [tuple(map(int, call)) for call in calls]
    assert found[:12] == [(16, 96, 1, 16), (4, 96, 1, 16)] * 6
    assert found[12:] == [(16, 0, 1, 16), (16, 0, 1, 16), (8, 0, 1, 16)]


def test_a_call_beyond_the_limits_is_a_fault_in_compiled_code(
    compiled: forebay.Compiled, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The machine allows fewer rows than the compiler was told."""
    monkeypatch.setattr(MoveLimits, "of", staticmethod(_with_8_rows))
    with pytest.raises(NoSuchMove, match=r"extents \[16\] and runs of 16 bytes"):
        compiled.checked("c").run([IMAGE, ROW])


def _with_8_rows(op: object) -> MoveLimits:
    is_in = getattr(op, "symbol").value == "npu_mvin"  # noqa: B009
    return MoveLimits((8,), 64, 4) if is_in else MoveLimits((), None, 1)


def test_a_block_beyond_the_limits_is_a_fault_of_the_emulator() -> None:
    program = """
func.func @main(%a: memref<17x16xi8, #dram> {accel.name = "a",
                  memref_pool.placement = #memref_pool.placement<@dram, 0>}) {
  %v = memref.reinterpret_cast %a to offset: [0], sizes: [17, 16], strides: [0, 1]
    : memref<17x16xi8, #dram> to memref<17x16xi8, strided<[0, 1]>, #dram>
  %s = memref_pool.alloc at <@spad, 0> : memref<17x16xi8, #spad>
  accel.move @npu.mvin %v into %s : memref<17x16xi8, strided<[0, 1]>, #dram>,
    memref<17x16xi8, #spad>
  return
}
"""
    with pytest.raises(NoSuchMove, match=r"extents \[17\] and runs of 16 bytes"):
        emulator(DEVICE + program).call("main", [np.zeros((17, 16), np.int8)])
