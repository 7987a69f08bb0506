"""Kernels that add up all rows of a window with weights, and kernels that do something else."""

from __future__ import annotations

import pytest
from mlir import ir

import forebay.dialects  # noqa: F401  # pyright: ignore[reportUnusedImport]  (registers)
from forebay.dialects.accel import ReduceOp
from forebay.ir.nested import ops_of
from forebay.lowering.rings.readers import reader_of

PROGRAM = """
memref.global "private" constant @w : memref<2x4xi8> = dense<1>
func.func @main(%window: memref<2x4xi8>, %other: memref<2x4xi8>, %y: memref<2xi32>) {
  %w = memref.get_global @w : memref<2x4xi8>
  %zero = arith.constant 0 : i32
  accel.reduce [2 | 4] ins(%window, %w : memref<2x4xi8>, memref<2x4xi8>) outs(%y : memref<2xi32>)
      maps [affine_map<(f, m) -> (f, m)>, affine_map<(f, m) -> (f, m)>, affine_map<(f) -> (f)>]
  init {
    accel.yield %zero : i32
  } body {
  ^bb0(%sum: i32, %a: i8, %b: i8):
    %1 = arith.extsi %a : i8 to i32
    %2 = arith.extsi %b : i8 to i32
    %3 = arith.muli %1, %2 : i32
    %4 = arith.addi %sum, %3 : i32
    accel.yield %4 : i32
  } finish {
  ^bb0(%sum: i32, %count: i32):
    accel.yield %sum : i32
  }
  return
}"""
BOTH = "[affine_map<(f, m) -> (f, m)>, affine_map<(f, m) -> (f, m)>, "
ALIKE = [
    ("arith.addi %sum, %3", "arith.addi %3, %sum"),
    ("ins(%window, %w :", "ins(%w, %window :"),
    # The sum is of both channels.
    (BOTH, "[affine_map<(f, m) -> (0, m)>, affine_map<(f, m) -> (f, m)>, "),
]
OTHERS = {
    "the largest product": ("arith.addi %sum, %3", "arith.maxsi %sum, %3"),
    "a sum that is also doubled": ("arith.addi %sum, %3", "arith.addi %sum, %sum"),
    "one weight for all rows": (
        BOTH,
        "[affine_map<(f, m) -> (f, m)>, affine_map<(f, m) -> (f, 0)>, ",
    ),
    "weights that go backwards": (
        BOTH,
        "[affine_map<(f, m) -> (f, m)>, affine_map<(f, m) -> (f, 3 - m)>, ",
    ),
    "a row for each result": (
        "maps [affine_map<(f, m) -> (f, m)>",
        "maps [affine_map<(f, m) -> (0, f)>",
    ),
    "some of the rows": ("[2 | 4]", "[2 | 3]"),
    "weights that are no constant": ("ins(%window, %w :", "ins(%window, %other :"),
    "rows that are weights, too": ("ins(%window, %w :", "ins(%window, %window :"),
    "other memory": ("ins(%window, %w :", "ins(%other, %w :"),
}


def read(text: str) -> tuple[int, int] | None:
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        [kernel] = ops_of(module.operation, ReduceOp)
        window = kernel.operation.block.arguments[0]
        found = reader_of(kernel, window, 1)
        return None if found is None else (found.weights, found.axis)


def test_a_sum_of_products() -> None:
    assert read(PROGRAM) == (1, 1)


@pytest.mark.parametrize("change", ALIKE, ids=["order", "operands", "channels"])
def test_the_same_in_another_form(change: tuple[str, str]) -> None:
    assert change[0] in PROGRAM
    weights = 0 if "%w, %window" in change[1] else 1
    assert read(PROGRAM.replace(*change)) == (weights, 1)


def test_weights_whose_rows_are_along_the_first_axis() -> None:
    text = PROGRAM.replace("@w : memref<2x4xi8>", "@w : memref<4x2xi8>")
    text = text.replace("memref<2x4xi8>, memref<2x4xi8>)", "memref<2x4xi8>, memref<4x2xi8>)")
    text = text.replace(BOTH, "[affine_map<(f, m) -> (f, m)>, affine_map<(f, m) -> (m, f)>, ")
    assert read(text) == (1, 0)


def test_weights_whose_first_index_depends_on_the_row_too() -> None:
    text = PROGRAM.replace("@w : memref<2x4xi8>", "@w : memref<5x4xi8>")
    text = text.replace("memref<2x4xi8>, memref<2x4xi8>)", "memref<2x4xi8>, memref<5x4xi8>)")
    text = text.replace(BOTH, "[affine_map<(f, m) -> (f, m)>, affine_map<(f, m) -> (f + m, m)>, ")
    assert read(text) is None


@pytest.mark.parametrize("reason", OTHERS)
def test_another_kernel(reason: str) -> None:
    old, new = OTHERS[reason]
    assert old in PROGRAM
    assert read(PROGRAM.replace(old, new)) is None


def test_a_sum_of_floats_is_rounded_in_the_order_of_the_rows() -> None:
    text = (
        PROGRAM.replace("i8", "f32")
        .replace("i32", "f32")
        .replace("arith.constant 0", "arith.constant 0.0")
    )
    text = text.replace("arith.extsi %a : f32 to f32", "arith.negf %a : f32")
    text = text.replace("arith.extsi %b : f32 to f32", "arith.negf %b : f32")
    text = text.replace("arith.muli", "arith.mulf").replace("arith.addi", "arith.addf")
    text = text.replace("%count: f32", "%count: i32").replace("dense<1>", "dense<1.0>")
    assert read(text) is None


def test_a_kernel_on_some_of_its_points() -> None:
    text = PROGRAM.replace("[2 | 4]", "[2 | 4] at [0 | 0] sizes [1 | 4]")
    assert read(text) is None
