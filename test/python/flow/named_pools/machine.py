"""A host and accelerators with pools of their own, as modules in which only details differ.

The machine fetches an image from `l2_mem` into `act_mem`, adding a border, and convolves there with
weights in `wei_mem`; both are intrinsics whose operands say where they must be.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

SHIFT = 6


@dataclass(frozen=True)
class Machine:
    """What differs: names, capacities, rights, and where an operand must be (None: by right)."""

    host: str = "cpu"
    device: str = "accel"
    l2_mem: str = "l2_mem"
    act_mem: str = "act_mem"
    wei_mem: str = "wei_mem"
    act_capacity: int | None = None
    device_reaches_l2: bool = False
    conv_target: str | None = "act_mem"
    base: int | None = None
    others: tuple[str, ...] = field(default=())

    def text(self) -> str:
        """The devices, pools and intrinsics."""
        both = f"[@{self.host}, @{self.device}]"
        l2_mem = both if self.device_reaches_l2 else f"[@{self.host}]"
        capacity = "" if self.act_capacity is None else f"capacity {self.act_capacity} "
        target = "" if self.conv_target is None else f", pools = [@{self.act_mem}]"
        base = "" if self.base is None else f" base {self.base}"
        return f"""
accel.device @{self.host} kind "cpu" host
accel.device @{self.device} kind "conv"{base}
memref_pool.pool @{self.l2_mem} workspace read {l2_mem} write {l2_mem}
memref_pool.pool @{self.act_mem} workspace {capacity}read {both} write {both}
memref_pool.pool @{self.wei_mem} constant read [@{self.device}]
{self.intrinsics(target)}
"""

    def intrinsics(self, target: str) -> str:
        """What the device offers."""
        return f"""
accel.intrinsic @{self.device}.input_fetcher on @{self.device} symbol "accel_input_fetcher"
  operands [#accel.operand<name = "source", access = in, pools = [@{self.l2_mem}], align = 16>,
            #accel.operand<name = "target", access = out, pools = [@{self.act_mem}], align = 16>]
  scalars ["height", "width", "channels"] {{
{FETCH}

accel.intrinsic @{self.device}.conv2d on @{self.device} symbol "accel_conv2d"
  operands [#accel.operand<name = "x", access = in, pools = [@{self.act_mem}], align = 16>,
            #accel.operand<name = "weights", access = in, pools = [@{self.wei_mem}], align = 16>,
            #accel.operand<name = "y", access = out{target}, align = 16>]
  scalars ["height", "width", "channels_in", "channels_out"] {{
{CONV}
"""


FETCH = """^bb0(%source: memref<?xi8>, %target: memref<?xi8>,
     %height: i32, %width: i32, %channels: i32):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0 : i8
  %h = arith.index_cast %height : i32 to index
  %w = arith.index_cast %width : i32 to index
  %c = arith.index_cast %channels : i32 to index
  %ph = arith.addi %h, %c2 : index
  %pw = arith.addi %w, %c2 : index
  %row = arith.muli %pw, %c : index
  %total = arith.muli %ph, %row : index
  scf.for %i = %c0 to %total step %c1 {
    memref.store %zero, %target[%i] : memref<?xi8>
  }
  scf.for %y = %c0 to %h step %c1 {
    scf.for %x = %c0 to %w step %c1 {
      scf.for %k = %c0 to %c step %c1 {
        %yw = arith.muli %y, %w : index
        %at = arith.addi %yw, %x : index
        %atc = arith.muli %at, %c : index
        %from = arith.addi %atc, %k : index
        %v = memref.load %source[%from] : memref<?xi8>
        %y1 = arith.addi %y, %c1 : index
        %x1 = arith.addi %x, %c1 : index
        %y1w = arith.muli %y1, %pw : index
        %to0 = arith.addi %y1w, %x1 : index
        %to1 = arith.muli %to0, %c : index
        %to = arith.addi %to1, %k : index
        memref.store %v, %target[%to] : memref<?xi8>
      }
    }
  }
  accel.yield
}
"""

CONV = """^bb0(%x: memref<?xi8>, %weights: memref<?xi8>, %y: memref<?xi8>,
     %height: i32, %width: i32, %channels_in: i32, %channels_out: i32):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0 : i32
  %shift = arith.constant 6 : i32
  %low = arith.constant -128 : i32
  %high = arith.constant 127 : i32
  %h = arith.index_cast %height : i32 to index
  %w = arith.index_cast %width : i32 to index
  %ci = arith.index_cast %channels_in : i32 to index
  %co = arith.index_cast %channels_out : i32 to index
  %pw = arith.addi %w, %c2 : index
  scf.for %oy = %c0 to %h step %c1 {
    scf.for %ox = %c0 to %w step %c1 {
      scf.for %o = %c0 to %co step %c1 {
        %sum = scf.for %ky = %c0 to %c3 step %c1 iter_args(%a0 = %zero) -> (i32) {
          %a1 = scf.for %kx = %c0 to %c3 step %c1 iter_args(%b0 = %a0) -> (i32) {
            %b1 = scf.for %k = %c0 to %ci step %c1 iter_args(%s = %b0) -> (i32) {
              %iy = arith.addi %oy, %ky : index
              %ix = arith.addi %ox, %kx : index
              %i0 = arith.muli %iy, %pw : index
              %i1 = arith.addi %i0, %ix : index
              %i2 = arith.muli %i1, %ci : index
              %i3 = arith.addi %i2, %k : index
              %xv = memref.load %x[%i3] : memref<?xi8>
              %w0 = arith.muli %o, %c3 : index
              %w1 = arith.addi %w0, %ky : index
              %w2 = arith.muli %w1, %c3 : index
              %w3 = arith.addi %w2, %kx : index
              %w4 = arith.muli %w3, %ci : index
              %w5 = arith.addi %w4, %k : index
              %wv = memref.load %weights[%w5] : memref<?xi8>
              %xe = arith.extsi %xv : i8 to i32
              %we = arith.extsi %wv : i8 to i32
              %p = arith.muli %xe, %we : i32
              %n = arith.addi %s, %p : i32
              scf.yield %n : i32
            }
            scf.yield %b1 : i32
          }
          scf.yield %a1 : i32
        }
        %scaled = arith.shrsi %sum, %shift : i32
        %atleast = arith.maxsi %scaled, %low : i32
        %clamped = arith.minsi %atleast, %high : i32
        %narrow = arith.trunci %clamped : i32 to i8
        %o0 = arith.muli %oy, %w : index
        %o1 = arith.addi %o0, %ox : index
        %o2 = arith.muli %o1, %co : index
        %o3 = arith.addi %o2, %o : index
        memref.store %narrow, %y[%o3] : memref<?xi8>
      }
    }
  }
  accel.yield
}
"""


def border(image: NDArray[np.int8]) -> NDArray[np.int8]:
    """The image, height x width x channels, with a border of zeros."""
    return np.pad(image, ((1, 1), (1, 1), (0, 0)))


def convolve(image: NDArray[np.int8], weights: NDArray[np.int8]) -> NDArray[np.int8]:
    """Valid convolution of height x width x in with out x 3 x 3 x in, shifted and clamped."""
    height, width, _ = image.shape
    total = np.zeros((height - 2, width - 2, weights.shape[0]), np.int64)
    for dy in range(3):
        for dx in range(3):
            window = image[dy : dy + height - 2, dx : dx + width - 2].astype(np.int64)
            total += window @ weights[:, dy, dx].astype(np.int64).T
    return np.clip(total >> SHIFT, -128, 127).astype(np.int8)


def dense(values: NDArray[np.int8]) -> str:
    """The elements of a constant."""
    return f'dense<"0x{values.tobytes().hex().upper()}">'
