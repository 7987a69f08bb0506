"""Which uses of a value are printed: those of ops that have a use themselves, or an effect."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from mlir import ir

import forebay.passes  # noqa: F401  (dialects)
from forebay.codegen.c.live_uses import LiveUses

PROGRAM = """
func.func @f(%m: memref<4xi32>, %i: index, %x: i32) {
  %dead = arith.addi %x, %x : i32
  %deader = arith.addi %dead, %x : i32
  %kept = arith.muli %x, %x : i32
  memref.store %kept, %m[%i] : memref<4xi32>
  return
}
"""


@pytest.fixture
def block() -> Iterator[ir.Block]:
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(PROGRAM)
        yield module.body.operations[0].regions[0].blocks[0]


def test_a_value_that_only_unused_ops_use_is_not_used(block: ir.Block) -> None:
    dead, deader, kept, *_ = block.operations
    uses = LiveUses()
    assert not uses.is_used(dead.results[0])
    assert not uses.is_used(deader.results[0])
    assert uses.is_used(kept.results[0])


def test_each_printed_use_counts(block: ir.Block) -> None:
    _, _, kept, store, _ = block.operations
    uses = LiveUses()
    assert uses.of(block.arguments[2]) == [kept, kept]
    assert uses.of(kept.results[0]) == [store]
    assert uses.of(block.arguments[1]) == [store]
