// RUN: forebay-opt %s --memref-pool-shift-state --split-input-file | FileCheck %s

// Windows that stay in the workspace, each because of one op.

memref_pool.pool @ws workspace
memref_pool.pool @kept state
memref.global "private" @s : memref<2x4xi8, #memref_pool.space<@kept>>

// The new rows are in front, so the kept ones would move behind bytes that are read later.
// CHECK-LABEL: func.func @new_rows_first
// CHECK:         memref_pool.alloc : memref<3x4xi8
func.func @new_rows_first(%x: memref<1x4xi8>, %y: memref<3x4xi8> {bufferize.result}) {
  %s = memref.get_global @s : memref<2x4xi8, #memref_pool.space<@kept>>
  %w = memref_pool.alloc : memref<3x4xi8, #memref_pool.space<@ws>>
  %new = memref.subview %w[0, 0] [1, 4] [1, 1] : memref<3x4xi8, #memref_pool.space<@ws>> to memref<1x4xi8, strided<[4, 1]>, #memref_pool.space<@ws>>
  memref.copy %x, %new : memref<1x4xi8> to memref<1x4xi8, strided<[4, 1]>, #memref_pool.space<@ws>>
  %old = memref.subview %w[1, 0] [2, 4] [1, 1] : memref<3x4xi8, #memref_pool.space<@ws>> to memref<2x4xi8, strided<[4, 1], offset: 4>, #memref_pool.space<@ws>>
  memref_pool.copy %s into %old : memref<2x4xi8, #memref_pool.space<@kept>>, memref<2x4xi8, strided<[4, 1], offset: 4>, #memref_pool.space<@ws>>
  %next = memref.subview %w[0, 0] [2, 4] [1, 1] : memref<3x4xi8, #memref_pool.space<@ws>> to memref<2x4xi8, strided<[4, 1]>, #memref_pool.space<@ws>>
  memref_pool.copy %next into %s : memref<2x4xi8, strided<[4, 1]>, #memref_pool.space<@ws>>, memref<2x4xi8, #memref_pool.space<@kept>>
  memref.copy %w, %y : memref<3x4xi8, #memref_pool.space<@ws>> to memref<3x4xi8>
  return
}

// -----

// The old rows of the window are overwritten, but a later op reads them in the variable.
// CHECK-LABEL: func.func @overwritten
// CHECK:         memref_pool.alloc : memref<3x4xi8
memref_pool.pool @ws workspace
memref_pool.pool @kept state
memref.global "private" @s : memref<2x4xi8, #memref_pool.space<@kept>>
func.func @overwritten(%x: memref<1x4xi8>, %y: memref<2x4xi8> {bufferize.result}) {
  %s = memref.get_global @s : memref<2x4xi8, #memref_pool.space<@kept>>
  %w = memref_pool.alloc : memref<3x4xi8, #memref_pool.space<@ws>>
  %old = memref.subview %w[0, 0] [2, 4] [1, 1] : memref<3x4xi8, #memref_pool.space<@ws>> to memref<2x4xi8, strided<[4, 1]>, #memref_pool.space<@ws>>
  memref_pool.copy %s into %old : memref<2x4xi8, #memref_pool.space<@kept>>, memref<2x4xi8, strided<[4, 1]>, #memref_pool.space<@ws>>
  %new = memref.subview %w[2, 0] [1, 4] [1, 1] : memref<3x4xi8, #memref_pool.space<@ws>> to memref<1x4xi8, strided<[4, 1], offset: 8>, #memref_pool.space<@ws>>
  memref.copy %x, %new : memref<1x4xi8> to memref<1x4xi8, strided<[4, 1], offset: 8>, #memref_pool.space<@ws>>
  %first = memref.subview %w[0, 0] [1, 4] [1, 1] : memref<3x4xi8, #memref_pool.space<@ws>> to memref<1x4xi8, strided<[4, 1]>, #memref_pool.space<@ws>>
  memref.copy %x, %first : memref<1x4xi8> to memref<1x4xi8, strided<[4, 1]>, #memref_pool.space<@ws>>
  memref.copy %s, %y : memref<2x4xi8, #memref_pool.space<@kept>> to memref<2x4xi8>
  %next = memref.subview %w[1, 0] [2, 4] [1, 1] : memref<3x4xi8, #memref_pool.space<@ws>> to memref<2x4xi8, strided<[4, 1], offset: 4>, #memref_pool.space<@ws>>
  memref_pool.copy %next into %s : memref<2x4xi8, strided<[4, 1], offset: 4>, #memref_pool.space<@ws>>, memref<2x4xi8, #memref_pool.space<@kept>>
  return
}

// -----

// The window changes behind the store, which stored its old rows.
// CHECK-LABEL: func.func @written_behind
// CHECK:         memref_pool.alloc : memref<3x4xi8
memref_pool.pool @ws workspace
memref_pool.pool @kept state
memref.global "private" @s : memref<2x4xi8, #memref_pool.space<@kept>>
func.func @written_behind(%x: memref<1x4xi8>, %y: memref<3x4xi8> {bufferize.result}) {
  %s = memref.get_global @s : memref<2x4xi8, #memref_pool.space<@kept>>
  %w = memref_pool.alloc : memref<3x4xi8, #memref_pool.space<@ws>>
  %old = memref.subview %w[0, 0] [2, 4] [1, 1] : memref<3x4xi8, #memref_pool.space<@ws>> to memref<2x4xi8, strided<[4, 1]>, #memref_pool.space<@ws>>
  memref_pool.copy %s into %old : memref<2x4xi8, #memref_pool.space<@kept>>, memref<2x4xi8, strided<[4, 1]>, #memref_pool.space<@ws>>
  %next = memref.subview %w[1, 0] [2, 4] [1, 1] : memref<3x4xi8, #memref_pool.space<@ws>> to memref<2x4xi8, strided<[4, 1], offset: 4>, #memref_pool.space<@ws>>
  memref_pool.copy %next into %s : memref<2x4xi8, strided<[4, 1], offset: 4>, #memref_pool.space<@ws>>, memref<2x4xi8, #memref_pool.space<@kept>>
  %new = memref.subview %w[2, 0] [1, 4] [1, 1] : memref<3x4xi8, #memref_pool.space<@ws>> to memref<1x4xi8, strided<[4, 1], offset: 8>, #memref_pool.space<@ws>>
  memref.copy %x, %new : memref<1x4xi8> to memref<1x4xi8, strided<[4, 1], offset: 8>, #memref_pool.space<@ws>>
  memref.copy %w, %y : memref<3x4xi8, #memref_pool.space<@ws>> to memref<3x4xi8>
  return
}

// -----

// The variable has no room for another row.
// CHECK-LABEL: func.func @no_room
// CHECK:         memref_pool.alloc : memref<3x4xi8
memref_pool.pool @ws workspace
memref_pool.pool @kept state capacity 11
memref.global "private" @s : memref<2x4xi8, #memref_pool.space<@kept>>
func.func @no_room(%x: memref<1x4xi8>, %y: memref<3x4xi8> {bufferize.result}) {
  %s = memref.get_global @s : memref<2x4xi8, #memref_pool.space<@kept>>
  %w = memref_pool.alloc : memref<3x4xi8, #memref_pool.space<@ws>>
  %old = memref.subview %w[0, 0] [2, 4] [1, 1] : memref<3x4xi8, #memref_pool.space<@ws>> to memref<2x4xi8, strided<[4, 1]>, #memref_pool.space<@ws>>
  memref_pool.copy %s into %old : memref<2x4xi8, #memref_pool.space<@kept>>, memref<2x4xi8, strided<[4, 1]>, #memref_pool.space<@ws>>
  %new = memref.subview %w[2, 0] [1, 4] [1, 1] : memref<3x4xi8, #memref_pool.space<@ws>> to memref<1x4xi8, strided<[4, 1], offset: 8>, #memref_pool.space<@ws>>
  memref.copy %x, %new : memref<1x4xi8> to memref<1x4xi8, strided<[4, 1], offset: 8>, #memref_pool.space<@ws>>
  memref.copy %w, %y : memref<3x4xi8, #memref_pool.space<@ws>> to memref<3x4xi8>
  %next = memref.subview %w[1, 0] [2, 4] [1, 1] : memref<3x4xi8, #memref_pool.space<@ws>> to memref<2x4xi8, strided<[4, 1], offset: 4>, #memref_pool.space<@ws>>
  memref_pool.copy %next into %s : memref<2x4xi8, strided<[4, 1], offset: 4>, #memref_pool.space<@ws>>, memref<2x4xi8, #memref_pool.space<@kept>>
  return
}

// -----

// The window is the state, but the old state is read behind the first write of the window.
// CHECK-LABEL: func.func @read_behind
// CHECK:         memref_pool.alloc : memref<2x4xi8
memref_pool.pool @ws workspace
memref_pool.pool @kept state
memref.global "private" @s : memref<2x4xi8, #memref_pool.space<@kept>>
func.func @read_behind(%x: memref<1x4xi8>, %y: memref<2x4xi8> {bufferize.result}) {
  %s = memref.get_global @s : memref<2x4xi8, #memref_pool.space<@kept>>
  %kept = memref.subview %s[1, 0] [1, 4] [1, 1] : memref<2x4xi8, #memref_pool.space<@kept>> to memref<1x4xi8, strided<[4, 1], offset: 4>, #memref_pool.space<@kept>>
  %w = memref_pool.alloc : memref<2x4xi8, #memref_pool.space<@ws>>
  %old = memref.subview %w[0, 0] [1, 4] [1, 1] : memref<2x4xi8, #memref_pool.space<@ws>> to memref<1x4xi8, strided<[4, 1]>, #memref_pool.space<@ws>>
  memref_pool.copy %kept into %old : memref<1x4xi8, strided<[4, 1], offset: 4>, #memref_pool.space<@kept>>, memref<1x4xi8, strided<[4, 1]>, #memref_pool.space<@ws>>
  %new = memref.subview %w[1, 0] [1, 4] [1, 1] : memref<2x4xi8, #memref_pool.space<@ws>> to memref<1x4xi8, strided<[4, 1], offset: 4>, #memref_pool.space<@ws>>
  memref.copy %x, %new : memref<1x4xi8> to memref<1x4xi8, strided<[4, 1], offset: 4>, #memref_pool.space<@ws>>
  memref.copy %s, %y : memref<2x4xi8, #memref_pool.space<@kept>> to memref<2x4xi8>
  memref_pool.copy %w into %s : memref<2x4xi8, #memref_pool.space<@ws>>, memref<2x4xi8, #memref_pool.space<@kept>>
  return
}

// -----

// Each function makes a window of the variable, with another number of new rows.
// CHECK:       memref.global "private" @s : memref<2x4xi8
// CHECK-LABEL: func.func @one_new_row
// CHECK:         memref_pool.alloc : memref<3x4xi8
// CHECK-LABEL: func.func @two_new_rows
// CHECK:         memref_pool.alloc : memref<4x4xi8
memref_pool.pool @ws workspace
memref_pool.pool @kept state
memref.global "private" @s : memref<2x4xi8, #memref_pool.space<@kept>>
func.func @one_new_row(%x: memref<1x4xi8>, %y: memref<3x4xi8> {bufferize.result}) {
  %s = memref.get_global @s : memref<2x4xi8, #memref_pool.space<@kept>>
  %w = memref_pool.alloc : memref<3x4xi8, #memref_pool.space<@ws>>
  %old = memref.subview %w[0, 0] [2, 4] [1, 1] : memref<3x4xi8, #memref_pool.space<@ws>> to memref<2x4xi8, strided<[4, 1]>, #memref_pool.space<@ws>>
  memref_pool.copy %s into %old : memref<2x4xi8, #memref_pool.space<@kept>>, memref<2x4xi8, strided<[4, 1]>, #memref_pool.space<@ws>>
  %new = memref.subview %w[2, 0] [1, 4] [1, 1] : memref<3x4xi8, #memref_pool.space<@ws>> to memref<1x4xi8, strided<[4, 1], offset: 8>, #memref_pool.space<@ws>>
  memref.copy %x, %new : memref<1x4xi8> to memref<1x4xi8, strided<[4, 1], offset: 8>, #memref_pool.space<@ws>>
  memref.copy %w, %y : memref<3x4xi8, #memref_pool.space<@ws>> to memref<3x4xi8>
  %next = memref.subview %w[1, 0] [2, 4] [1, 1] : memref<3x4xi8, #memref_pool.space<@ws>> to memref<2x4xi8, strided<[4, 1], offset: 4>, #memref_pool.space<@ws>>
  memref_pool.copy %next into %s : memref<2x4xi8, strided<[4, 1], offset: 4>, #memref_pool.space<@ws>>, memref<2x4xi8, #memref_pool.space<@kept>>
  return
}
func.func @two_new_rows(%x: memref<2x4xi8>, %y: memref<4x4xi8> {bufferize.result}) {
  %s = memref.get_global @s : memref<2x4xi8, #memref_pool.space<@kept>>
  %w = memref_pool.alloc : memref<4x4xi8, #memref_pool.space<@ws>>
  %old = memref.subview %w[0, 0] [2, 4] [1, 1] : memref<4x4xi8, #memref_pool.space<@ws>> to memref<2x4xi8, strided<[4, 1]>, #memref_pool.space<@ws>>
  memref_pool.copy %s into %old : memref<2x4xi8, #memref_pool.space<@kept>>, memref<2x4xi8, strided<[4, 1]>, #memref_pool.space<@ws>>
  %new = memref.subview %w[2, 0] [2, 4] [1, 1] : memref<4x4xi8, #memref_pool.space<@ws>> to memref<2x4xi8, strided<[4, 1], offset: 8>, #memref_pool.space<@ws>>
  memref.copy %x, %new : memref<2x4xi8> to memref<2x4xi8, strided<[4, 1], offset: 8>, #memref_pool.space<@ws>>
  memref.copy %w, %y : memref<4x4xi8, #memref_pool.space<@ws>> to memref<4x4xi8>
  %next = memref.subview %w[2, 0] [2, 4] [1, 1] : memref<4x4xi8, #memref_pool.space<@ws>> to memref<2x4xi8, strided<[4, 1], offset: 8>, #memref_pool.space<@ws>>
  memref_pool.copy %next into %s : memref<2x4xi8, strided<[4, 1], offset: 8>, #memref_pool.space<@ws>>, memref<2x4xi8, #memref_pool.space<@kept>>
  return
}
