"""Rows that one op accesses in each iteration of a loop, as numbers."""

from __future__ import annotations

import numpy as np
import pytest
from common.programs.cascades import SPACE
from mlir import ir
from mlir.dialects import memref, scf

from forebay.dialects.accel import ReduceOp
from forebay.ir.liveness.accessed_rows import (
    NO_ROW,
    row_count,
    row_extents,
    rows_of_element,
    rows_of_reduce,
    rows_of_view,
)
from forebay.ir.liveness.index_values import IndexValues
from forebay.ir.nested import ops_of

TRIPS = 4


def in_loop(body: str, types: str) -> tuple[ir.Module, IndexValues]:
    text = f"""
memref_pool.pool @sram workspace
func.func @f({types}) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end = arith.constant {TRIPS} : index
  scf.for %t = %c0 to %end step %c1 {{
    {body}
  }}
  return
}}"""
    module = ir.Module.parse(text)
    (loop,) = ops_of(module.operation, scf.ForOp)
    return module, IndexValues(loop.induction_variable, np.arange(TRIPS, dtype=np.int64))


def reduce_rows(
    index: str, rows: int, kernel: int = 1, buffer_type: str | None = None
) -> list[list[int]] | None:
    """The rows of the input of a reduction whose row y is computed at iteration y.

    The input shows a buffer of another shape, if its type is given.
    """
    source = f"memref<1x{rows}x2xi8, {SPACE}>"
    result = f"memref<1x8x2xi8, {SPACE}>"
    body = f"""
    accel.reduce [8, 2 | {kernel}] at [%t, 0 | 0] sizes [1, 2 | {kernel}]
      ins(%a : {source}) outs(%b : {result})
      maps [affine_map<(y, c, k) -> (0, {index}, c)>, affine_map<(y, c) -> (0, y, c)>]
      init {{
        %s = arith.constant 0 : i8
        accel.yield %s : i8
      }} body {{
      ^bb0(%most: i8, %x: i8):
        accel.yield %x : i8
      }} finish {{
      ^bb0(%most: i8, %count: i32):
        accel.yield %most : i8
      }}"""
    with ir.Context(), ir.Location.unknown():
        module, values = in_loop(body, f"%a: {source}, %b: {result}")
        (op,) = ops_of(module.operation, ReduceOp)
        buffer = ir.MemRefType.parse(buffer_type or source)
        found = rows_of_reduce(op, op.inputs[0], buffer, values)
        return None if found is None else found.tolist()


def test_a_window_has_a_line_per_row() -> None:
    assert reduce_rows("y + k - 1", 3, kernel=3) == [
        [NO_ROW, 0, 1, 2],
        [0, 1, 2, NO_ROW],
        [1, 2, NO_ROW, NO_ROW],
    ]


def test_a_fixed_index_is_the_same_row() -> None:
    assert reduce_rows("3", 4) == [[3]]


def test_a_reshaped_buffer_has_the_rows_of_the_buffer() -> None:
    """Rows of 3 x 2 elements as 12 rows of 2: three of those are one of the buffer."""
    shown = reduce_rows("y * 3 + k", 12, kernel=3, buffer_type=f"memref<1x4x3x2xi8, {SPACE}>")
    assert shown is not None
    assert [sorted(set(column)) for column in zip(*shown, strict=True)] == [[0], [1], [2], [3]]


def test_a_large_domain_accesses_all_rows() -> None:
    assert reduce_rows("y + k", 5000, kernel=5000) is None


def test_a_view_of_every_other_row() -> None:
    source = f"memref<9x2xi8, {SPACE}>"
    view = f"memref<2x2xi8, strided<[4, 1], offset: ?>, {SPACE}>"
    body = f"%v = memref.subview %a[%t, 0] [2, 2] [2, 1] : {source} to {view}"
    with ir.Context(), ir.Location.unknown():
        module, values = in_loop(body, f"%a: {source}")
        (op,) = ops_of(module.operation, memref.SubViewOp)
        found = rows_of_view(op, values)
        assert found is not None
        assert found.tolist() == [[0, 1, 2, 3], [2, 3, 4, 5]]


def test_an_element_is_in_one_row() -> None:
    source = f"memref<2x3x2xi8, #memref_pool.rows<2>, {SPACE}>"
    with ir.Context(), ir.Location.unknown():
        body = f"%v = memref.load %b[%c1, %t, %c0] : {source.replace('#memref_pool.rows<2>, ', '')}"
        module, values = in_loop(body, f"%b: {source.replace('#memref_pool.rows<2>, ', '')}")
        (op,) = ops_of(module.operation, memref.LoadOp)
        found = rows_of_element(op.indices, ir.MemRefType.parse(source), values)
        assert found is not None
        assert found.tolist() == [[3, 4, 5, NO_ROW]]


@pytest.mark.parametrize(
    ("shape", "extents"),
    [
        ("1x4x8x3xi8", (1, 4)),
        ("1x1x8x3xi8", (1, 1, 8)),
        ("4x8xi8, #memref_pool.rows<1>", (4,)),
        ("2x4x8xi8, #memref_pool.rows<2>", (2, 4)),
        ("1x64xi8", ()),
        ("1x1xi8", ()),
    ],
)
def test_the_dimensions_that_index_rows(shape: str, extents: tuple[int, ...]) -> None:
    with ir.Context():
        type_ = ir.MemRefType.parse(f"memref<{shape}>")
        assert row_extents(type_) == extents
        assert row_count(type_) == int(np.prod(extents))
