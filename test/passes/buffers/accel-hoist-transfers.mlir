// RUN: forebay-opt %s --accel-hoist-transfers --split-input-file | FileCheck %s

accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @dram workspace read [@cpu] write [@cpu]
memref_pool.pool @spad workspace local capacity 1024 base 0 read [@npu] write [@npu]
accel.transfer @npu.mvin on @npu symbol "npu_mvin" from [@dram] to [@spad] rank 2
accel.transfer @npu.mvout on @npu symbol "npu_mvout" from [@spad] to [@dram] rank 2
accel.intrinsic @npu.scale on @npu symbol "npu_scale"
  operands [#accel.operand<name = "x", access = in, pools = [@spad]>,
            #accel.operand<name = "w", access = in, pools = [@spad]>,
            #accel.operand<name = "y", access = out, pools = [@spad]>]
accel.intrinsic @npu.add on @npu symbol "npu_add"
  operands [#accel.operand<name = "x", access = in, pools = [@spad]>,
            #accel.operand<name = "y", access = inout, pools = [@spad]>]

#dram = #memref_pool.space<@dram>
#spad = #memref_pool.space<@spad>

// The weights are those of every iteration, so they are loaded once, into a buffer that lives over the loop.
// CHECK-LABEL: func.func @load
// CHECK:         %[[W:.*]] = memref_pool.alloc
// CHECK:         accel.move @npu.mvin %{{.*}} into %[[W]]
// CHECK:         scf.for
// CHECK-NEXT:      memref_pool.alloc
// CHECK-NEXT:      memref.subview
// CHECK-NEXT:      accel.move @npu.mvin
// CHECK-NOT:       accel.move @npu.mvin
func.func @load(%x: memref<8x16xi8, #dram>, %w: memref<32xi8, #dram>, %y: memref<8x16xi8, #dram>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = memref_pool.alloc : memref<1x16xi8, #spad>
    %row = memref.subview %x[%i, 0] [1, 16] [1, 1] : memref<8x16xi8, #dram> to memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>
    accel.move @npu.mvin %row into %a : memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>, memref<1x16xi8, #spad>
    %b = memref_pool.alloc : memref<16xi8, #spad>
    %half = memref.subview %w[16] [16] [1] : memref<32xi8, #dram> to memref<16xi8, strided<[1], offset: 16>, #dram>
    accel.move @npu.mvin %half into %b : memref<16xi8, strided<[1], offset: 16>, #dram>, memref<16xi8, #spad>
    %r = memref_pool.alloc : memref<1x16xi8, #spad>
    accel.call @npu.scale ins(%a, %b : memref<1x16xi8, #spad>, memref<16xi8, #spad>) outs(%r : memref<1x16xi8, #spad>)
    %out = memref.subview %y[%i, 0] [1, 16] [1, 1] : memref<8x16xi8, #dram> to memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>
    accel.move @npu.mvout %r into %out : memref<1x16xi8, #spad>, memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>
  }
  return
}

// Rows 0 to 3 are written in the loop, row 4 is read: apart, by the counter's bounds. Row 3 is not.
// CHECK-LABEL: func.func @regions
// CHECK:         %[[FOUR:.*]] = memref.subview %{{.*}}[4, 0]
// CHECK:         accel.move @npu.mvin %[[FOUR]]
// CHECK:         scf.for
// CHECK:           %[[THREE:.*]] = memref.subview %{{.*}}[3, 0]
// CHECK-NEXT:      accel.move @npu.mvin %[[THREE]]
func.func @regions(%x: memref<8x16xi8, #dram>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %a = memref_pool.alloc : memref<1x16xi8, #spad>
    %four = memref.subview %x[4, 0] [1, 16] [1, 1] : memref<8x16xi8, #dram> to memref<1x16xi8, strided<[16, 1], offset: 64>, #dram>
    accel.move @npu.mvin %four into %a : memref<1x16xi8, strided<[16, 1], offset: 64>, #dram>, memref<1x16xi8, #spad>
    %b = memref_pool.alloc : memref<1x16xi8, #spad>
    %three = memref.subview %x[3, 0] [1, 16] [1, 1] : memref<8x16xi8, #dram> to memref<1x16xi8, strided<[16, 1], offset: 48>, #dram>
    accel.move @npu.mvin %three into %b : memref<1x16xi8, strided<[16, 1], offset: 48>, #dram>, memref<1x16xi8, #spad>
    %r = memref_pool.alloc : memref<1x16xi8, #spad>
    accel.call @npu.scale ins(%a, %b : memref<1x16xi8, #spad>, memref<1x16xi8, #spad>) outs(%r : memref<1x16xi8, #spad>)
    %out = memref.subview %x[%i, 0] [1, 16] [1, 1] : memref<8x16xi8, #dram> to memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>
    accel.move @npu.mvout %r into %out : memref<1x16xi8, #spad>, memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>
  }
  return
}

// %a is read behind the loop, which may not run: then it holds what was there before.
// CHECK-LABEL: func.func @may_not_run
// CHECK:         scf.for
// CHECK-NEXT:      accel.move @npu.mvin
// CHECK-LABEL: func.func @runs
// CHECK:         accel.move @npu.mvin
// CHECK-NEXT:    accel.move @npu.mvin
// CHECK:         scf.for
func.func @may_not_run(%x: memref<16xi8, #dram>, %z: memref<16xi8, #dram>, %y: memref<16xi8, #dram>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref_pool.alloc : memref<16xi8, #spad>
  %r = memref_pool.alloc : memref<16xi8, #spad>
  accel.move @npu.mvin %x into %a : memref<16xi8, #dram>, memref<16xi8, #spad>
  scf.for %i = %c0 to %n step %c1 {
    accel.move @npu.mvin %z into %a : memref<16xi8, #dram>, memref<16xi8, #spad>
    accel.call @npu.scale ins(%a, %a : memref<16xi8, #spad>, memref<16xi8, #spad>) outs(%r : memref<16xi8, #spad>)
  }
  accel.move @npu.mvout %a into %y : memref<16xi8, #spad>, memref<16xi8, #dram>
  return
}
func.func @runs(%x: memref<2x16xi8, #dram>, %z: memref<16xi8, #dram>, %y: memref<16xi8, #dram>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a = memref_pool.alloc : memref<2x16xi8, #spad>
  %r = memref_pool.alloc : memref<16xi8, #spad>
  %half = memref.subview %a[0, 0] [1, 16] [1, 1] : memref<2x16xi8, #spad> to memref<16xi8, strided<[1]>, #spad>
  accel.move @npu.mvin %x into %a : memref<2x16xi8, #dram>, memref<2x16xi8, #spad>
  scf.for %i = %c0 to %c4 step %c1 {
    accel.move @npu.mvin %z into %half : memref<16xi8, #dram>, memref<16xi8, strided<[1]>, #spad>
    accel.call @npu.scale ins(%half, %a : memref<16xi8, strided<[1]>, #spad>, memref<2x16xi8, #spad>) outs(%r : memref<16xi8, #spad>)
  }
  accel.move @npu.mvout %half into %y : memref<16xi8, strided<[1]>, #spad>, memref<16xi8, #dram>
  return
}

// Where %n is 0 the last of %n rows is none of %x; that of the outer loop's counter is one in any case.
// CHECK-LABEL: func.func @last_row
// CHECK:         scf.for
// CHECK-NEXT:      memref_pool.alloc
// CHECK:           accel.move @npu.mvin
// CHECK-LABEL: func.func @row_of_the_outer_loop
// CHECK:         scf.for
// CHECK:           accel.move @npu.mvin
// CHECK:           scf.for
func.func @last_row(%x: memref<8x16xi8, #dram>, %y: memref<16xi8, #dram>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %last = arith.subi %n, %c1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = memref_pool.alloc : memref<1x16xi8, #spad>
    %row = memref.subview %x[%last, 0] [1, 16] [1, 1] : memref<8x16xi8, #dram> to memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>
    accel.move @npu.mvin %row into %a : memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>, memref<1x16xi8, #spad>
    %r = memref_pool.alloc : memref<16xi8, #spad>
    accel.call @npu.scale ins(%a, %a : memref<1x16xi8, #spad>, memref<1x16xi8, #spad>) outs(%r : memref<16xi8, #spad>)
    accel.move @npu.mvout %r into %y : memref<16xi8, #spad>, memref<16xi8, #dram>
  }
  return
}
func.func @row_of_the_outer_loop(%x: memref<8x16xi8, #dram>, %y: memref<16xi8, #dram>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %o = %c0 to %n step %c1 {
    scf.for %i = %c0 to %n step %c1 {
      %a = memref_pool.alloc : memref<1x16xi8, #spad>
      %row = memref.subview %x[%o, 0] [1, 16] [1, 1] : memref<8x16xi8, #dram> to memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>
      accel.move @npu.mvin %row into %a : memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>, memref<1x16xi8, #spad>
      %r = memref_pool.alloc : memref<16xi8, #spad>
      accel.call @npu.scale ins(%a, %a : memref<1x16xi8, #spad>, memref<1x16xi8, #spad>) outs(%r : memref<16xi8, #spad>)
      accel.move @npu.mvout %r into %y : memref<16xi8, #spad>, memref<16xi8, #dram>
    }
  }
  return
}

// The first iteration reads what was in %a before it is loaded.
// CHECK-LABEL: func.func @read_first
// CHECK:         scf.for
// CHECK-NEXT:      accel.call
// CHECK-NEXT:      accel.move @npu.mvin
func.func @read_first(%x: memref<16xi8, #dram>, %z: memref<16xi8, #dram>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a = memref_pool.alloc : memref<16xi8, #spad>
  %r = memref_pool.alloc : memref<16xi8, #spad>
  accel.move @npu.mvin %x into %a : memref<16xi8, #dram>, memref<16xi8, #spad>
  accel.move @npu.mvin %x into %r : memref<16xi8, #dram>, memref<16xi8, #spad>
  scf.for %i = %c0 to %c4 step %c1 {
    accel.call @npu.add ins(%a : memref<16xi8, #spad>) outs(%r : memref<16xi8, #spad>) accumulate [0]
    accel.move @npu.mvin %z into %a : memref<16xi8, #dram>, memref<16xi8, #spad>
  }
  accel.move @npu.mvout %r into %z : memref<16xi8, #spad>, memref<16xi8, #dram>
  return
}

// The last iteration's sums are those that stay, so they are stored once, if the loop runs.
// CHECK-LABEL: func.func @store
// CHECK:         scf.for
// CHECK-NOT:       accel.move
// CHECK:         }
// CHECK-NEXT:    accel.move @npu.mvout
// CHECK-LABEL: func.func @store_if_it_runs
// CHECK:         scf.for
// CHECK-NEXT:      accel.call
// CHECK-NEXT:      accel.move @npu.mvout
func.func @store(%x: memref<16xi8, #dram>, %y: memref<16xi8, #dram>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a = memref_pool.alloc : memref<16xi8, #spad>
  %r = memref_pool.alloc : memref<16xi8, #spad>
  accel.move @npu.mvin %x into %a : memref<16xi8, #dram>, memref<16xi8, #spad>
  scf.for %i = %c0 to %c4 step %c1 {
    accel.call @npu.scale ins(%a, %a : memref<16xi8, #spad>, memref<16xi8, #spad>) outs(%r : memref<16xi8, #spad>)
    accel.move @npu.mvout %r into %y : memref<16xi8, #spad>, memref<16xi8, #dram>
  }
  return
}
func.func @store_if_it_runs(%x: memref<16xi8, #dram>, %y: memref<16xi8, #dram>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref_pool.alloc : memref<16xi8, #spad>
  %r = memref_pool.alloc : memref<16xi8, #spad>
  accel.move @npu.mvin %x into %a : memref<16xi8, #dram>, memref<16xi8, #spad>
  scf.for %i = %c0 to %n step %c1 {
    accel.call @npu.scale ins(%a, %a : memref<16xi8, #spad>, memref<16xi8, #spad>) outs(%r : memref<16xi8, #spad>)
    accel.move @npu.mvout %r into %y : memref<16xi8, #spad>, memref<16xi8, #dram>
  }
  return
}

// Out to %b and back in: what is in %a already. Then nobody reads %b, so nothing is moved there.
// CHECK-LABEL: func.func @back_where_it_came_from
// CHECK-SAME:    %[[X:.*]]: memref<16xi8, {{.*}}>, %[[Y:.*]]: memref
// CHECK-NEXT:    %[[A:.*]] = memref_pool.alloc
// CHECK-NEXT:    accel.move @npu.mvin %[[X]] into %[[A]]
// CHECK-NEXT:    accel.move @npu.mvout %[[A]] into %[[Y]]
// CHECK-NEXT:    return
func.func @back_where_it_came_from(%x: memref<16xi8, #dram>, %y: memref<16xi8, #dram>) {
  %a = memref_pool.alloc : memref<16xi8, #spad>
  %b = memref_pool.alloc : memref<16xi8, #dram>
  accel.move @npu.mvin %x into %a : memref<16xi8, #dram>, memref<16xi8, #spad>
  accel.move @npu.mvout %a into %b : memref<16xi8, #spad>, memref<16xi8, #dram>
  accel.move @npu.mvin %b into %a : memref<16xi8, #dram>, memref<16xi8, #spad>
  accel.move @npu.mvout %a into %y : memref<16xi8, #spad>, memref<16xi8, #dram>
  return
}

// The host's copy reads what the transfer wrote; the transfer writes there itself.
// CHECK-LABEL: func.func @straight_there
// CHECK-SAME:    %[[X:.*]]: memref<16xi8, {{.*}}>, %[[Y:.*]]: memref<2x16xi8
// CHECK-NEXT:    %[[A:.*]] = memref_pool.alloc
// CHECK-NEXT:    accel.move @npu.mvin %[[X]] into %[[A]]
// CHECK-NEXT:    %[[ROW:.*]] = memref.subview %[[Y]]
// CHECK-NEXT:    accel.move @npu.mvout %[[A]] into %[[ROW]]
// CHECK-NEXT:    return
func.func @straight_there(%x: memref<16xi8, #dram>, %y: memref<2x16xi8, #dram>) {
  %a = memref_pool.alloc : memref<16xi8, #spad>
  %b = memref_pool.alloc : memref<16xi8, #dram>
  accel.move @npu.mvin %x into %a : memref<16xi8, #dram>, memref<16xi8, #spad>
  accel.move @npu.mvout %a into %b : memref<16xi8, #spad>, memref<16xi8, #dram>
  %row = memref.subview %y[1, 0] [1, 16] [1, 1] : memref<2x16xi8, #dram> to memref<16xi8, strided<[1], offset: 16>, #dram>
  memref.copy %b, %row : memref<16xi8, #dram> to memref<16xi8, strided<[1], offset: 16>, #dram>
  return
}

// In between %a is overwritten, so what was moved out is what comes back.
// CHECK-LABEL: func.func @changed_meanwhile
// CHECK-COUNT-2: accel.move @npu.mvin
// CHECK:         accel.move @npu.mvout
// CHECK:         accel.call
// CHECK:         accel.move @npu.mvin
// CHECK-COUNT-2: accel.move @npu.mvout
func.func @changed_meanwhile(%x: memref<16xi8, #dram>, %w: memref<16xi8, #dram>, %y: memref<16xi8, #dram>, %z: memref<16xi8, #dram>) {
  %a = memref_pool.alloc : memref<16xi8, #spad>
  %s = memref_pool.alloc : memref<16xi8, #spad>
  %b = memref_pool.alloc : memref<16xi8, #dram>
  accel.move @npu.mvin %x into %a : memref<16xi8, #dram>, memref<16xi8, #spad>
  accel.move @npu.mvin %w into %s : memref<16xi8, #dram>, memref<16xi8, #spad>
  accel.move @npu.mvout %a into %b : memref<16xi8, #spad>, memref<16xi8, #dram>
  accel.call @npu.scale ins(%s, %s : memref<16xi8, #spad>, memref<16xi8, #spad>) outs(%a : memref<16xi8, #spad>)
  accel.move @npu.mvin %b into %s : memref<16xi8, #dram>, memref<16xi8, #spad>
  accel.move @npu.mvout %a into %y : memref<16xi8, #spad>, memref<16xi8, #dram>
  accel.move @npu.mvout %s into %z : memref<16xi8, #spad>, memref<16xi8, #dram>
  return
}

// %a is computed again in between, so what was moved out is loaded again.
// CHECK-LABEL: func.func @restored
// CHECK:         accel.move @npu.mvin
// CHECK-NEXT:    accel.move @npu.mvout
// CHECK-NEXT:    accel.call
// CHECK-NEXT:    accel.move @npu.mvout
// CHECK-NEXT:    accel.move @npu.mvin
// CHECK-NEXT:    accel.move @npu.mvout
func.func @restored(%x: memref<16xi8, #dram>, %y: memref<16xi8, #dram>, %z: memref<16xi8, #dram>) {
  %a = memref_pool.alloc : memref<16xi8, #spad>
  %b = memref_pool.alloc : memref<16xi8, #dram>
  accel.move @npu.mvin %x into %a : memref<16xi8, #dram>, memref<16xi8, #spad>
  accel.move @npu.mvout %a into %b : memref<16xi8, #spad>, memref<16xi8, #dram>
  accel.call @npu.add ins(%a : memref<16xi8, #spad>) outs(%a : memref<16xi8, #spad>) accumulate [0]
  accel.move @npu.mvout %a into %y : memref<16xi8, #spad>, memref<16xi8, #dram>
  accel.move @npu.mvin %b into %a : memref<16xi8, #dram>, memref<16xi8, #spad>
  accel.move @npu.mvout %a into %z : memref<16xi8, #spad>, memref<16xi8, #dram>
  return
}

// What is stored in %y is overwritten before anybody reads it; in %z, only a row is.
// CHECK-LABEL: func.func @overwritten
// CHECK-SAME:    %[[X:.*]]: memref<2x16xi8, {{.*}}>, %[[Y:.*]]: memref<2x16xi8, {{.*}}>, %[[Z:.*]]: memref
// CHECK:         accel.move @npu.mvin %[[X]] into
// CHECK-NEXT:    accel.move @npu.mvout %{{.*}} into %[[Z]]
// CHECK-NEXT:    accel.call
// CHECK-NEXT:    accel.move @npu.mvout %{{.*}} into %[[Y]]
// CHECK:         accel.move @npu.mvout
func.func @overwritten(%x: memref<2x16xi8, #dram>, %y: memref<2x16xi8, #dram>, %z: memref<2x16xi8, #dram>) {
  %a = memref_pool.alloc : memref<2x16xi8, #spad>
  %b = memref_pool.alloc : memref<2x16xi8, #spad>
  accel.move @npu.mvin %x into %a : memref<2x16xi8, #dram>, memref<2x16xi8, #spad>
  accel.move @npu.mvout %a into %y : memref<2x16xi8, #spad>, memref<2x16xi8, #dram>
  accel.move @npu.mvout %a into %z : memref<2x16xi8, #spad>, memref<2x16xi8, #dram>
  accel.call @npu.scale ins(%a, %a : memref<2x16xi8, #spad>, memref<2x16xi8, #spad>) outs(%b : memref<2x16xi8, #spad>)
  accel.move @npu.mvout %b into %y : memref<2x16xi8, #spad>, memref<2x16xi8, #dram>
  %row = memref.subview %z[1, 0] [1, 16] [1, 1] : memref<2x16xi8, #dram> to memref<1x16xi8, strided<[16, 1], offset: 16>, #dram>
  %own = memref.subview %b[0, 0] [1, 16] [1, 1] : memref<2x16xi8, #spad> to memref<1x16xi8, strided<[16, 1]>, #spad>
  accel.move @npu.mvout %own into %row : memref<1x16xi8, strided<[16, 1]>, #spad>, memref<1x16xi8, strided<[16, 1], offset: 16>, #dram>
  return
}

// One block for two users, as long as nobody writes it.
// CHECK-LABEL: func.func @shared
// CHECK:         accel.move @npu.mvin
// CHECK-NOT:     accel.move @npu.mvin
// CHECK:         accel.call @npu.scale ins(%[[A:.*]], %[[A]] :
// CHECK-LABEL: func.func @not_shared
// CHECK-COUNT-2: accel.move @npu.mvin
func.func @shared(%x: memref<16xi8, #dram>, %y: memref<16xi8, #dram>) {
  %b = memref_pool.alloc : memref<16xi8, #spad>
  %a = memref_pool.alloc : memref<16xi8, #spad>
  %r = memref_pool.alloc : memref<16xi8, #spad>
  accel.move @npu.mvin %x into %a : memref<16xi8, #dram>, memref<16xi8, #spad>
  accel.move @npu.mvin %x into %b : memref<16xi8, #dram>, memref<16xi8, #spad>
  accel.call @npu.scale ins(%a, %b : memref<16xi8, #spad>, memref<16xi8, #spad>) outs(%r : memref<16xi8, #spad>)
  accel.move @npu.mvout %r into %y : memref<16xi8, #spad>, memref<16xi8, #dram>
  return
}
func.func @not_shared(%x: memref<16xi8, #dram>, %y: memref<16xi8, #dram>) {
  %a = memref_pool.alloc : memref<16xi8, #spad>
  %b = memref_pool.alloc : memref<16xi8, #spad>
  accel.move @npu.mvin %x into %a : memref<16xi8, #dram>, memref<16xi8, #spad>
  accel.move @npu.mvin %x into %b : memref<16xi8, #dram>, memref<16xi8, #spad>
  accel.call @npu.add ins(%a : memref<16xi8, #spad>) outs(%b : memref<16xi8, #spad>) accumulate [0]
  accel.move @npu.mvout %b into %y : memref<16xi8, #spad>, memref<16xi8, #dram>
  return
}

// What is in %x for the second load is what was stored there.
// CHECK-LABEL: func.func @loaded_anew
// CHECK:         accel.move @npu.mvin
// CHECK:         accel.move @npu.mvout
// CHECK:         accel.move @npu.mvin
func.func @loaded_anew(%x: memref<16xi8, #dram>, %y: memref<16xi8, #dram>) {
  %a = memref_pool.alloc : memref<16xi8, #spad>
  %b = memref_pool.alloc : memref<16xi8, #spad>
  %c = memref_pool.alloc : memref<16xi8, #spad>
  %r = memref_pool.alloc : memref<16xi8, #spad>
  accel.move @npu.mvin %x into %a : memref<16xi8, #dram>, memref<16xi8, #spad>
  accel.call @npu.scale ins(%a, %a : memref<16xi8, #spad>, memref<16xi8, #spad>) outs(%c : memref<16xi8, #spad>)
  accel.call @npu.add ins(%a : memref<16xi8, #spad>) outs(%c : memref<16xi8, #spad>) accumulate [0]
  accel.move @npu.mvout %c into %x : memref<16xi8, #spad>, memref<16xi8, #dram>
  accel.call @npu.add ins(%a : memref<16xi8, #spad>) outs(%c : memref<16xi8, #spad>) accumulate [0]
  accel.move @npu.mvin %x into %b : memref<16xi8, #dram>, memref<16xi8, #spad>
  accel.call @npu.scale ins(%a, %b : memref<16xi8, #spad>, memref<16xi8, #spad>) outs(%r : memref<16xi8, #spad>)
  accel.call @npu.add ins(%c : memref<16xi8, #spad>) outs(%r : memref<16xi8, #spad>) accumulate [0]
  accel.move @npu.mvout %r into %y : memref<16xi8, #spad>, memref<16xi8, #dram>
  return
}

// -----

// 96 bytes of tiles live together in 112: there is no room for 32 of weights over the whole loop, 16 would fit.

accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @dram workspace read [@cpu] write [@cpu]
memref_pool.pool @spad workspace local capacity 112 base 0 read [@npu] write [@npu]
accel.queue @npu.load on @npu symbol "npu_load" depth 4
accel.transfer @npu.mvin on @npu symbol "npu_mvin" from [@dram] to [@spad] rank 2 queue @npu.load
accel.intrinsic @npu.use on @npu symbol "npu_use"
  operands [#accel.operand<name = "x", access = in, pools = [@spad]>, #accel.operand<name = "y", access = out, pools = [@dram]>]

#dram = #memref_pool.space<@dram>
#spad = #memref_pool.space<@spad>

// CHECK-LABEL: func.func @no_room
// CHECK:         accel.move @npu.mvin %{{.*}} into %{{.*}} : memref<16xi8
// CHECK:         scf.for
// CHECK:           accel.move @npu.mvin %{{.*}} into %{{.*}} : memref<32xi8
// CHECK:           accel.move @npu.mvin %{{.*}} into %{{.*}} : memref<96xi8
func.func @no_room(%w: memref<32xi8, #dram>, %v: memref<16xi8, #dram>, %x: memref<4x96xi8, #dram>,
                   %r: memref<16xi8, #dram>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %b = memref_pool.alloc : memref<32xi8, #spad>
    accel.move @npu.mvin %w into %b : memref<32xi8, #dram>, memref<32xi8, #spad>
    accel.call @npu.use ins(%b : memref<32xi8, #spad>) outs(%r : memref<16xi8, #dram>)
    %c = memref_pool.alloc : memref<16xi8, #spad>
    accel.move @npu.mvin %v into %c : memref<16xi8, #dram>, memref<16xi8, #spad>
    accel.call @npu.use ins(%c : memref<16xi8, #spad>) outs(%r : memref<16xi8, #dram>)
    %a = memref_pool.alloc : memref<96xi8, #spad>
    %row = memref.subview %x[%i, 0] [1, 96] [1, 1] : memref<4x96xi8, #dram> to memref<96xi8, strided<[1], offset: ?>, #dram>
    accel.move @npu.mvin %row into %a : memref<96xi8, strided<[1], offset: ?>, #dram>, memref<96xi8, #spad>
    accel.call @npu.use ins(%a : memref<96xi8, #spad>) outs(%r : memref<16xi8, #dram>)
  }
  return
}

// %a is being filled while the loop runs; nobody but the token says when that is over.
// CHECK-LABEL: func.func @in_flight
// CHECK:         scf.for
// CHECK-NEXT:      accel.wait
// CHECK-NEXT:      accel.move
func.func @in_flight(%x: memref<16xi8, #dram>, %y: memref<16xi8, #dram>, %r: memref<16xi8, #dram>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref_pool.alloc : memref<16xi8, #spad>
  %t = accel.start @npu.mvin %x into %a : memref<16xi8, #dram>, memref<16xi8, #spad>
  scf.for %i = %c0 to %c1 step %c1 {
    accel.wait %t
    accel.move @npu.mvin %y into %a : memref<16xi8, #dram>, memref<16xi8, #spad>
    accel.call @npu.use ins(%a : memref<16xi8, #spad>) outs(%r : memref<16xi8, #dram>)
  }
  return
}
