"""Which integers the check of a plan computes, by the names of their locations."""

from __future__ import annotations

import pytest
from mlir import ir
from mlir.dialects.builtin import ModuleOp

import forebay.dialects  # noqa: F401
from forebay.ir.plan_check.integers.needed_numbers import needed_numbers

DATA = """
func.func @main(%m: memref<64xi8>, %x: i8 loc("x"), %k: index loc("k")) {
  %e = memref.load %m[%k] : memref<64xi8> loc("e")
  %y = arith.muli %e, %x : i8 loc("y")
  memref.store %y, %m[%k] : memref<64xi8>
  return
}
"""
OFFSET = """
func.func @main(%m: memref<64xi8>, %t: memref<4xindex>, %k: index loc("k"), %n: index loc("n")) {
  %e = memref.load %t[%k] : memref<4xindex> loc("e")
  %y = arith.muli %e, %n : index loc("y")
  %v = memref.subview %m[%y] [1] [1] : memref<64xi8> to memref<1xi8, strided<[1], offset: ?>>
  return
}
"""
CARRIED = """
func.func @main(%m: memref<64xi8>, %n: index loc("n"), %x: i8 loc("x"), %one: index loc("one")) {
  %r:2 = scf.for %i = %n to %n step %one iter_args(%a = %x, %b = %n) -> (i8, index) {
    %e = memref.load %m[%i] : memref<64xi8> loc("e")
    %s = arith.addi %a, %e : i8 loc("sum")
    %p = arith.addi %b, %one : index loc("pointer")
    scf.yield %s, %p : i8, index
  }
  %v = memref.subview %m[%r#1] [1] [1] : memref<64xi8> to memref<1xi8, strided<[1], offset: ?>>
  memref.store %r#0, %m[%n] : memref<64xi8>
  return
}
"""
BRANCH = """
func.func @main(%m: memref<64xi8>, %c: i1 loc("c"), %x: index loc("x"), %y: index loc("y")) {
  %r:2 = scf.if %c -> (index, index) {
    scf.yield %x, %y : index, index
  } else {
    %z = arith.addi %x, %x : index loc("z")
    scf.yield %z, %y : index, index
  }
  %v = memref.subview %m[%r#0] [1] [1] : memref<64xi8> to memref<1xi8, strided<[1], offset: ?>>
  return
}
"""
WHILE = """
func.func @main(%x: i8 loc("x")) {
  %r = scf.while (%a = %x) : (i8) -> i8 {
    %c = arith.trunci %a : i8 to i1 loc("c")
    scf.condition(%c) %a : i8
  } do {
  ^bb0(%b: i8):
    %d = arith.addi %b, %b : i8 loc("d")
    scf.yield %d : i8
  }
  return
}
"""


def named(text: str, *, with_indices: bool) -> set[str]:
    """Return the location names of the needed integers."""
    with ir.Context():
        module = ir.Module.parse(text).operation.opview
        assert isinstance(module, ModuleOp)
        needed = needed_numbers(module, with_indices=with_indices)
        places = [value.location for value in needed]
        return {place.name_str for place in places if place.is_a_name()} - {"m", "t"}


@pytest.mark.parametrize(
    ("text", "without_indices", "with_indices"),
    [
        (DATA, set[str](), {"k"}),
        (OFFSET, {"e", "y", "k", "n"}, {"e", "y", "k", "n"}),
        (CARRIED, {"n", "one", "pointer"}, {"n", "one", "pointer"}),
        (BRANCH, {"c", "x", "z"}, {"c", "x", "z"}),
        (WHILE, {"c", "d", "x"}, {"c", "d", "x"}),
    ],
)
def test_numbers_are_needed_for_places_and_for_control_flow(
    text: str, without_indices: set[str], with_indices: set[str]
) -> None:
    assert named(text, with_indices=False) == without_indices
    assert named(text, with_indices=True) == with_indices
