// RUN: forebay-opt %s --memref-pool-verify-plan --split-input-file --verify-diagnostics

// Views that leave their buffer, whatever makes them, and views at wrong addresses.

#ws = #memref_pool.space<@ws>
memref_pool.pool @ws workspace certificate <planner = "hand", peak = 32, lower_bound = 16>

func.func @main() {
  // expected-note@+1 {{'buffer' is declared here}}
  %a = memref_pool.alloc at <@ws, 16> : memref<16xi8, #ws>
  %c8 = arith.constant 8 : index
  // expected-error@+1 {{'memref.view' shows bytes [24, 40) of pool @ws, but buffer 'buffer' is at [16, 32)}}
  %v = memref.view %a[%c8][] : memref<16xi8, #ws> to memref<16xi8, #ws>
  return
}

// -----

#ws = #memref_pool.space<@ws>
memref_pool.pool @ws workspace certificate <planner = "hand", peak = 32, lower_bound = 16>

func.func @main() {
  // expected-note@+1 {{'buffer' is declared here}}
  %a = memref_pool.alloc at <@ws, 16> : memref<16xi8, #ws>
  // expected-error@+1 {{'memref.reinterpret_cast' shows bytes [16, 48) of pool @ws, but buffer 'buffer' is at [16, 32)}}
  %v = memref.reinterpret_cast %a to offset: [0], sizes: [32], strides: [1] : memref<16xi8, #ws> to memref<32xi8, strided<[1]>, #ws>
  return
}

// -----

#ws = #memref_pool.space<@ws>
memref_pool.pool @ws workspace certificate <planner = "hand", peak = 32, lower_bound = 16>

// Seven strides of 3 and an element: 22 bytes.
func.func @main() {
  // expected-note@+1 {{'buffer' is declared here}}
  %a = memref_pool.alloc at <@ws, 16> : memref<16xi8, #ws>
  // expected-error@+1 {{'memref.reinterpret_cast' shows bytes [16, 38) of pool @ws, but buffer 'buffer' is at [16, 32)}}
  %v = memref.reinterpret_cast %a to offset: [0], sizes: [8], strides: [3] : memref<16xi8, #ws> to memref<8xi8, strided<[3]>, #ws>
  return
}

// -----

#ws = #memref_pool.space<@ws>
memref_pool.pool @ws workspace certificate <planner = "hand", peak = 32, lower_bound = 16>

// The fifth of four tiles.
func.func @main() {
  // expected-note@+1 {{'buffer' is declared here}}
  %a = memref_pool.alloc at <@ws, 16> : memref<16xi8, #ws>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  scf.for %i = %c0 to %c5 step %c1 {
    %c4 = arith.constant 4 : index
    %at = arith.muli %i, %c4 : index
    // expected-error@+1 {{'memref.subview' may show bytes [16, 36) of pool @ws, but buffer 'buffer' is at [16, 32)}}
    %v = memref.subview %a[%at] [4] [1] : memref<16xi8, #ws> to memref<4xi8, strided<[1], offset: ?>, #ws>
  }
  return
}

// -----

#ws = #memref_pool.space<@ws>
memref_pool.pool @ws workspace certificate <planner = "hand", peak = 32, lower_bound = 16>

// The last tile of 6 is only 4: nobody has cut it.
func.func @main() {
  // expected-note@+1 {{'buffer' is declared here}}
  %a = memref_pool.alloc at <@ws, 16> : memref<16xi8, #ws>
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c6 = arith.constant 6 : index
  scf.for %i = %c0 to %c16 step %c6 {
    // expected-error@+1 {{'memref.subview' may show bytes [16, 34) of pool @ws, but buffer 'buffer' is at [16, 32)}}
    %v = memref.subview %a[%i] [6] [1] : memref<16xi8, #ws> to memref<6xi8, strided<[1], offset: ?>, #ws>
  }
  return
}

// -----

#ws = #memref_pool.space<@ws>
memref_pool.pool @ws workspace certificate <planner = "hand", peak = 32, lower_bound = 16>

func.func @main(%i: index) {
  %a = memref_pool.alloc at <@ws, 16> : memref<16xi8, #ws>
  // expected-error@+1 {{it is unknown which bytes of buffer 'buffer' at [16, 32) of pool @ws 'memref.view' shows; bound its offsets and sizes by loops of constant bounds, arith.minsi or arith.maxsi}}
  %v = memref.view %a[%i][] : memref<16xi8, #ws> to memref<4xi8, #ws>
  return
}

// -----

#ws = #memref_pool.space<@ws>
memref_pool.pool @ws workspace certificate <planner = "hand", peak = 32, lower_bound = 16>

func.func @main() {
  // expected-note@+1 {{'buffer' is declared here}}
  %a = memref_pool.alloc at <@ws, 16> : memref<16xi8, #ws>
  %d = memref.cast %a : memref<16xi8, #ws> to memref<?xi8, #ws>
  // expected-error@+1 {{'memref.cast' shows bytes [16, 33) of pool @ws, but buffer 'buffer' is at [16, 32)}}
  %v = memref.cast %d : memref<?xi8, #ws> to memref<17xi8, #ws>
  return
}

// -----

#ws = #memref_pool.space<@ws>
memref_pool.pool @ws workspace certificate <planner = "hand", peak = 32, lower_bound = 16>

func.func @main() {
  // expected-note@+1 {{'buffer' is declared here}}
  %a = memref_pool.alloc at <@ws, 16> : memref<16xi8, #ws>
  %base, %offset, %size, %stride = memref.extract_strided_metadata %a : memref<16xi8, #ws> -> memref<i8, #ws>, index, index, index
  %c1 = arith.constant 1 : index
  %more = arith.addi %size, %c1 : index
  // expected-error@+1 {{'memref.reinterpret_cast' shows bytes [16, 33) of pool @ws, but buffer 'buffer' is at [16, 32)}}
  %v = memref.reinterpret_cast %base to offset: [%offset], sizes: [%more], strides: [%stride] : memref<i8, #ws> to memref<?xi8, strided<[?], offset: ?>, #ws>
  return
}

// -----

#ws = #memref_pool.space<@ws>
memref_pool.pool @ws workspace certificate <planner = "hand", peak = 32, lower_bound = 16>

// Through a transposition, a part and a new dimension: columns 3 and 4 of four.
func.func @main() {
  %x = arith.constant 1 : i8
  // expected-note@+1 {{'buffer' is declared here}}
  %a = memref_pool.alloc at <@ws, 16> : memref<4x4xi8, #ws>
  %t = memref.transpose %a (i, j) -> (j, i) : memref<4x4xi8, #ws> to memref<4x4xi8, strided<[1, 4]>, #ws>
  %p = memref.subview %t[2, 0] [2, 4] [1, 1] : memref<4x4xi8, strided<[1, 4]>, #ws> to memref<2x4xi8, strided<[1, 4], offset: 2>, #ws>
  %e = memref.expand_shape %p [[0, 1], [2]] output_shape [1, 2, 4] : memref<2x4xi8, strided<[1, 4], offset: 2>, #ws> into memref<1x2x4xi8, strided<[2, 1, 4], offset: 2>, #ws>
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{'memref.subview' shows bytes [19, 33) of pool @ws, but buffer 'buffer' is at [16, 32)}}
  %v = memref.subview %e[0, %c1, 0] [1, 2, 4] [1, 1, 1] : memref<1x2x4xi8, strided<[2, 1, 4], offset: 2>, #ws> to memref<1x2x4xi8, strided<[2, 1, 4], offset: ?>, #ws>
  return
}

// -----

func.func @main(%x: memref<16xi8>) {
  // expected-error@+1 {{'memref.reinterpret_cast' shows bytes [0, 32) of memory of the caller, which has 16}}
  %v = memref.reinterpret_cast %x to offset: [0], sizes: [32], strides: [1] : memref<16xi8> to memref<32xi8, strided<[1]>>
  return
}

// -----

#state = #memref_pool.space<@state>
memref_pool.pool @state state certificate <planner = "hand", peak = 16, lower_bound = 16>
// expected-note@+1 {{'s' is declared here}}
memref.global "private" @s : memref<16xi8, #state> = dense<3> {memref_pool.placement = #memref_pool.placement<@state, 0>}
func.func @main() {
  %s = memref.get_global @s : memref<16xi8, #state>
  // expected-error@+1 {{'memref.reinterpret_cast' shows bytes [0, 64) of pool @state, but buffer 's' is at [0, 16)}}
  %v = memref.reinterpret_cast %s to offset: [0], sizes: [64], strides: [1] : memref<16xi8, #state> to memref<64xi8, strided<[1]>, #state>
  return
}

// -----

#ws = #memref_pool.space<@ws>
memref_pool.pool @ws workspace certificate <planner = "hand", peak = 32, lower_bound = 16>

func.func private @callee(%p: memref<16xi8, #ws>) {
  %back = arith.constant -1 : index
  // expected-error@+1 {{'memref.reinterpret_cast' shows bytes [15, 31) of pool @ws, but buffer 'buffer' is at [16, 32)}}
  %v = memref.reinterpret_cast %p to offset: [%back], sizes: [16], strides: [1] : memref<16xi8, #ws> to memref<16xi8, strided<[1], offset: ?>, #ws>
  return
}
func.func @main() {
  // expected-note@+1 {{'buffer' is declared here}}
  %a = memref_pool.alloc at <@ws, 16> : memref<16xi8, #ws>
  %x = arith.constant 3 : i8
  func.call @callee(%a) : (memref<16xi8, #ws>) -> ()
  return
}

// -----

#ws = #memref_pool.space<@ws>
memref_pool.pool @ws workspace certificate <planner = "hand", peak = 32, lower_bound = 16>

func.func @main() {
  // expected-note@+1 {{'buffer' is declared here}}
  %a = memref_pool.alloc at <@ws, 16> : memref<16xi8, #ws>
  %c2 = arith.constant 2 : index
  // expected-error@+1 {{what 'memref.view' shows begins at byte 18 of pool @ws, which is not a multiple of 4}}
  %v = memref.view %a[%c2][] : memref<16xi8, #ws> to memref<3xi32, #ws>
  return
}

// -----

#ws = #memref_pool.space<@ws>
memref_pool.pool @ws workspace certificate <planner = "hand", peak = 32, lower_bound = 16>

func.func @main() {
  // expected-note@+1 {{'buffer' is declared here}}
  %a = memref_pool.alloc at <@ws, 16> : memref<16xi8, #ws>
  %v = memref.reinterpret_cast %a to offset: [4], sizes: [12], strides: [1] : memref<16xi8, #ws> to memref<12xi8, strided<[1], offset: 4>, #ws>
  // expected-error@+1 {{what is assumed to be aligned begins at byte 20 of pool @ws, which is not a multiple of 8}}
  %w = memref.assume_alignment %v, 8 : memref<12xi8, strided<[1], offset: 4>, #ws>
  return
}

// -----

#ws = #memref_pool.space<@ws>
accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @ws workspace certificate <planner = "hand", peak = 64, lower_bound = 0>
accel.intrinsic @npu.op on @npu symbol "npu_op" operands [#accel.operand<name = "x", access = inout, pools = [@ws], align = 16>] scalars []
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %a = memref_pool.alloc at <@ws, 0> : memref<64xi8, #ws>
  scf.for %i = %c0 to %c5 step %c1 {
    %c8 = arith.constant 8 : index
    %at = arith.muli %i, %c8 : index
    %v = memref.view %a[%at][] : memref<64xi8, #ws> to memref<32xi8, #ws>
    // expected-error@+1 {{operand "x" of @npu.op begins at an offset that is known at run time only, so its alignment to 16 cannot be checked}}
    accel.call @npu.op outs(%v : memref<32xi8, #ws>) accumulate [0]
  }
  return
}

// -----

#ws = #memref_pool.space<@ws>
memref_pool.pool @ws workspace certificate <planner = "hand", peak = 72, lower_bound = 56>

// Columns 0, 5 and 6 of 7: the window of the last one ends a column too late.
func.func @columns_before_and_behind() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c9 = arith.constant 9 : index
  // expected-note @+1 {{'buffer' is declared here}}
  %a = memref_pool.alloc at <@ws, 16> : memref<7x8xi8, #ws>
  scf.for %i = %c0 to %c3 step %c1 {
    %is_before = arith.cmpi slt, %i, %c1 : index
    %behind = arith.addi %i, %c4 : index
    %x = arith.select %is_before, %i, %behind : index
    %left = arith.subi %c1, %x : index
    %begin = arith.maxsi %left, %c0 : index
    %right = arith.subi %c9, %x : index
    %end = arith.minsi %right, %c3 : index
    scf.for %k = %begin to %end step %c1 {
      %first = arith.subi %x, %c1 : index
      %column = arith.addi %first, %k : index
      // expected-error @+1 {{'memref.subview' may show bytes [16, 80) of pool @ws, but buffer 'buffer' is at [16, 72)}}
      %v = memref.subview %a[%column, 0] [1, 8] [1, 1] : memref<7x8xi8, #ws> to memref<1x8xi8, strided<[8, 1], offset: ?>, #ws>
    }
  }
  return
}
