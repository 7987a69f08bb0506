"""A matrix product on the token machine, tile by tile, with two tiles of everything in turns.

    load     x0 w | x1    | x2 (after gemm 0) | x3 (after gemm 1) ...
    compute         gemm 0, alu 0 | gemm 1, alu 1 | gemm 2, alu 2 (after store 0) ...
    store                         | y0            | y1 ...

The host waits only to keep the queues from overflowing, and at the end. Tokens between operations
of the compute queue say what its order says already; every other one is needed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from mlir import ir
from numpy.typing import NDArray

import forebay.passes  # noqa: F401  (dialects and passes)
from forebay.dialects.accel import LaunchOp
from forebay.dialects.memref_pool import AllocOp, PlacementAttr
from forebay.ir.locations import describe_location, model_location_of
from forebay.ir.machine.pools import bytes_of
from forebay.ir.nested import ops_nested_in
from forebay.pipelines import run_pipeline
from forebay.values.tensors import Tensor, Tensors, Values

ROWS, BLOCKS, TILES, TURNS = 8, 2, 8, 2
AHEAD = 4
"""Tiles that may be under way at once: three operations each fill the compute queue's 12."""

SHIFT = 6
WEIGHTS = np.random.default_rng(5).integers(-9, 9, (BLOCKS, 16, 16), np.int8)
SUMS = np.random.default_rng(6).integers(-900, 900, (ROWS, 16), np.int32)

_SPACES = ("dram", "weights", "inp", "wgt", "acc", "out")
_X = f"memref<{TILES * ROWS}x{BLOCKS * 16}xi8, #dram>"
_Y = f"memref<{TILES * ROWS}x16xi8, #dram>"
_W = f"memref<{BLOCKS}x16x16xi8, #{{}}>"
_SUMS = f"memref<{ROWS}x16xi32, #{{}}>"
_INP = f"memref<{BLOCKS}x{ROWS}x16xi8, #inp>"
_ACC = _SUMS.format("acc")
_OUT = f"memref<{ROWS}x16xi8, #out>"


def sums_of(x: NDArray[np.int8]) -> NDArray[np.int32]:
    """The sums of each tile, of `[TILES * ROWS][BLOCKS * 16]` bytes, by NumPy."""
    blocks = x.reshape(TILES, ROWS, BLOCKS, 16).astype(np.int32)
    return SUMS + np.einsum("trbi,boi->tro", blocks, WEIGHTS.astype(np.int32))


def tiles_of(x: NDArray[np.int8]) -> NDArray[np.int8]:
    """What each tile stores."""
    return np.clip(sums_of(x) >> SHIFT, -128, 127).astype(np.int8)


def product(x: NDArray[np.int8]) -> NDArray[np.int8]:
    """What the program computes."""
    return tiles_of(x).reshape(TILES * ROWS, 16)


class Product:
    """What the computing operations of a program leave, tile by tile: sums, then results."""

    def __init__(self, module: ir.Module) -> None:
        ops = [op for op in ops_nested_in(module.operation) if isinstance(op, LaunchOp)]
        origins = [origin for origin in (model_location_of(op.location) for op in ops) if origin]
        assert len(origins) == 2 * TILES
        names = [describe_location(op.location) for op in ops]
        dtypes = ["int32", "int8"] * TILES
        facts = zip(origins, names, dtypes, strict=True)
        self.tensors = Tensors(tuple(Tensor(o, n, (ROWS, 16), d) for o, n, d in facts))

    def run(self, inputs: Sequence[NDArray[Any]]) -> Values:
        """The elements of every tensor, and the product."""
        (x,) = inputs
        pairs = zip(sums_of(x), tiles_of(x), strict=True)
        arrays = [array for pair in pairs for array in pair]
        origins = [tensor.origin for tensor in self.tensors.all]
        return Values(dict(zip(origins, arrays, strict=True)), (product(x),))


def in_slots() -> str:
    """The program; tiles take turns in two buffers of each kind."""
    slots = [line for slot in range(TURNS) for line in _buffers(str(slot))]
    tiles = [line for tile in range(TILES) for line in _tile(tile, str(tile % TURNS))]
    return _program([*slots, *tiles])


def by_tile() -> str:
    """The program with buffers of its own for each tile."""
    tiles = [
        line for tile in range(TILES) for line in (*_buffers(f"_{tile}"), *_tile(tile, f"_{tile}"))
    ]
    return _program(tiles)


def _program(tiles: list[str]) -> str:
    types = f"{_W.format('weights')}, {_W.format('wgt')}"
    last = ", ".join(f"%stored{tile}" for tile in range(TILES - TURNS, TILES))
    lines = [
        "%w_rom = memref.get_global @w : " + _W.format("weights"),
        "%sums_rom = memref.get_global @sums : " + _SUMS.format("weights"),
        "%w = memref_pool.alloc : " + _W.format("wgt"),
        f"%w_in = accel.start @npu.load_wgt %w_rom into %w : {types}",
        *tiles,
        f"accel.wait {last}",
    ]
    return _function(lines)


def _buffers(name: str) -> list[str]:
    """What a tile needs inside of the machine."""
    kinds = {"inp": _INP, "acc": _ACC, "out": _OUT}
    return [f"%{pool}{name} = memref_pool.alloc : {type_}" for pool, type_ in kinds.items()]


def _tile(tile: int, name: str) -> list[str]:
    """Operations of one tile on the buffers of a name; `before` is the tile that it replaces."""
    before = tile - TURNS
    room = [f"accel.wait %stored{tile - AHEAD}"] if tile >= AHEAD else []
    free, empty = (f" after (%{op}{before})" if before >= 0 else "" for op in ("gemm", "alu"))
    loaded = f"%loaded{tile}, %cleared{tile}" + (", %w_in" if tile == 0 else "")
    ready = f"%gemm{tile}" + (f", %stored{before}" if before >= 0 else "")
    out = f"memref<{ROWS}x16xi8, strided<[16, 1], offset: {tile * ROWS * 16}>, #dram>"
    return [
        *room,
        *_load(tile, name, free),
        f"%cleared{tile} = accel.start @npu.load_acc %sums_rom into %acc{name}{empty} : "
        f"{_SUMS.format('weights')}, {_ACC}",
        f"%gemm{tile} = accel.launch @npu.gemm ins(%inp{name}, %w : {_INP}, {_W.format('wgt')}) "
        f"outs(%acc{name} : {_ACC}) after ({loaded}) accumulate [0] "
        f"config {{rows = {ROWS} : i64, blocks = {BLOCKS} : i64}}",
        f"%alu{tile} = accel.launch @npu.alu ins(%acc{name} : {_ACC}) outs(%out{name} : {_OUT}) "
        f"after ({ready}) "
        f"config {{rows = {ROWS} : i64, shift = {SHIFT} : i64, low = -128 : i64, "
        "high = 127 : i64}",
        f"%y{tile} = memref.subview %y[{tile * ROWS}, 0] [{ROWS}, 16] [1, 1] : {_Y} to {out}",
        f"%stored{tile} = accel.start @npu.store_out %out{name} into %y{tile} after (%alu{tile}) : "
        f"{_OUT}, {out}",
    ]


def _load(tile: int, name: str, free: str) -> list[str]:
    """Rows of all channels, taken apart into blocks of 16: a block of three dimensions."""
    row, offset = BLOCKS * 16, tile * ROWS * BLOCKS * 16
    rows = f"memref<{ROWS}x{row}xi8, strided<[{row}, 1], offset: {offset}>, #dram>"
    split = f"memref<{ROWS}x{BLOCKS}x16xi8, strided<[{row}, 16, 1], offset: {offset}>, #dram>"
    turned = f"memref<{BLOCKS}x{ROWS}x16xi8, strided<[16, {row}, 1], offset: {offset}>, #dram>"
    return [
        f"%rows{tile} = memref.subview %x[{tile * ROWS}, 0] [{ROWS}, {row}] [1, 1] : {_X} "
        f"to {rows}",
        f"%split{tile} = memref.expand_shape %rows{tile} [[0], [1, 2]] "
        f"output_shape [{ROWS}, {BLOCKS}, 16] : {rows} into {split}",
        f"%x{tile} = memref.transpose %split{tile} (r, b, i) -> (b, r, i) : {split} to {turned}",
        f"%loaded{tile} = accel.start @npu.load_inp %x{tile} into %inp{name}{free} : "
        f"{turned}, {_INP}",
    ]


def _function(lines: list[str]) -> str:
    body = "\n".join(f'  {line} loc("tiles.mlir":{n}:1)' for n, line in enumerate(lines, 1))
    module = (
        f'memref.global "private" constant @w : {_W.format("weights")} = '
        f"dense<{WEIGHTS.tolist()}>\n"
        f'memref.global "private" constant @sums : {_SUMS.format("weights")} = '
        f"dense<{SUMS.tolist()}>\n"
        f'func.func @main(%x: {_X} {{accel.name = "x"}}, '
        f'%y: {_Y} {{accel.name = "y", bufferize.result}}) {{\n{body}\n  return\n}}\n'
    )
    for name in _SPACES:
        module = module.replace(f"#{name}>", f"#memref_pool.space<@{name}>>")
    return module


def module_text(program: str) -> str:
    """The program with the machine that it is for, in the context at hand."""
    machine = ir.Module.create()
    run_pipeline(machine, "builtin.module(accel-attach-target{target=token_machine})")
    return "\n".join(str(op) for op in machine.body.operations) + "\n" + program


def planned(program: str = "", planner: str = "greedy-by-size") -> ir.Module:
    """The program, the one with two slots if none is given, planned and checked."""
    module = ir.Module.parse(module_text(program or in_slots()))
    run_pipeline(
        module, f"builtin.module(memref-pool-plan{{planner={planner}}},memref-pool-verify-plan)"
    )
    return module


def placed() -> ir.Module:
    """The program with buffers by tile, in turns at two places, which no planner would dare.

    Nothing but tokens keeps the tiles apart; and a tile that was not loaded is none at all, where
    in a slot it would be the one before.
    """
    module = planned(by_tile())
    tiles: Counter[str] = Counter()
    for op in ops_nested_in(module.operation):
        if isinstance(op, AllocOp) and op.placement.pool != "wgt":
            pool, size = op.placement.pool, bytes_of(ir.MemRefType(op.memref.type))
            op.placement = PlacementAttr.get(pool, tiles[pool] % TURNS * size)
            tiles[pool] += 1
    return module
