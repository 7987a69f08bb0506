// RUN: forebay-opt %s --memref-pool-verify-plan --split-input-file --verify-diagnostics

// A position that is loaded from state is not trusted: views at it have to be in their buffers, whatever is in memory.

#kept = #memref_pool.space<@kept>
memref_pool.pool @kept state certificate <planner = "hand", peak = 20, lower_bound = 20>
memref.global "private" @s : memref<2x8xi8, #kept> {memref_pool.placement = #memref_pool.placement<@kept, 0>}
memref.global "private" @position : memref<1xi32, #kept> {memref_pool.placement = #memref_pool.placement<@kept, 16>}

func.func @a_remainder() {
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : i32
  %s = memref.get_global @s : memref<2x8xi8, #kept>
  %position = memref.get_global @position : memref<1xi32, #kept>
  %stored = memref.load %position[%c0] {memref_pool.position} : memref<1xi32, #kept>
  %p = arith.remui %stored, %c8 : i32
  %new = arith.index_cast %p : i32 to index
  %column = memref.subview %s[0, %new] [2, 1] [1, 1] : memref<2x8xi8, #kept> to memref<2x1xi8, strided<[8, 1], offset: ?>, #kept>
  %last = arith.subi %c7, %new : index
  %other = memref.subview %s[0, %last] [2, 1] [1, 1] : memref<2x8xi8, #kept> to memref<2x1xi8, strided<[8, 1], offset: ?>, #kept>
  return
}

func.func @data() {
  %c0 = arith.constant 0 : index
  %s = memref.get_global @s : memref<2x8xi8, #kept>
  %position = memref.get_global @position : memref<1xi32, #kept>
  %stored = memref.load %position[%c0] : memref<1xi32, #kept>
  %new = arith.index_cast %stored : i32 to index
  %column = memref.subview %s[0, %new] [2, 1] [1, 1] : memref<2x8xi8, #kept> to memref<2x1xi8, strided<[8, 1], offset: ?>, #kept>
  return
}

// -----

#kept = #memref_pool.space<@kept>
memref_pool.pool @kept state certificate <planner = "hand", peak = 20, lower_bound = 20>
// expected-note@+1 {{'s' is declared here}}
memref.global "private" @s : memref<2x8xi8, #kept> {memref_pool.placement = #memref_pool.placement<@kept, 0>}
memref.global "private" @position : memref<1xi32, #kept> {memref_pool.placement = #memref_pool.placement<@kept, 16>}

func.func @no_remainder() {
  %c0 = arith.constant 0 : index
  %s = memref.get_global @s : memref<2x8xi8, #kept>
  %position = memref.get_global @position : memref<1xi32, #kept>
  %stored = memref.load %position[%c0] {memref_pool.position} : memref<1xi32, #kept>
  %new = arith.index_cast %stored : i32 to index
  // expected-error@+1 {{'memref.subview' may show bytes [-2,147,483,648, 2,147,483,656) of pool @kept, but buffer 's' is at [0, 16)}}
  %column = memref.subview %s[0, %new] [2, 1] [1, 1] : memref<2x8xi8, #kept> to memref<2x1xi8, strided<[8, 1], offset: ?>, #kept>
  return
}

// -----

#kept = #memref_pool.space<@kept>
memref_pool.pool @kept state certificate <planner = "hand", peak = 20, lower_bound = 20>
// expected-note@+1 {{'s' is declared here}}
memref.global "private" @s : memref<2x8xi8, #kept> {memref_pool.placement = #memref_pool.placement<@kept, 0>}
memref.global "private" @position : memref<1xi32, #kept> {memref_pool.placement = #memref_pool.placement<@kept, 16>}

// A remainder of a signed division may be negative.
func.func @a_signed_remainder() {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : i32
  %s = memref.get_global @s : memref<2x8xi8, #kept>
  %position = memref.get_global @position : memref<1xi32, #kept>
  %stored = memref.load %position[%c0] {memref_pool.position} : memref<1xi32, #kept>
  %p = arith.remsi %stored, %c8 : i32
  %new = arith.index_cast %p : i32 to index
  // expected-error@+1 {{'memref.subview' may show bytes [-7, 16) of pool @kept, but buffer 's' is at [0, 16)}}
  %column = memref.subview %s[0, %new] [2, 1] [1, 1] : memref<2x8xi8, #kept> to memref<2x1xi8, strided<[8, 1], offset: ?>, #kept>
  return
}

// -----

#kept = #memref_pool.space<@kept>
memref_pool.pool @kept state certificate <planner = "hand", peak = 20, lower_bound = 20>
// expected-note@+1 {{'s' is declared here}}
memref.global "private" @s : memref<2x8xi8, #kept> {memref_pool.placement = #memref_pool.placement<@kept, 0>}
memref.global "private" @position : memref<1xi32, #kept> {memref_pool.placement = #memref_pool.placement<@kept, 16>}

func.func @behind_the_last_column() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : i32
  %s = memref.get_global @s : memref<2x8xi8, #kept>
  %position = memref.get_global @position : memref<1xi32, #kept>
  %stored = memref.load %position[%c0] {memref_pool.position} : memref<1xi32, #kept>
  %p = arith.remui %stored, %c8 : i32
  %i = arith.index_cast %p : i32 to index
  %new = arith.addi %i, %c1 : index
  // expected-error@+1 {{'memref.subview' may show bytes [1, 17) of pool @kept, but buffer 's' is at [0, 16)}}
  %column = memref.subview %s[0, %new] [2, 1] [1, 1] : memref<2x8xi8, #kept> to memref<2x1xi8, strided<[8, 1], offset: ?>, #kept>
  return
}
