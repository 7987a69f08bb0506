"""What a function takes for rows of several buffers."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from mlir import ir
from mlir.dialects import func

import forebay  # noqa: F401
from forebay.ir.nested import ops_of
from forebay.ir.problem.planned_values import NamedRows
from forebay.ir.problem.row_placement import RowPlacement
from forebay.ir.rows.row_offsets import OffsetTable
from forebay.lowering.rows.shared_rows import SharedRows, shared_rows_in

TEXT = """
!rows = memref<3x8xi8, #memref_pool.rows<1>>
func.func @f(%n: index, %x: !rows, %y: !rows) {
  %0 = memref_pool.row %y[INDEX] : !rows to memref<8xi8>
  %1 = memref_pool.row %y[2] : !rows to memref<8xi8>
  return
}
"""


def shared(index: str, *buffers: Sequence[int]) -> dict[int, SharedRows]:
    """The shared arguments of a function whose last argument is rows of these buffers."""
    named = [NamedRows(RowPlacement("ws", tuple(b)), f"b{n}") for n, b in enumerate(buffers)]
    with ir.Context():
        module = ir.Module.parse(TEXT.replace("INDEX", index))
        (function,) = ops_of(module.operation, func.FuncOp)
        _, x, y = function.arguments
        return shared_rows_in(function, {x: named[:1], y: named})


def test_rows_of_one_buffer_are_not_shared() -> None:
    assert shared("%n", [0, 8, 16]) == {}


def test_a_number_that_varies_needs_tables_of_one_unit() -> None:
    tables = {"b0": OffsetTable((0, 4, 8), 2, 16), "b1": OffsetTable((0, 4, 20000), 2, 16)}
    (only,) = shared("%n", [0, 8, 16], [0, 8, 40000]).items()
    assert only == (2, SharedRows(0, tables))
    assert only[1].unit == 2
    with ir.Context(), ir.Location.unknown():
        assert str(only[1].type) == "memref<3xi16>"


@pytest.mark.parametrize(("last", "has_table"), [(16, False), (24, True)])
def test_constant_rows_at_equal_places_need_no_table(last: int, has_table: bool) -> None:
    (found,) = shared("1", [0, 8, 16], [32, 8, last]).values()
    assert bool(found.tables) == has_table


def test_equal_places_need_no_table() -> None:
    found = shared("%n", [0, 8, 16], [0, 8, 16])
    assert found == {2: SharedRows(0, {})}
    assert found[2].type is None
