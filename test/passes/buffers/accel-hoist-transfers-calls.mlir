// RUN: forebay-opt %s --accel-hoist-transfers | FileCheck %s

// What a call does is what its callee does to what it is handed; what a caller handed over, it reads later.

accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @dram workspace read [@cpu] write [@cpu]
memref_pool.pool @spad workspace local capacity 1024 base 0 read [@npu] write [@npu]
memref_pool.pool @state state read [@cpu] write [@cpu]
accel.transfer @npu.mvin on @npu symbol "npu_mvin" from [@dram, @state] to [@spad] rank 2
accel.transfer @npu.mvout on @npu symbol "npu_mvout" from [@spad] to [@dram, @state] rank 2
accel.intrinsic @npu.make on @npu symbol "npu_make" operands [#accel.operand<name = "y", access = out, pools = [@spad]>]
accel.intrinsic @npu.use on @npu symbol "npu_use"
  operands [#accel.operand<name = "x", access = in, pools = [@spad]>,
            #accel.operand<name = "w", access = in, pools = [@spad]>,
            #accel.operand<name = "y", access = out, pools = [@spad]>]

#dram = #memref_pool.space<@dram>
#spad = #memref_pool.space<@spad>
#state = #memref_pool.space<@state>

memref.global "private" @kept : memref<16xi8, #state>

// The caller reads %y when the call is over, so both stores stay.
// CHECK-LABEL: func.func @stored_for_the_caller
// CHECK:         call @stores
// CHECK-LABEL: func.func private @stores
// CHECK-COUNT-2: accel.move @npu.mvout
func.func @stored_for_the_caller(%out: memref<32xi8>) {
  %y = memref_pool.alloc : memref<32xi8, #dram>
  call @stores(%y) : (memref<32xi8, #dram>) -> ()
  memref_pool.copy %y into %out : memref<32xi8, #dram>, memref<32xi8>
  return
}
func.func private @stores(%y: memref<32xi8, #dram>) {
  %a = memref_pool.alloc : memref<16xi8, #spad>
  accel.call @npu.make outs(%a : memref<16xi8, #spad>)
  %low = memref.subview %y[0] [16] [1] : memref<32xi8, #dram> to memref<16xi8, strided<[1]>, #dram>
  accel.move @npu.mvout %a into %low : memref<16xi8, #spad>, memref<16xi8, strided<[1]>, #dram>
  %high = memref.subview %y[16] [16] [1] : memref<32xi8, #dram> to memref<16xi8, strided<[1], offset: 16>, #dram>
  accel.move @npu.mvout %a into %high : memref<16xi8, #spad>, memref<16xi8, strided<[1], offset: 16>, #dram>
  return
}

// The loop may not run, and then %a is what the caller has put there.
// CHECK-LABEL: func.func @loads_for_the_caller
// CHECK-LABEL: func.func private @may_load
// CHECK:         scf.for
// CHECK-NEXT:      accel.move @npu.mvin
func.func @loads_for_the_caller(%x: memref<16xi8, #dram>, %y: memref<16xi8, #dram>, %n: index) {
  %a = memref_pool.alloc : memref<16xi8, #spad>
  accel.call @npu.make outs(%a : memref<16xi8, #spad>)
  call @may_load(%x, %a, %n) : (memref<16xi8, #dram>, memref<16xi8, #spad>, index) -> ()
  accel.move @npu.mvout %a into %y : memref<16xi8, #spad>, memref<16xi8, #dram>
  return
}
func.func private @may_load(%x: memref<16xi8, #dram>, %a: memref<16xi8, #spad>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    accel.move @npu.mvin %x into %a : memref<16xi8, #dram>, memref<16xi8, #spad>
  }
  return
}

// @writes_low changes the first 16 bytes of its argument, and reads none: the first half is loaded again behind
// it, the second is what it was.
// CHECK-LABEL: func.func @between
// CHECK-COUNT-2: accel.move @npu.mvin
// CHECK:         call @writes_low
// CHECK:         %[[LOW:.*]] = memref_pool.alloc
// CHECK:         accel.move @npu.mvin %{{.*}} into %[[LOW]]
// CHECK-NOT:     accel.move @npu.mvin
// CHECK:         return
func.func @between(%x: memref<32xi8, #dram>, %y: memref<16xi8, #dram>, %z: memref<16xi8, #dram>) {
  %low = memref.subview %x[0] [16] [1] : memref<32xi8, #dram> to memref<16xi8, strided<[1]>, #dram>
  %high = memref.subview %x[16] [16] [1] : memref<32xi8, #dram> to memref<16xi8, strided<[1], offset: 16>, #dram>
  %a = memref_pool.alloc : memref<16xi8, #spad>
  accel.move @npu.mvin %low into %a : memref<16xi8, strided<[1]>, #dram>, memref<16xi8, #spad>
  %b = memref_pool.alloc : memref<16xi8, #spad>
  accel.move @npu.mvin %high into %b : memref<16xi8, strided<[1], offset: 16>, #dram>, memref<16xi8, #spad>
  %r = memref_pool.alloc : memref<16xi8, #spad>
  accel.call @npu.use ins(%a, %b : memref<16xi8, #spad>, memref<16xi8, #spad>) outs(%r : memref<16xi8, #spad>)
  accel.move @npu.mvout %r into %y : memref<16xi8, #spad>, memref<16xi8, #dram>
  call @writes_low(%x) : (memref<32xi8, #dram>) -> ()
  %c = memref_pool.alloc : memref<16xi8, #spad>
  accel.move @npu.mvin %low into %c : memref<16xi8, strided<[1]>, #dram>, memref<16xi8, #spad>
  %d = memref_pool.alloc : memref<16xi8, #spad>
  accel.move @npu.mvin %high into %d : memref<16xi8, strided<[1], offset: 16>, #dram>, memref<16xi8, #spad>
  accel.call @npu.use ins(%c, %d : memref<16xi8, #spad>, memref<16xi8, #spad>) outs(%r : memref<16xi8, #spad>)
  accel.move @npu.mvout %r into %z : memref<16xi8, #spad>, memref<16xi8, #dram>
  return
}
func.func private @writes_low(%x: memref<32xi8, #dram>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %v = arith.constant 1 : i8
  scf.for %i = %c0 to %c16 step %c4 {
    %quarter = memref.subview %x[%i] [4] [1] : memref<32xi8, #dram> to memref<4xi8, strided<[1], offset: ?>, #dram>
    linalg.fill ins(%v : i8) outs(%quarter : memref<4xi8, strided<[1], offset: ?>, #dram>)
  }
  return
}

// %a and %b are one buffer in the second call, so the second load may see what was stored in between.
// CHECK-LABEL: func.func @hands_over_twice
// CHECK-LABEL: func.func private @may_be_one
// CHECK-COUNT-2: accel.move @npu.mvin
// CHECK:         return
func.func @hands_over_twice(%x: memref<16xi8, #dram>, %y: memref<16xi8, #dram>) {
  call @may_be_one(%x, %y) : (memref<16xi8, #dram>, memref<16xi8, #dram>) -> ()
  call @may_be_one(%y, %y) : (memref<16xi8, #dram>, memref<16xi8, #dram>) -> ()
  return
}
func.func private @may_be_one(%a: memref<16xi8, #dram>, %b: memref<16xi8, #dram>) {
  %s = memref_pool.alloc : memref<16xi8, #spad>
  accel.move @npu.mvin %a into %s : memref<16xi8, #dram>, memref<16xi8, #spad>
  %r = memref_pool.alloc : memref<16xi8, #spad>
  accel.call @npu.use ins(%s, %s : memref<16xi8, #spad>, memref<16xi8, #spad>) outs(%r : memref<16xi8, #spad>)
  accel.move @npu.mvout %r into %b : memref<16xi8, #spad>, memref<16xi8, #dram>
  %t = memref_pool.alloc : memref<16xi8, #spad>
  accel.move @npu.mvin %a into %t : memref<16xi8, #dram>, memref<16xi8, #spad>
  accel.call @npu.use ins(%s, %t : memref<16xi8, #spad>, memref<16xi8, #spad>) outs(%r : memref<16xi8, #spad>)
  accel.move @npu.mvout %r into %b : memref<16xi8, #spad>, memref<16xi8, #dram>
  return
}

// The state is what it was, but for what @keeps stores there.
// CHECK-LABEL: func.func @keeps_state
// CHECK:         accel.move @npu.mvin
// CHECK:         call @keeps(
// CHECK:         accel.move @npu.mvin
// CHECK-NOT:     accel.move @npu.mvin
// CHECK-LABEL: func.func private @keeps
// CHECK:         accel.move @npu.mvout
func.func @keeps_state(%y: memref<16xi8, #dram>) {
  %g = memref.get_global @kept : memref<16xi8, #state>
  %a = memref_pool.alloc : memref<16xi8, #spad>
  accel.move @npu.mvin %g into %a : memref<16xi8, #state>, memref<16xi8, #spad>
  call @keeps(%a) : (memref<16xi8, #spad>) -> ()
  %b = memref_pool.alloc : memref<16xi8, #spad>
  accel.move @npu.mvin %g into %b : memref<16xi8, #state>, memref<16xi8, #spad>
  %r = memref_pool.alloc : memref<16xi8, #spad>
  accel.call @npu.use ins(%a, %b : memref<16xi8, #spad>, memref<16xi8, #spad>) outs(%r : memref<16xi8, #spad>)
  %again = memref.get_global @kept : memref<16xi8, #state>
  %c = memref_pool.alloc : memref<16xi8, #spad>
  accel.move @npu.mvin %again into %c : memref<16xi8, #state>, memref<16xi8, #spad>
  accel.call @npu.use ins(%c, %r : memref<16xi8, #spad>, memref<16xi8, #spad>) outs(%r : memref<16xi8, #spad>)
  accel.move @npu.mvout %r into %y : memref<16xi8, #spad>, memref<16xi8, #dram>
  return
}
func.func private @keeps(%a: memref<16xi8, #spad>) {
  %g = memref.get_global @kept : memref<16xi8, #state>
  %r = memref_pool.alloc : memref<16xi8, #spad>
  accel.call @npu.use ins(%a, %a : memref<16xi8, #spad>, memref<16xi8, #spad>) outs(%r : memref<16xi8, #spad>)
  accel.move @npu.mvout %r into %g : memref<16xi8, #spad>, memref<16xi8, #state>
  return
}
