"""Which uses of a value are printed: those of ops that have a use themselves, or an effect."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

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
def function() -> Iterator[Any]:
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(PROGRAM)
        yield module.body.operations[0]


def test_a_value_that_only_unused_ops_use_is_not_used(function: Any) -> None:
    dead, deader, kept, *_ = function.body.blocks[0].operations
    uses = LiveUses(function)
    assert not uses.is_used(dead.results[0])
    assert not uses.is_used(deader.results[0])
    assert uses.is_used(kept.results[0])


def test_each_printed_use_counts(function: Any) -> None:
    _, _, kept, store, _ = function.body.blocks[0].operations
    uses = LiveUses(function)
    assert uses.of(function.arguments[2]) == [kept, kept]
    assert uses.of(kept.results[0]) == [store]
    assert uses.of(function.arguments[1]) == [store]


CARRIED = """
func.func @f(%n: index, %x: i32, %y: i32) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %x) -> (i32) {
    %one = arith.addi %acc, %x : i32
    %two = arith.addi %one, %y : i32
    scf.yield %two : i32
  }
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %x) -> (i32) {
    %one = arith.addi %acc, %x : i32
    %two = arith.addi %one, %one : i32
    scf.yield %two : i32
  }
  return %last : i32
}
"""


def test_terms_of_a_carried_sum_belong_to_its_variable() -> None:
    """A partial sum that something else uses, too, is a value of its own."""
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(CARRIED)
        function: Any = module.body.operations[0]
        body = function.body.blocks[0]
        first, second = (op for op in body.operations if op.operation.name == "scf.for")
        uses = LiveUses(function)
        one, two, _ = first.body.operations
        assert uses.carried_value(one.result) == first.inner_iter_args[0]
        assert uses.carried_value(two.result) == first.inner_iter_args[0]
        one, _, _ = second.body.operations
        assert uses.carried_value(one.result) is None


WORDS = """
func.func @f(%n: index, %x: vector<4xi8>, %w: vector<64xi8>, %sums: vector<16xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %all = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %sums) -> (vector<16xi32>) {
    %one = accel.dot_each %acc, %x, %w : vector<16xi32>, vector<4xi8>, vector<64xi8>
    %two = accel.dot_each %one, %x, %w : vector<16xi32>, vector<4xi8>, vector<64xi8>
    scf.yield %two : vector<16xi32>
  }
  return
}
"""


def test_sums_of_words_belong_to_the_variable_of_their_loop() -> None:
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(WORDS)
        function: Any = module.body.operations[0]
        (loop,) = (op for op in function.body.blocks[0].operations if op.name == "scf.for")
        uses = LiveUses(function)
        one, two, _ = loop.body.operations
        assert uses.carried_value(one.result) == loop.inner_iter_args[0]
        assert uses.carried_value(two.result) == loop.inner_iter_args[0]
