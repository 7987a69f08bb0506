// RUN: forebay-opt %s --accel-lower-copies | FileCheck %s

// Loops whose iterations read what others have written are no blocks that a transfer moves.

accel.device @cpu kind "cpu" host
accel.device @dma kind "dma"
memref_pool.pool @l2 workspace read [@cpu, @dma] write [@cpu, @dma]
accel.transfer @dma.cp on @dma symbol "dma_cp" from [@l2] to [@l2] rank 2

#l2 = #memref_pool.space<@l2>

// Element 0 goes to all of them, one after the other.
// CHECK-LABEL: func.func @spread
// CHECK:         memref.load
// CHECK-NOT:     accel.move
// CHECK-LABEL: func.func @halves
// CHECK:         accel.move @dma.cp
func.func @spread(%x: memref<16xi8, #l2>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c15 = arith.constant 15 : index
  scf.for %i = %c0 to %c15 step %c1 {
    %v = memref.load %x[%i] : memref<16xi8, #l2>
    %j = arith.addi %i, %c1 : index
    memref.store %v, %x[%j] : memref<16xi8, #l2>
  }
  return
}
func.func @halves(%x: memref<16xi8, #l2>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %v = memref.load %x[%i] : memref<16xi8, #l2>
    %j = arith.addi %i, %c8 : index
    memref.store %v, %x[%j] : memref<16xi8, #l2>
  }
  return
}

// %a and %b are parts of one buffer in one of the calls.
// CHECK-LABEL: func.func private @may_be_one
// CHECK:         memref.load
// CHECK-NOT:     accel.move
// CHECK-LABEL: func.func private @are_two
// CHECK:         accel.move @dma.cp
func.func @calls(%x: memref<8xi8, #l2>, %y: memref<8xi8, #l2>) {
  call @may_be_one(%x, %y) : (memref<8xi8, #l2>, memref<8xi8, #l2>) -> ()
  call @may_be_one(%y, %y) : (memref<8xi8, #l2>, memref<8xi8, #l2>) -> ()
  call @are_two(%x, %y) : (memref<8xi8, #l2>, memref<8xi8, #l2>) -> ()
  return
}
func.func private @may_be_one(%a: memref<8xi8, #l2>, %b: memref<8xi8, #l2>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  scf.for %i = %c0 to %c7 step %c1 {
    %v = memref.load %a[%i] : memref<8xi8, #l2>
    %j = arith.addi %i, %c1 : index
    memref.store %v, %b[%j] : memref<8xi8, #l2>
  }
  return
}
func.func private @are_two(%a: memref<8xi8, #l2>, %b: memref<8xi8, #l2>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  scf.for %i = %c0 to %c7 step %c1 {
    %v = memref.load %a[%i] : memref<8xi8, #l2>
    %j = arith.addi %i, %c1 : index
    memref.store %v, %b[%j] : memref<8xi8, #l2>
  }
  return
}

// The last iteration decides what %y[0] is; a loop that does not run copies nothing.
// CHECK-LABEL: func.func @last_one
// CHECK:         memref.store
// CHECK-NOT:     accel.move
// CHECK-LABEL: func.func @nothing
// CHECK-NOT:     accel.move
// CHECK:         return
func.func @last_one(%x: memref<8xi8, #l2>, %y: memref<8xi8, #l2>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %v = memref.load %x[%i] : memref<8xi8, #l2>
    memref.store %v, %y[%c0] : memref<8xi8, #l2>
  }
  return
}
func.func @nothing(%x: memref<8xi8, #l2>, %y: memref<8xi8, #l2>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %c0 step %c1 {
    %v = memref.load %x[%i] : memref<8xi8, #l2>
    memref.store %v, %y[%i] : memref<8xi8, #l2>
  }
  return
}

// Rows of a variable move by one row in its own memory, or to rows that are apart.
memref_pool.pool @kept state read [@cpu, @dma] write [@cpu, @dma]
accel.transfer @dma.keep on @dma symbol "dma_keep" from [@kept] to [@kept] rank 2
memref.global "private" @s : memref<16xi8, #memref_pool.space<@kept>>
// CHECK-LABEL: func.func @shifted
// CHECK:         memref_pool.copy
// CHECK-NOT:     accel.move
// CHECK-LABEL: func.func @apart
// CHECK:         accel.move @dma.keep
func.func @shifted() {
  %s = memref.get_global @s : memref<16xi8, #memref_pool.space<@kept>>
  %from = memref.subview %s[4] [12] [1] : memref<16xi8, #memref_pool.space<@kept>> to memref<12xi8, strided<[1], offset: 4>, #memref_pool.space<@kept>>
  %to = memref.subview %s[0] [12] [1] : memref<16xi8, #memref_pool.space<@kept>> to memref<12xi8, strided<[1]>, #memref_pool.space<@kept>>
  memref_pool.copy %from into %to : memref<12xi8, strided<[1], offset: 4>, #memref_pool.space<@kept>>, memref<12xi8, strided<[1]>, #memref_pool.space<@kept>>
  return
}
func.func @apart() {
  %s = memref.get_global @s : memref<16xi8, #memref_pool.space<@kept>>
  %from = memref.subview %s[8] [8] [1] : memref<16xi8, #memref_pool.space<@kept>> to memref<8xi8, strided<[1], offset: 8>, #memref_pool.space<@kept>>
  %to = memref.subview %s[0] [8] [1] : memref<16xi8, #memref_pool.space<@kept>> to memref<8xi8, strided<[1]>, #memref_pool.space<@kept>>
  memref_pool.copy %from into %to : memref<8xi8, strided<[1], offset: 8>, #memref_pool.space<@kept>>, memref<8xi8, strided<[1]>, #memref_pool.space<@kept>>
  return
}
