"""The regions of an `accel.reduce` that adds products of bytes and requantises their sum."""

from __future__ import annotations


def rescaled_regions(offset: int, zero_point: int, limits: tuple[int, int]) -> str:
    """Return the text of the regions, for a bias, a multiplier and a shift as parameters.

    `offset` is added to the first factor, `zero_point` to the result, which has these limits.
    """
    low, high = limits
    return f"""
      init {{
      ^bb0(%b0: i32, %m0: i32, %s0: i8):
        accel.yield %b0 : i32
      }} body {{
      ^bb0(%acc: i32, %x0: i8, %w0: i8):
        %offset = arith.constant {offset} : i32
        %x1 = arith.extsi %x0 : i8 to i32
        %x2 = arith.addi %x1, %offset : i32
        %w1 = arith.extsi %w0 : i8 to i32
        %product = arith.muli %x2, %w1 : i32
        %sum = arith.addi %acc, %product : i32
        accel.yield %sum : i32
      }} finish {{
      ^bb0(%acc: i32, %count: i32, %b0: i32, %m0: i32, %s0: i8):
        %zero_point = arith.constant {zero_point} : i32
        %low = arith.constant {low} : i32
        %high = arith.constant {high} : i32
        %scaled = tosa.apply_scale %acc, %m0, %s0 {{rounding_mode = DOUBLE_ROUND}}
          : (i32, i32, i8) -> i32
        %moved = arith.addi %scaled, %zero_point : i32
        %raised = arith.maxsi %moved, %low : i32
        %limited = arith.minsi %raised, %high : i32
        %narrow = arith.trunci %limited : i32 to i8
        accel.yield %narrow : i8
      }}"""
