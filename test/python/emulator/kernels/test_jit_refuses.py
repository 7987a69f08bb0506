"""Machine code and interpretation refuse the same programs, at the same op, for the same reason."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest
from mlir import ir

from forebay.dialects.memref_pool import AllocOp, PlacementAttr
from forebay.emulator import Emulator, Fault
from forebay.ir.locations import ModelLocation, model_location_of
from forebay.ir.nested import ops_nested_in

SPACE = "#memref_pool.space<@ws>"
ROM = "#memref_pool.space<@rom>"


def kernels() -> str:
    """Windows over a row, an elementwise sum, a broadcast and a sum of rows, on five buffers."""
    a, b, c, d = (f"memref<{n}x8xi8, {SPACE}>" for n in (4, 4, 2, 2))
    return f"""
memref_pool.pool @ws workspace capacity 128 align 4
memref_pool.pool @rom constant capacity 16
memref.global "private" constant @w : memref<3xi8, {ROM}> = dense<[1, 2, 3]>
  {{memref_pool.placement = #memref_pool.placement<@rom, 0>}}
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (j)>
func.func @main(%x: memref<4x8xi8> {{accel.name = "x"}},
                %y: memref<2x8xi8> {{accel.name = "y", bufferize.result}}) {{
  %w = memref.get_global @w : memref<3xi8, {ROM}>
  %a = memref_pool.alloc at <@ws, 0> : {a} loc("n.mlir":1:1)
  accel.reduce [4, 8 | 3] ins(%x, %w : memref<4x8xi8>, memref<3xi8, {ROM}>)
      outs(%a : {a})
      maps [affine_map<(i, j, k) -> (i, j + k - 1)>, affine_map<(i, j, k) -> (k)>, #id]
      init {{
        %z = arith.constant 0 : i8
        accel.yield %z : i8
      }} body {{
      ^bb0(%s: i8, %e: i8, %f: i8):
        %p = arith.muli %e, %f : i8
        %t = arith.addi %s, %p : i8
        accel.yield %t : i8
      }} finish {{
      ^bb0(%s: i8, %n: i32):
        accel.yield %s : i8
      }} loc("n.mlir":2:1)
  %b = memref_pool.alloc at <@ws, 32> : {b} loc("n.mlir":3:1)
  linalg.generic {{indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}}
    ins(%a, %x : {a}, memref<4x8xi8>) outs(%b : {b}) {{
    ^bb0(%p: i8, %q: i8, %o: i8):
      %s = arith.addi %p, %q : i8
      linalg.yield %s : i8
  }} loc("n.mlir":4:1)
  %c = memref_pool.alloc at <@ws, 64> : {c} loc("n.mlir":5:1)
  %rows = memref.subview %a[1, 0] [1, 8] [1, 1] : {a}
    to memref<8xi8, strided<[1], offset: 8>, {SPACE}>
  linalg.generic {{indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]}}
    ins(%rows : memref<8xi8, strided<[1], offset: 8>, {SPACE}>) outs(%c : {c}) {{
    ^bb0(%p: i8, %o: i8):
      linalg.yield %p : i8
  }} loc("n.mlir":6:1)
  %d = memref_pool.alloc at <@ws, 80> : {d} loc("n.mlir":7:1)
  linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i * 2, j)>, #id, #id],
                   iterator_types = ["parallel", "parallel"]}}
    ins(%b, %c : {b}, {c}) outs(%d : {d}) {{
    ^bb0(%p: i8, %q: i8, %o: i8):
      %s = arith.addi %p, %q : i8
      linalg.yield %s : i8
  }} loc("n.mlir":8:1)
  linalg.generic {{indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}}
    ins(%d, %c : {d}, {c}) outs(%y : memref<2x8xi8>) {{
    ^bb0(%p: i8, %q: i8, %o: i8):
      %s = arith.addi %p, %q : i8
      linalg.yield %s : i8
  }} loc("n.mlir":9:1)
  return
}}
"""


@dataclass(frozen=True)
class Verdict:
    """What a mode says: nothing, or a fault with all that it names but the byte and its writer.

    An op that overwrites what it reads is refused before it begins, or in the middle of it.
    """

    fault: str = ""
    op: str = ""
    location: str = ""
    pool: str = ""
    buffer: str = ""
    owner: str = ""


X = np.random.default_rng(0).integers(-128, 128, (4, 8), np.int8)


def verdict(
    module: ir.Operation, right: Emulator, *, by_element: bool
) -> tuple[Verdict, np.ndarray | None]:
    try:
        (y,) = Emulator(module, like=right, by_element=by_element).call("main", [X])
    except Fault as fault:
        where = fault.where
        names = (where.pool, where.buffer, where.owner)
        return Verdict(type(fault).__name__, where.op, where.location, *names), None
    return Verdict(), y


def without(module: ir.Module, line: int) -> ir.Operation:
    """The program without its kernel at a line, if there is one."""
    clone = module.operation.clone().operation
    for op in ops_nested_in(clone):
        if model_location_of(op.location) == ModelLocation("n.mlir", line, 1) and not op.results:
            op.operation.erase()
            break
    return clone


@pytest.fixture
def module() -> Iterator[ir.Module]:
    with ir.Context(), ir.Location.unknown():
        yield ir.Module.parse(kernels())


def test_programs_drawn_anyhow(module: ir.Module) -> None:
    """Buffers anywhere, and now and then a kernel that is missing."""
    rng, right = random.Random(3), Emulator(module.operation)
    counts: Counter[str] = Counter()
    for _ in range(120):
        clone = without(module, rng.choice([2, 4, 6, 8, 9, *[0] * 10]))
        for op in ops_nested_in(clone):
            if isinstance(op, AllocOp) and rng.random() < 0.5:
                op.placement = PlacementAttr.get("ws", 2 * rng.randrange(0, 54))
        (fast, y), (slow, z) = (verdict(clone, right, by_element=mode) for mode in (False, True))
        assert fast == slow
        np.testing.assert_array_equal(y, z)
        counts[fast.fault] += 1
    assert set(counts) == {
        *("", "DeadRead", "ForeignRead", "LiveOverwrite", "Misaligned"),
        *("NeverWritten", "OutOfRange"),
    }
    assert counts[""] >= 5
