"""Loops over tiles of rows on the token machine: load, multiply, scale, store."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from mlir import ir
from numpy.typing import NDArray

from common.injection.token_program import module_text
from forebay.emulator import Emulator
from forebay.pipelines import run_pipeline

ROWS, TILES = 8, 8
WEIGHTS = np.random.default_rng(5).integers(-9, 9, (1, 16, 16), np.int8)
SUMS = np.random.default_rng(6).integers(-900, 900, (ROWS, 16), np.int32)
X = np.random.default_rng(1).integers(-128, 128, (TILES * ROWS, 16), np.int8)

INPUTS = [X, np.array([0, TILES * ROWS, ROWS], np.int32)]
"""For a loop over all tiles; bounds that are constants do not look at the second."""

_X, _TILE = "memref<64x16xi8, #dram>", "memref<8x16xi8, strided<[16, 1], offset: ?>, #dram>"
_TYPES = {
    "INP": "memref<8x16xi8, #inp>",
    "OUT": "memref<8x16xi8, #out>",
    "ACC": "memref<8x16xi32, #acc>",
    "SUMS": "memref<8x16xi32, #weights>",
    "WGT": "memref<1x16x16xi8, #wgt>",
    "ROM": "memref<1x16x16xi8, #weights>",
    "WHOLE": _X,
    "TILE": _TILE,
    "HALF64": "memref<4x16xi8, strided<[16, 1], offset: 64>, #inp>",
    "HALF0": "memref<4x16xi8, strided<[16, 1]>, #inp>",
    "HALF": _TILE.replace("8x16", "4x16", 1),
}

LOADS = (
    "%sums = memref_pool.alloc : ACC",
    "accel.move @npu.load_acc %sums_rom into %sums : SUMS, ACC",
    "%x_tile = memref.subview %x[%i, 0] [8, 16] [1, 1] : WHOLE to TILE",
    "%inp = memref_pool.alloc : INP",
    "accel.move @npu.load_inp %x_tile into %inp : TILE, INP",
)
GEMM = (
    "accel.call @npu.gemm ins(%inp, %w : INP, WGT) outs(%sums : ACC) accumulate [0] "
    "config {rows = 8 : i64, blocks = 1 : i64}",
)
ALU = (
    "%out = memref_pool.alloc : OUT",
    "accel.call @npu.alu ins(%sums : ACC) outs(%out : OUT) "
    "config {rows = 8 : i64, shift = 6 : i64, low = -128 : i64, high = 127 : i64}",
)
STORE = (
    "%y_tile = memref.subview %y[%i, 0] [8, 16] [1, 1] : WHOLE to TILE",
    "accel.move @npu.store_out %out into %y_tile : OUT, TILE",
)
BODY = (*LOADS, *GEMM, *ALU, *STORE)


@dataclass(frozen=True)
class Loop:
    """`for %i = begin to end step step`, in rows; with `dynamic` bounds, which are inputs then.

    `outside` are lines in front of it, `body` those in it, `behind` those that follow; a loop with
    a number `carried` hands `%at` on as `%next`, from 0.
    """

    begin: int = 0
    end: int = TILES * ROWS
    step: int = ROWS
    dynamic: bool = False
    outside: tuple[str, ...] = ()
    body: tuple[str, ...] = BODY
    behind: tuple[str, ...] = ()
    carried: bool = False

    @property
    def text(self) -> str:
        """A module with the machine and `@main`."""
        lines = [
            "%w_rom = memref.get_global @w : ROM",
            "%sums_rom = memref.get_global @sums : SUMS",
            "%w = memref_pool.alloc : WGT",
            "accel.move @npu.load_wgt %w_rom into %w : ROM, WGT",
            "%zero = arith.constant 0 : i8",
            "linalg.fill ins(%zero : i8) outs(%y : WHOLE)",
            *self._bounds(),
            *self.outside,
            f"{self._head()} {{",
            *self.body,
            *(("scf.yield %next : index",) if self.carried else ()),
            "}",
            *self.behind,
        ]
        body = "\n".join(f"  {line}{_location(line, n)}" for n, line in enumerate(lines, 1))
        ports = '%x: WHOLE {accel.name = "x"}, %n: memref<3xi32, #dram> {accel.name = "n"}, '
        text = (
            f'memref.global "private" constant @w : ROM = dense<{WEIGHTS.tolist()}>\n'
            f'memref.global "private" constant @sums : SUMS = dense<{SUMS.tolist()}>\n'
            f'func.func @main({ports}%y: WHOLE {{accel.name = "y", bufferize.result}}) {{\n'
            f"{body}\n  return\n}}\n"
        )
        for short, long in _TYPES.items():
            text = text.replace(short, long)
        for name in ("dram", "weights", "inp", "wgt", "acc", "out"):
            text = text.replace(f"#{name}>", f"#memref_pool.space<@{name}>>")
        return module_text(text)

    def _head(self) -> str:
        head = "scf.for %i = %begin to %end step %step"
        zero = "iter_args(%at = %from) -> (index)"
        return f"%last = {head} {zero}" if self.carried else head

    def _bounds(self) -> list[str]:
        names = ("begin", "end", "step")
        if not self.dynamic:
            return [f"%{name} = arith.constant {getattr(self, name)} : index" for name in names]
        lines: list[str] = []
        for number, name in enumerate(names):
            lines += [
                f"%at_{name} = arith.constant {number} : index",
                f"%i32_{name} = memref.load %n[%at_{name}] : memref<3xi32, #dram>",
                f"%{name} = arith.index_cast %i32_{name} : i32 to index",
            ]
        return lines

    @property
    def starts(self) -> range:
        """The rows at which iterations begin."""
        return range(self.begin, self.end, self.step)

    def product(self) -> NDArray[np.int8]:
        """What it computes, by NumPy; rows that no iteration writes are 0."""
        sums = np.tile(SUMS, (TILES, 1)) + X.astype(np.int32) @ WEIGHTS[0].T.astype(np.int32)
        y = np.clip(sums >> 6, -128, 127).astype(np.int8)
        written = np.zeros(TILES * ROWS, bool)
        for start in self.starts:
            written[start : start + ROWS] = True
        return np.where(written[:, None], y, 0).astype(np.int8)


def _location(line: str, number: int) -> str:
    is_plain = not line.startswith("}") and not line.endswith("{")
    return "" if not is_plain else f' loc("tiles.mlir":{number}:1)'


def module(loop: Loop, slots: int = 1) -> ir.Module:
    """The program with that many slots, planned and checked."""
    return planned(loop.text, slots)


def planned(text: str, slots: int) -> ir.Module:
    """Any program."""
    found = ir.Module.parse(text)
    pipeline = f"accel-pipeline-loops{{slots={slots}}},memref-pool-plan,memref-pool-verify-plan"
    run_pipeline(found, f"builtin.module({pipeline})")
    return found


def emulated(program: ir.Module, loop: Loop) -> tuple[NDArray[np.int8], int]:
    """The output of a run of which every access was checked, and its cycles."""
    machine = Emulator(program.operation)
    bounds = np.array([loop.begin, loop.end, loop.step], np.int32)
    y = machine.call("main", [X, bounds])[0]
    return y, machine.report.cycles


# ---- Other bodies --------------------------------------------------------------------------------

OUTSIDE = tuple(line for line in BODY if "memref_pool.alloc" in line)
"""The buffers of a tile, allocated in front of the loop: each iteration overwrites them."""

HALVES = (
    *LOADS[:2],
    "%inp = memref_pool.alloc : INP",
    "%top = memref.subview %x[%i, 0] [4, 16] [1, 1] : WHOLE to HALF",
    "%four = arith.constant 4 : index",
    "%below = arith.addi %i, %four : index",
    "%bottom = memref.subview %x[%below, 0] [4, 16] [1, 1] : WHOLE to HALF",
    "%inp_top = memref.subview %inp[0, 0] [4, 16] [1, 1] : INP to HALF0",
    "%inp_bottom = memref.subview %inp[4, 0] [4, 16] [1, 1] : INP to HALF64",
    "accel.move @npu.load_inp %top into %inp_top : HALF, HALF0",
    "accel.move @npu.load_inp %bottom into %inp_bottom : HALF, HALF64",
    *GEMM,
    *ALU,
    *STORE,
)
"""A tile that comes in two halves."""

IN_PLACE = tuple(
    line.replace("%x[", "%y[") if line.startswith("%x_tile") else line for line in BODY
)
"""A tile of `%y` becomes what it was times the weights."""

NESTED = (
    *LOADS[:2],
    "%again = arith.constant 3 : index",
    "%one = arith.constant 1 : index",
    "%zero_index = arith.constant 0 : index",
    "scf.for %k = %zero_index to %again step %one {",
    *LOADS[2:],
    *GEMM,
    "}",
    *ALU,
    *STORE,
)
"""Sums of three products, by an inner loop that loads its operand."""
