"""The engine's intrinsic, and the layers that the stage lowers to calls of it.

Images are `[blocks][height][width][16]`: channels in blocks of 16. Weights of a convolution are
`[output blocks][16 output channels][input blocks][kernel rows][kernel columns][16 input channels]`;
weights of a depthwise convolution are `[blocks][16][1][kernel rows][kernel columns][1]`. The table
holds 16 biases, 16 multipliers and 16 shifts for each output block.
"""

from forebay.api.target import Intrinsic, Operand
from forebay.targets.fetch_conv.times import Times

SCALARS = (
    *("x_blocks", "x_height", "x_width", "y_blocks", "y_height", "y_width"),
    *("kernel_height", "kernel_width", "stride_y", "stride_x", "top", "left", "depthwise"),
    *("x_zero_point", "y_zero_point", "low", "high"),
)

_REFERENCE = """
func.func @accel_conv2d(
    %x: memref<?xi8>, %w: memref<?xi8>, %table: memref<?xi32>, %y: memref<?xi8>,
    %x_blocks: i32, %x_height: i32, %x_width: i32, %y_blocks: i32, %y_height: i32, %y_width: i32,
    %kernel_height: i32, %kernel_width: i32, %stride_y: i32, %stride_x: i32,
    %top: i32, %left: i32, %depthwise: i32,
    %x_zero_point: i32, %y_zero_point: i32, %low: i32, %high: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c48 = arith.constant 48 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i64
  %thirty_one = arith.constant 31 : i64
  %up = arith.constant 1073741824 : i64
  %down = arith.constant -1073741824 : i64
  %in_blocks = arith.index_cast %x_blocks : i32 to index
  %rows = arith.index_cast %x_height : i32 to index
  %columns = arith.index_cast %x_width : i32 to index
  %out_blocks = arith.index_cast %y_blocks : i32 to index
  %out_rows = arith.index_cast %y_height : i32 to index
  %out_columns = arith.index_cast %y_width : i32 to index
  %k_rows = arith.index_cast %kernel_height : i32 to index
  %k_columns = arith.index_cast %kernel_width : i32 to index
  %step_y = arith.index_cast %stride_y : i32 to index
  %step_x = arith.index_cast %stride_x : i32 to index
  %above = arith.index_cast %top : i32 to index
  %before = arith.index_cast %left : i32 to index
  %is_depthwise = arith.cmpi ne, %depthwise, %zero : i32
  // A depthwise channel sees itself only: one block of inputs, one channel of it.
  %depth_blocks = arith.select %is_depthwise, %c1, %in_blocks : index
  %depth = arith.select %is_depthwise, %c1, %c16 : index
  %offset = arith.extsi %y_zero_point : i32 to i64
  %least = arith.extsi %low : i32 to i64
  %most = arith.extsi %high : i32 to i64

  scf.for %out_block = %c0 to %out_blocks step %c1 {
    %table_base = arith.muli %out_block, %c48 : index
    scf.for %row = %c0 to %out_rows step %c1 {
      // The rows of the window that are inside of the image; the rest would add nothing.
      %row_scaled = arith.muli %row, %step_y : index
      %first_row = arith.subi %row_scaled, %above : index
      %rows_outside = arith.subi %c0, %first_row : index
      %ky_from = arith.maxsi %rows_outside, %c0 : index
      %rows_left = arith.subi %rows, %first_row : index
      %ky_to = arith.minsi %rows_left, %k_rows : index
      scf.for %column = %c0 to %out_columns step %c1 {
        %column_scaled = arith.muli %column, %step_x : index
        %first_column = arith.subi %column_scaled, %before : index
        %columns_outside = arith.subi %c0, %first_column : index
        %kx_from = arith.maxsi %columns_outside, %c0 : index
        %columns_left = arith.subi %columns, %first_column : index
        %kx_to = arith.minsi %columns_left, %k_columns : index
        %out_block_rows = arith.muli %out_block, %out_rows : index
        %out_row = arith.addi %out_block_rows, %row : index
        %out_row_points = arith.muli %out_row, %out_columns : index
        %out_point = arith.addi %out_row_points, %column : index
        %out_base = arith.muli %out_point, %c16 : index
        scf.for %channel = %c0 to %c16 step %c1 {
          %out_block_channels = arith.muli %out_block, %c16 : index
          %out_channel = arith.addi %out_block_channels, %channel : index
          %bias_at = arith.addi %table_base, %channel : index
          %bias = memref.load %table[%bias_at] : memref<?xi32>
          %own_channel = arith.select %is_depthwise, %channel, %c0 : index
          %own_block = arith.select %is_depthwise, %out_block, %c0 : index
          %sum = scf.for %in_block = %c0 to %depth_blocks step %c1
              iter_args(%sum_blocks = %bias) -> (i32) {
            %x_block = arith.addi %own_block, %in_block : index
            %x_block_rows = arith.muli %x_block, %rows : index
            %w_channel_blocks = arith.muli %out_channel, %depth_blocks : index
            %w_block = arith.addi %w_channel_blocks, %in_block : index
            %w_block_rows = arith.muli %w_block, %k_rows : index
            %sum_block = scf.for %ky = %ky_from to %ky_to step %c1
                iter_args(%sum_rows = %sum_blocks) -> (i32) {
              %x_row_in_block = arith.addi %first_row, %ky : index
              %x_row = arith.addi %x_block_rows, %x_row_in_block : index
              %x_row_points = arith.muli %x_row, %columns : index
              %w_row = arith.addi %w_block_rows, %ky : index
              %w_row_points = arith.muli %w_row, %k_columns : index
              %sum_row = scf.for %kx = %kx_from to %kx_to step %c1
                  iter_args(%sum_columns = %sum_rows) -> (i32) {
                %x_column = arith.addi %first_column, %kx : index
                %x_point = arith.addi %x_row_points, %x_column : index
                %x_point_base = arith.muli %x_point, %c16 : index
                %x_base = arith.addi %x_point_base, %own_channel : index
                %w_point = arith.addi %w_row_points, %kx : index
                %w_base = arith.muli %w_point, %depth : index
                %sum_column = scf.for %k = %c0 to %depth step %c1
                    iter_args(%sum_channels = %sum_columns) -> (i32) {
                  %x_at = arith.addi %x_base, %k : index
                  %w_at = arith.addi %w_base, %k : index
                  %x_narrow = memref.load %x[%x_at] : memref<?xi8>
                  %w_narrow = memref.load %w[%w_at] : memref<?xi8>
                  %x_wide = arith.extsi %x_narrow : i8 to i32
                  %w_wide = arith.extsi %w_narrow : i8 to i32
                  %x_value = arith.subi %x_wide, %x_zero_point overflow<nsw> : i32
                  %product = arith.muli %x_value, %w_wide overflow<nsw> : i32
                  %next = arith.addi %sum_channels, %product overflow<nsw> : i32
                  scf.yield %next : i32
                }
                scf.yield %sum_column : i32
              }
              scf.yield %sum_row : i32
            }
            scf.yield %sum_block : i32
          }
          // TFLite's rounding: halves up at 31 bits, then halves away from zero.
          %multiplier_at = arith.addi %bias_at, %c16 : index
          %shift_at = arith.addi %multiplier_at, %c16 : index
          %multiplier = memref.load %table[%multiplier_at] : memref<?xi32>
          %shift_narrow = memref.load %table[%shift_at] : memref<?xi32>
          %shift = arith.extsi %shift_narrow : i32 to i64
          %sum_wide = arith.extsi %sum : i32 to i64
          %multiplier_wide = arith.extsi %multiplier : i32 to i64
          %scaled = arith.muli %sum_wide, %multiplier_wide overflow<nsw> : i64
          %shift_less = arith.subi %shift, %one : i64
          %half = arith.shli %one, %shift_less : i64
          %is_negative = arith.cmpi slt, %sum, %zero : i32
          %away = arith.select %is_negative, %down, %up : i64
          %twice = arith.addi %half, %away overflow<nsw> : i64
          %rounds_twice = arith.cmpi sgt, %shift, %thirty_one : i64
          %rounding = arith.select %rounds_twice, %twice, %half : i64
          %rounded = arith.addi %scaled, %rounding overflow<nsw> : i64
          %quotient = arith.shrsi %rounded, %shift : i64
          %moved = arith.addi %quotient, %offset overflow<nsw> : i64
          %at_least = arith.maxsi %moved, %least : i64
          %clamped = arith.minsi %at_least, %most : i64
          %narrow = arith.trunci %clamped : i64 to i8
          %out_at = arith.addi %out_base, %channel : index
          memref.store %narrow, %y[%out_at] : memref<?xi8>
        }
      }
    }
  }
  return
}
"""


def conv2d(times: Times, queue: str | None = None) -> Intrinsic:
    """Return the intrinsic of the engine, whose operands are all in the engine's memories."""
    return Intrinsic(
        "conv2d",
        "accel_conv2d",
        (
            Operand("x", "in", alignment=16),
            Operand("weights", "in", ("wei_mem",), alignment=16),
            Operand("table", "in", ("wei_mem",), alignment=16),
            Operand("y", "out", alignment=16),
        ),
        scalars=SCALARS,
        reference=_REFERENCE,
        pools={"all": "act_mem"},
        cycles=times.of_conv2d,
        queue=queue,
    )


def layers(weights: str) -> tuple[Intrinsic, Intrinsic]:
    """Return the layer intrinsics, which patterns call and the stage lowers to calls of the engine.

    The image of a `layer` comes from the engine and is in `act_mem` or `l2_mem`. The image of a
    `fetched_layer` comes from the host and is in `l2_mem`. `weights` is the pool of all weights.
    """
    anywhere = ("act_mem", "l2_mem")
    return _layer("layer", anywhere, weights), _layer("fetched_layer", ("l2_mem",), weights)


def _layer(name: str, x_pools: tuple[str, ...], weights: str) -> Intrinsic:
    return Intrinsic(
        name,
        f"accel_{name}",
        (
            Operand("x", "in", x_pools, alignment=16),
            Operand("weights", "in", (weights,), alignment=16),
            Operand("table", "in", (weights,), alignment=16),
            Operand("y", "out", ("act_mem", "l2_mem"), alignment=16),
        ),
        scalars=SCALARS,
        reference=_REFERENCE,
    )
