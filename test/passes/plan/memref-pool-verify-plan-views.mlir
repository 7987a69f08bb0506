// RUN: forebay-opt %s --memref-pool-verify-plan --split-input-file

// Views up to the last byte of their buffer.

#ws = #memref_pool.space<@ws>
memref_pool.pool @ws workspace certificate <planner = "hand", peak = 32, lower_bound = 16>

// The last tile is cut: of 6, 6 and 4; by a bound that is computed, too. What data decide is a part
// of its source by definition.
func.func @tiles(%n: index) {
  %c0 = arith.constant 0 : index
  %c6 = arith.constant 6 : index
  %c16 = arith.constant 16 : index
  %a = memref_pool.alloc at <@ws, 16> : memref<16xi8, #ws>
  scf.for %i = %c0 to %c16 step %c6 {
    %left = arith.subi %c16, %i : index
    %size = arith.minsi %left, %c6 : index
    %v = memref.subview %a[%i] [%size] [1] : memref<16xi8, #ws> to memref<?xi8, strided<[1], offset: ?>, #ws>
  }
  %any = memref.subview %a[%n] [4] [1] : memref<16xi8, #ws> to memref<4xi8, strided<[1], offset: ?>, #ws>
  %end = arith.minsi %n, %c16 : index
  scf.for %i = %c0 to %end step %c6 {
    %size = affine.min affine_map<(d0)[s0] -> (6, -d0 + s0)>(%i)[%end]
    %v = memref.subview %a[%i] [%size] [1] : memref<16xi8, #ws> to memref<?xi8, strided<[1], offset: ?>, #ws>
    %at = affine.apply affine_map<(d0) -> ((d0 floordiv 6) * 5)>(%i)
    %w = memref.subview %a[%at] [6] [1] : memref<16xi8, #ws> to memref<6xi8, strided<[1], offset: ?>, #ws>
  }
  return
}

// -----

#ws = #memref_pool.space<@ws>
memref_pool.pool @ws workspace certificate <planner = "hand", peak = 1, lower_bound = 1>

// One element has no dimensions, or any number of them.
func.func @one_element() {
  %a = memref_pool.alloc at <@ws, 0> : memref<i8, #ws>
  %v = memref.expand_shape %a [] output_shape [1, 1] : memref<i8, #ws> into memref<1x1xi8, #ws>
  %w = memref.collapse_shape %v [] : memref<1x1xi8, #ws> into memref<i8, #ws>
  return
}

// -----

#ws = #memref_pool.space<@ws>
accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @ws workspace certificate <planner = "hand", peak = 64, lower_bound = 64>
accel.intrinsic @npu.op on @npu symbol "npu_op" operands [#accel.operand<name = "x", access = inout, pools = [@ws], align = 16>] scalars []

// A slot that alternates, a table of rows, a loop that does not run: aligned and inside.
func.func private @use(%a: memref<64xi8, #ws>, %at: index) {
  %v = memref.view %a[%at][] : memref<64xi8, #ws> to memref<32xi8, #ws>
  accel.call @npu.op outs(%v : memref<32xi8, #ws>) accumulate [0]
  return
}
func.func @slots(%n: index, %table: memref<4xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c99 = arith.constant 99 : index
  %a = memref_pool.alloc at <@ws, 0> : memref<64xi8, #ws>
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%slot = %c0) -> (index) {
    %at = arith.muli %slot, %c32 : index
    func.call @use(%a, %at) : (memref<64xi8, #ws>, index) -> ()
    %next = arith.addi %slot, %c1 : index
    %other = arith.remui %next, %c2 : index
    scf.yield %other : index
  }
  %e = memref.load %table[%c1] : memref<4xi8>
  %row = arith.index_castui %e : i8 to index
  %bounded = arith.minui %row, %c2 : index
  %at = arith.muli %bounded, %c16 : index
  func.call @use(%a, %at) : (memref<64xi8, #ws>, index) -> ()
  scf.for %i = %c1 to %c0 step %c1 {
    func.call @use(%a, %c99) : (memref<64xi8, #ws>, index) -> ()
  }
  return
}

// -----

#ws = #memref_pool.space<@ws>
memref_pool.pool @ws workspace certificate <planner = "hand", peak = 64, lower_bound = 64>

// Every view there is, up to the last byte; nothing of an empty one is anywhere.
func.func @all(%shape: memref<1xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c48 = arith.constant 48 : index
  %a = memref_pool.alloc at <@ws, 0> : memref<4x16xi8, #ws>
  %flat = memref.collapse_shape %a [[0, 1]] : memref<4x16xi8, #ws> into memref<64xi8, #ws>
  %w = memref.view %flat[%c48][] : memref<64xi8, #ws> to memref<4xi32, #ws>
  %t = memref.transpose %a (i, j) -> (j, i) : memref<4x16xi8, #ws> to memref<16x4xi8, strided<[1, 16]>, #ws>
  %p = memref.subview %t[8, 3] [8, 1] [1, 1] : memref<16x4xi8, strided<[1, 16]>, #ws> to memref<8xi8, strided<[1], offset: 56>, #ws>
  %e = memref.expand_shape %p [[0, 1]] output_shape [2, 4] : memref<8xi8, strided<[1], offset: 56>, #ws> into memref<2x4xi8, strided<[4, 1], offset: 56>, #ws>
  %base, %offset, %sizes:2, %strides:2 = memref.extract_strided_metadata %e : memref<2x4xi8, strided<[4, 1], offset: 56>, #ws> -> memref<i8, #ws>, index, index, index, index, index
  %again = memref.reinterpret_cast %base to offset: [%offset], sizes: [%sizes#0, %sizes#1], strides: [%strides#0, %strides#1] : memref<i8, #ws> to memref<?x?xi8, strided<[?, ?], offset: ?>, #ws>
  %d = memref.cast %a : memref<4x16xi8, #ws> to memref<?x?xi8, #ws>
  %rows = memref.dim %d, %c0 : memref<?x?xi8, #ws>
  %below = arith.subi %rows, %c1 : index
  %lowest = memref.subview %a[%below, 0] [1, 16] [1, 1] : memref<4x16xi8, #ws> to memref<1x16xi8, strided<[16, 1], offset: ?>, #ws>
  %back = memref.cast %d : memref<?x?xi8, #ws> to memref<4x16xi8, #ws>
  %r = memref.reshape %a(%shape) : (memref<4x16xi8, #ws>, memref<1xindex>) -> memref<64xi8, #ws>
  %high = memref.assume_alignment %w, 16 : memref<4xi32, #ws>
  %none = memref.reinterpret_cast %flat to offset: [99], sizes: [0], strides: [1] : memref<64xi8, #ws> to memref<0xi8, strided<[1], offset: 99>, #ws>
  %backwards = memref.reinterpret_cast %flat to offset: [63], sizes: [64], strides: [-1] : memref<64xi8, #ws> to memref<64xi8, strided<[-1], offset: 63>, #ws>
  return
}

// -----

#ws = #memref_pool.space<@ws>
memref_pool.pool @ws workspace certificate <planner = "hand", peak = 32, lower_bound = 32>

// A loop that goes on where another one may have ended: its counter is below its end in any case.
func.func @rest(%go: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c16 = arith.constant 16 : index
  %a = memref_pool.alloc at <@ws, 0> : memref<32xi8, #ws>
  scf.for %end = %c0 to %c3 step %c2 {
    %from = arith.select %go, %end, %c0 : index
    scf.for %i = %from to %end step %c1 {
      %at = arith.muli %i, %c16 : index
      %v = memref.subview %a[%at] [16] [1] : memref<32xi8, #ws> to memref<16xi8, strided<[1], offset: ?>, #ws>
    }
  }
  return
}

// -----

#ws = #memref_pool.space<@ws>
memref_pool.pool @ws workspace certificate <planner = "hand", peak = 72, lower_bound = 56>

// Column 0 and columns 5 and 6 of 7, whose windows of 3 columns are cut at the borders: begin and end of a window, and where it
// is, depend on the same choice.
func.func @columns_before_and_behind() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %a = memref_pool.alloc at <@ws, 16> : memref<7x8xi8, #ws>
  scf.for %i = %c0 to %c3 step %c1 {
    %is_before = arith.cmpi slt, %i, %c1 : index
    %behind = arith.addi %i, %c4 : index
    %x = arith.select %is_before, %i, %behind : index
    %left = arith.subi %c1, %x : index
    %begin = arith.maxsi %left, %c0 : index
    %right = arith.subi %c8, %x : index
    %end = arith.minsi %right, %c3 : index
    scf.for %k = %begin to %end step %c1 {
      %first = arith.subi %x, %c1 : index
      %column = arith.addi %first, %k : index
      %v = memref.subview %a[%column, 0] [1, 8] [1, 1] : memref<7x8xi8, #ws> to memref<1x8xi8, strided<[8, 1], offset: ?>, #ws>
    }
  }
  return
}
