"""Which minima and maxima get vectors, and how long these are."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from mlir import ir

import forebay.api.dialects  # noqa: F401  # pyright: ignore[reportUnusedImport]  (registers)
from forebay.cpus import schedule_of
from forebay.dialects.accel import ReduceOp
from forebay.ir.nested import ops_of
from forebay.lowering.schedule.channels import schedule_channels

TEXT = """
  func.func @main(%x: memref<8x{c}xi8>, %y: memref<4x{c}x{type}>, %limit: i8) {{
    accel.reduce [4, {c} | 2] ins(%x : memref<8x{c}xi8>) outs(%y : memref<4x{c}x{type}>)
      maps [affine_map<(y, c, k) -> (y * 2 + k, c)>, affine_map<(y, c) -> (y, c)>]
      init {{
        %lowest = arith.constant -128 : i8
        accel.yield %lowest : i8
      }} body {{
      ^bb0(%acc: i8, %value: i8):
        %largest = arith.maxsi %acc, %value : i8
        accel.yield %largest : i8
      }} finish {{
      ^bb0(%acc: i8, %count: i32):
        {finish}
      }}
    return
  }}
"""
SAME = "accel.yield %acc : i8"
COUNTED = """
        %number = arith.trunci %count : i32 to i8
        %least = arith.minsi %acc, %number : i8
        accel.yield %least : i8
"""
BRANCH = """
        %low = arith.cmpi slt, %acc, %limit : i8
        %chosen = scf.if %low -> (i8) {
          scf.yield %limit : i8
        } else {
          scf.yield %acc : i8
        }
        accel.yield %chosen : i8
"""
WIDE = """
        %wide = arith.extsi %acc : i8 to i32
        accel.yield %wide : i32
"""


@pytest.fixture(autouse=True)
def context() -> Iterator[None]:
    with ir.Context(), ir.Location.unknown():
        yield


def lanes_of(cpu: str, channels: int, finish: str = SAME, type_: str = "i8") -> list[int] | None:
    module = ir.Module.parse(TEXT.format(c=channels, finish=finish, type=type_))
    (kernel,) = ops_of(module.operation, ReduceOp)
    schedule_channels(kernel, schedule_of(cpu))
    module.operation.verify()
    return None if kernel.lanes is None else list(kernel.lanes)


@pytest.mark.parametrize(
    ("cpu", "channels", "lanes"),
    [
        ("cortex-m4", 3, None),
        ("cortex-m4", 4, 4),
        ("cortex-m4", 30, 4),
        ("cortex-m55", 4, 4),
        ("cortex-m55", 5, 5),
        ("cortex-m55", 15, 15),
        ("cortex-m55", 40, 16),
        ("x86-64-v3", 4, None),
        ("x86-64-v3", 24, 16),
        ("generic", 32, None),
        ("rv32imc", 32, None),
    ],
)
def test_vectors_are_as_long_as_possible(cpu: str, channels: int, lanes: int | None) -> None:
    assert lanes_of(cpu, channels) == (None if lanes is None else [1, lanes, 1])


def test_results_of_other_numbers_have_no_vectors() -> None:
    assert lanes_of("cortex-m55", 32, COUNTED) is None
    assert lanes_of("cortex-m55", 32, WIDE, "i32") is None


SUM = """
  func.func @main(%x: {source}, %y: memref<4x32xi32>, %limit: i32) {{
    accel.reduce [4, 32 | 2] ins(%x : {source}) outs(%y : memref<4x32xi32>)
      maps [affine_map<(y, c, k) -> ({index})>, affine_map<(y, c) -> (y, c)>]
      init {{
        %zero = arith.constant 0 : i32
        accel.yield %zero : i32
      }} body {{
      ^bb0(%acc: i32, %value: i8):
        %wide = arith.extsi %value : i8 to i32
        %sum = arith.addi %acc, %wide : i32
        accel.yield %sum : i32
      }} finish {{
      ^bb0(%acc: i32, %count: i32):
        {finish}
      }}
    return
  }}
"""


def lanes_of_sum(source: str, index: str, finish: str = "accel.yield %acc : i32") -> object:
    module = ir.Module.parse(SUM.format(source=source, index=index, finish=finish))
    (kernel,) = ops_of(module.operation, ReduceOp)
    schedule_channels(kernel, schedule_of("cortex-m55"))
    return None if kernel.lanes is None else list(kernel.lanes)


def test_operands_without_channels_have_no_vectors() -> None:
    assert lanes_of_sum("memref<8x32xi8>", "y * 2 + k, c") == [1, 4, 1]
    assert lanes_of_sum("memref<i8>", "") is None
    assert lanes_of_sum("memref<8xi8>", "y * 2 + k") is None


def test_results_of_branches_have_no_vectors() -> None:
    """Their ops are copied for each lane, without regions."""
    assert lanes_of("cortex-m55", 32, BRANCH) is None
    finish = BRANCH.replace("i8", "i32")
    assert lanes_of_sum("memref<8x32xi8>", "y * 2 + k, c", finish) is None
