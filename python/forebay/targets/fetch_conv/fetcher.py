"""The input fetcher: copies a window of an image from `l2_mem` to `act_mem`, with a border."""

from forebay.api.target import Intrinsic, Operand
from forebay.targets.fetch_conv.times import Times

_REFERENCE = """
func.func @accel_input_fetcher(
    %x: memref<?xi8>, %y: memref<?xi8>, %blocks: i32, %height: i32, %width: i32,
    %row: i32, %rows: i32, %column: i32, %columns: i32,
    %top: i32, %bottom: i32, %left: i32, %right: i32, %zero_point: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %n_blocks = arith.index_cast %blocks : i32 to index
  %x_rows = arith.index_cast %height : i32 to index
  %x_columns = arith.index_cast %width : i32 to index
  %first_row = arith.index_cast %row : i32 to index
  %n_rows = arith.index_cast %rows : i32 to index
  %first_column = arith.index_cast %column : i32 to index
  %n_columns = arith.index_cast %columns : i32 to index
  %above = arith.index_cast %top : i32 to index
  %below = arith.index_cast %bottom : i32 to index
  %before = arith.index_cast %left : i32 to index
  %after = arith.index_cast %right : i32 to index
  %border = arith.trunci %zero_point : i32 to i8

  %columns_before = arith.addi %n_columns, %before : index
  %y_columns = arith.addi %columns_before, %after : index
  %rows_above = arith.addi %n_rows, %above : index
  %y_rows = arith.addi %rows_above, %below : index
  %y_area = arith.muli %y_rows, %y_columns : index
  %y_points = arith.muli %n_blocks, %y_area : index
  %y_bytes = arith.muli %y_points, %c16 : index
  scf.for %i = %c0 to %y_bytes step %c1 {
    memref.store %border, %y[%i] : memref<?xi8>
  }

  %row_bytes = arith.muli %n_columns, %c16 : index
  scf.for %block = %c0 to %n_blocks step %c1 {
    scf.for %line = %c0 to %n_rows step %c1 {
      %x_block = arith.muli %block, %x_rows : index
      %x_row_in_block = arith.addi %line, %first_row : index
      %x_row = arith.addi %x_block, %x_row_in_block : index
      %x_row_point = arith.muli %x_row, %x_columns : index
      %x_point = arith.addi %x_row_point, %first_column : index
      %x_base = arith.muli %x_point, %c16 : index
      %y_block = arith.muli %block, %y_rows : index
      %y_row_in_block = arith.addi %line, %above : index
      %y_row = arith.addi %y_block, %y_row_in_block : index
      %y_row_point = arith.muli %y_row, %y_columns : index
      %y_point = arith.addi %y_row_point, %before : index
      %y_base = arith.muli %y_point, %c16 : index
      scf.for %i = %c0 to %row_bytes step %c1 {
        %from = arith.addi %x_base, %i : index
        %to = arith.addi %y_base, %i : index
        %value = memref.load %x[%from] : memref<?xi8>
        memref.store %value, %y[%to] : memref<?xi8>
      }
    }
  }
  return
}
"""


def input_fetcher(times: Times, queue: str | None = None) -> Intrinsic:
    """Return the intrinsic that copies a window of every block.

    The window is rows `[row, row + rows)` and columns `[column, column + columns)`. The border of
    `top`, `bottom`, `left` and `right` rows or columns is filled with `zero_point`.
    """
    return Intrinsic(
        "input_fetcher",
        "accel_input_fetcher",
        (
            Operand("x", "in", ("l2_mem",), alignment=16),
            Operand("y", "out", ("act_mem",), alignment=16),
        ),
        scalars=(
            *("blocks", "height", "width", "row", "rows", "column", "columns"),
            *("top", "bottom", "left", "right", "zero_point"),
        ),
        reference=_REFERENCE,
        cycles=times.of_fetcher,
        queue=queue,
    )
