"""Regions of memrefs: which may meet, in one iteration or in two."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from mlir import ir
from mlir.dialects import memref, scf

from forebay.ir.memory.regions import AccessRegion, access_region_of
from forebay.ir.nested import ops_nested_in


@pytest.fixture(autouse=True)
def _context() -> Iterator[None]:
    with ir.Context(), ir.Location.unknown():
        yield


def parts(
    *offsets: str, size: int = 2, end: str = "%c8", step: int = 2
) -> tuple[list[AccessRegion], scf.ForOp, ir.Module]:
    """Parts of two rows of `memref<16x4xi8>`, each at an offset, in a loop over `%i`."""
    type_ = f"memref<{size}x4xi8, strided<[4, 1], offset: ?>>"
    views = "\n".join(
        f"%v{n} = memref.subview %x[{offset}, 0] [{size}, 4] [1, 1] : memref<16x4xi8> to {type_}"
        for n, offset in enumerate(offsets)
    )
    module = ir.Module.parse(f"""
func.func @main(%x: memref<16x4xi8>, %n: index) {{
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %step = arith.constant {step} : index
  scf.for %i = %c0 to {end} step %step {{
    %two = arith.addi %i, %c2 : index
    %back = arith.subi %i, %c2 : index
    %double = arith.muli %i, %c2 : index
    %from_n = arith.addi %i, %n : index
    {views}
  }}
  return
}}""")
    ops = ops_nested_in(module.operation)
    loop = next(op for op in ops if isinstance(op, scf.ForOp))
    found = [access_region_of(op.result) for op in ops if isinstance(op, memref.SubViewOp)]
    return found, loop, module


@pytest.mark.parametrize(
    ("one", "other", "meet"),
    [
        ("%c0", "%c2", False),
        ("%c2", "%c3", True),
        ("%i", "%two", False),
        ("%back", "%two", False),
        ("%i", "%from_n", True),  # %n may be 0
        ("%from_n", "%from_n", True),
        ("%i", "%c8", False),  # %i is 6 or less, by steps of 2
        ("%i", "%double", True),
        ("%i", "%n", True),
    ],
)
def test_in_one_iteration(one: str, other: str, meet: bool) -> None:
    (first, second), _, _ = parts(one, other)
    assert first.may_overlap(second) is second.may_overlap(first) is meet


def test_bounds_of_counters_keep_regions_apart() -> None:
    (first, second), _, _ = parts("%i", "%c8", size=1)
    assert not first.may_overlap(second)
    (first, second), _, _ = parts("%i", "%c8", size=1, end="%n")
    assert first.may_overlap(second)


@pytest.mark.parametrize(
    ("one", "other", "meet"),
    [
        ("%i", "%i", False),
        ("%i", "%two", True),  # what one iteration has at two, the next has at %i
        ("%from_n", "%from_n", False),
        ("%double", "%double", False),
        ("%i", "%double", True),
        ("%c0", "%c2", False),
        ("%c0", "%c0", True),
        ("%i", "%from_n", True),
    ],
)
def test_in_two_iterations(one: str, other: str, meet: bool) -> None:
    (first, second), loop, _ = parts(one, other)
    assert first.may_overlap_later(second, loop) is second.may_overlap_later(first, loop) is meet


def test_steps_shorter_than_the_part_overlap() -> None:
    (first, second), loop, _ = parts("%i", "%i", step=1)
    assert first.may_overlap_later(second, loop)


def test_a_region_covers_what_is_inside_of_it() -> None:
    (first, second), _, _ = parts("%c2", "%c2")
    assert first.covers(second)
    whole = access_region_of(first.base) if isinstance(first.base, ir.Value) else first
    assert whole.covers(first)
    assert not first.covers(whole)
    (first, second), _, _ = parts("%i", "%n")
    assert not first.covers(second)


def test_the_last_count_of_a_loop_is_a_step_of_it() -> None:
    """%i is 0, 3 or 6: rows 6 and 7 are its last two, so row 8 is apart."""
    (counted, eighth), _, _ = parts("%i", "%c8", step=3)
    assert not counted.may_overlap(eighth)


def test_what_another_iteration_chose_may_be_anywhere() -> None:
    """Of two rows, one in each iteration; row 0 of what is chosen is another one each time."""
    module = ir.Module.parse("""
func.func @main(%x: memref<4x4xi8>, %y: memref<4x4xi8>, %c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.for %i = %c0 to %c2 step %c1 {
    %chosen = arith.select %c, %x, %y : memref<4x4xi8>
    %row = memref.subview %chosen[%i, 0] [1, 4] [1, 1]
      : memref<4x4xi8> to memref<1x4xi8, strided<[4, 1], offset: ?>>
  }
  return
}""")
    ops = ops_nested_in(module.operation)
    loop = next(op for op in ops if isinstance(op, scf.ForOp))
    (row,) = (access_region_of(op.result) for op in ops if isinstance(op, memref.SubViewOp))
    assert row.may_overlap_later(row, loop)
