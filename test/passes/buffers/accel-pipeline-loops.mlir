// RUN: forebay-opt %s --accel-pipeline-loops --split-input-file | FileCheck %s
// RUN: forebay-opt %s --accel-pipeline-loops=slots=1 --split-input-file | FileCheck %s --check-prefix=ONE

accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @dram workspace read [@cpu] write [@cpu]
memref_pool.pool @spad workspace local capacity 1024 base 0 read [@npu] write [@npu]
accel.queue @npu.load on @npu symbol "npu_load" depth 4
accel.queue @npu.run on @npu symbol "npu_run" depth 4
accel.transfer @npu.mvin on @npu symbol "npu_mvin" from [@dram] to [@spad] rank 2 queue @npu.load
accel.transfer @npu.mvout on @npu symbol "npu_mvout" from [@spad] to [@dram] rank 2 queue @npu.load
accel.intrinsic @npu.relu on @npu symbol "npu_relu"
  operands [#accel.operand<name = "x", access = in, pools = [@spad]>, #accel.operand<name = "y", access = out, pools = [@spad]>] queue @npu.run
accel.intrinsic @npu.tanh on @npu symbol "npu_tanh"
  operands [#accel.operand<name = "x", access = in, pools = [@spad]>, #accel.operand<name = "y", access = out, pools = [@spad]>]
accel.intrinsic @npu.sum on @npu symbol "npu_sum"
  operands [#accel.operand<name = "x", access = in, pools = [@spad]>, #accel.operand<name = "y", access = inout, pools = [@spad]>] queue @npu.run
accel.intrinsic @npu.widen on @npu symbol "npu_widen"
  operands [#accel.operand<name = "x", access = in, pools = [@dram]>, #accel.operand<name = "y", access = out, pools = [@spad]>] queue @npu.run

#dram = #memref_pool.space<@dram>
#spad = #memref_pool.space<@spad>

// ONE-NOT: accel.launch
// ONE-NOT: accel.unpipelined

// Two loads, then iterations 0 and 1, rounds from 2 to 6, and the last two without loads.
// CHECK-LABEL: func.func @rounds
// CHECK-DAG:     %[[C2:.*]] = arith.constant 2 : index
// CHECK-DAG:     %[[C6:.*]] = arith.constant 6 : index
// CHECK-DAG:     %[[A0:.*]] = memref_pool.alloc
// CHECK:         %[[L0:.*]] = accel.start @npu.mvin %{{.*}} into %[[IN0:[0-9a-z_]+]] :
// CHECK:         %[[L1:.*]] = accel.start @npu.mvin %{{.*}} into %[[IN1:[0-9a-z_]+]] :
// CHECK:         accel.wait %[[L0]]
// CHECK-NEXT:    %[[R0:.*]] = accel.launch @npu.relu ins(%[[IN0]] : {{.*}}) outs(%[[OUT0:.*]] : {{[^)]*}})
// CHECK:         %[[L2:.*]] = accel.start @npu.mvin %{{.*}} into %[[IN0]] after(%[[R0]])
// CHECK:         %[[S0:.*]] = accel.start @npu.mvout %[[OUT0]] into %{{.*}} after(%[[R0]])
// CHECK:         accel.wait %[[L1]]
// CHECK-NEXT:    %[[R1:.*]] = accel.launch @npu.relu ins(%[[IN1]] : {{.*}}) outs(%[[OUT1:.*]] : {{[^)]*}})
// CHECK:         %[[L3:.*]] = accel.start @npu.mvin %{{.*}} into %[[IN1]] after(%[[R1]])
// CHECK:         %[[S1:.*]] = accel.start @npu.mvout %[[OUT1]] into %{{.*}} after(%[[R1]])
// CHECK:         %[[END:.*]]:4 = scf.for %[[I:.*]] = %[[C2]] to %[[C6]] step %[[C2]]
// CHECK-SAME:        iter_args(%[[TL0:.*]] = %[[L2]], %[[TS0:.*]] = %[[S0]], %[[TL1:.*]] = %[[L3]], %[[TS1:.*]] = %[[S1]])
// CHECK:           accel.wait %[[TL0]], %[[TS0]]
// CHECK-NEXT:      %[[R:.*]] = accel.launch @npu.relu ins(%[[IN0]] : {{.*}}) outs(%[[OUT0]]
// CHECK:           %[[NL0:.*]] = accel.start @npu.mvin %{{.*}} into %[[IN0]] after(%[[R]])
// CHECK:           %[[NS0:.*]] = accel.start @npu.mvout %[[OUT0]] into %{{.*}} after(%[[R]])
// CHECK:           accel.wait %[[TL1]], %[[TS1]]
// CHECK:           %[[NL1:.*]] = accel.start @npu.mvin %{{.*}} into %[[IN1]]
// CHECK:           %[[NS1:.*]] = accel.start @npu.mvout %[[OUT1]]
// CHECK:           scf.yield %[[NL0]], %[[NS0]], %[[NL1]], %[[NS1]]
// CHECK:         }
// CHECK:         accel.wait %[[END]]#0, %[[END]]#1
// CHECK-NOT:     accel.start @npu.mvin
// CHECK:         %[[LAST0:.*]] = accel.start @npu.mvout
// CHECK:         accel.wait %[[END]]#2, %[[END]]#3
// CHECK:         %[[LAST1:.*]] = accel.start @npu.mvout
// CHECK-NEXT:    accel.wait %[[LAST0]]
// CHECK-NEXT:    accel.wait %[[LAST1]]
// CHECK-NEXT:    return
func.func @rounds(%x: memref<8x16xi8, #dram>, %y: memref<8x16xi8, #dram>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 8 : index
  scf.for %i = %c0 to %n step %c1 {
    %row = memref.subview %x[%i, 0] [1, 16] [1, 1] : memref<8x16xi8, #dram> to memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>
    %a = memref_pool.alloc : memref<1x16xi8, #spad>
    accel.move @npu.mvin %row into %a : memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>, memref<1x16xi8, #spad>
    %r = memref_pool.alloc : memref<1x16xi8, #spad>
    accel.call @npu.relu ins(%a : memref<1x16xi8, #spad>) outs(%r : memref<1x16xi8, #spad>)
    %out = memref.subview %y[%i, 0] [1, 16] [1, 1] : memref<8x16xi8, #dram> to memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>
    accel.move @npu.mvout %r into %out : memref<1x16xi8, #spad>, memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>
  }
  return
}

// A call that only fills a slot is a load, as a transfer is: both start before the first product. One that reads what
// the loop writes keeps its place.
// CHECK-LABEL: func.func @calls_that_load
// CHECK:         accel.launch @npu.widen ins(%{{.*}}) outs(%[[X0:[0-9a-z_]+]] :
// CHECK:         accel.start @npu.mvin
// CHECK:         accel.launch @npu.widen
// CHECK:         accel.start @npu.mvin
// CHECK:         accel.wait
// CHECK-NEXT:    accel.launch @npu.sum ins(%[[X0]]
// CHECK:         accel.launch @npu.widen ins(%{{.*}}) outs(%[[X0]]
func.func @calls_that_load(%x: memref<8x16xi8, #dram>, %y: memref<8x16xi8, #dram>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 8 : index
  scf.for %i = %c0 to %n step %c1 {
    %row = memref.subview %x[%i, 0] [1, 16] [1, 1] : memref<8x16xi8, #dram> to memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>
    %a = memref_pool.alloc : memref<1x16xi8, #spad>
    accel.call @npu.widen ins(%row : memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>) outs(%a : memref<1x16xi8, #spad>)
    %r = memref_pool.alloc : memref<1x16xi8, #spad>
    accel.move @npu.mvin %row into %r : memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>, memref<1x16xi8, #spad>
    accel.call @npu.sum ins(%a : memref<1x16xi8, #spad>) outs(%r : memref<1x16xi8, #spad>) accumulate [0]
    %out = memref.subview %y[%i, 0] [1, 16] [1, 1] : memref<8x16xi8, #dram> to memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>
    accel.move @npu.mvout %r into %out : memref<1x16xi8, #spad>, memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>
  }
  return
}

// CHECK-LABEL: func.func @a_call_that_reads_results
// CHECK:         accel.start @npu.mvin
// CHECK:         accel.start @npu.mvin
// CHECK-NOT:     accel.launch @npu.widen
// CHECK:         accel.wait
// CHECK-NEXT:    accel.launch @npu.sum
// CHECK:         accel.launch @npu.widen
func.func @a_call_that_reads_results(%x: memref<8x16xi8, #dram>, %y: memref<8x16xi8, #dram>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 8 : index
  scf.for %i = %c0 to %n step %c1 {
    %row = memref.subview %x[%i, 0] [1, 16] [1, 1] : memref<8x16xi8, #dram> to memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>
    %out = memref.subview %y[%i, 0] [1, 16] [1, 1] : memref<8x16xi8, #dram> to memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>
    %a = memref_pool.alloc : memref<1x16xi8, #spad>
    accel.move @npu.mvin %row into %a : memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>, memref<1x16xi8, #spad>
    accel.call @npu.sum ins(%a : memref<1x16xi8, #spad>) outs(%a : memref<1x16xi8, #spad>) accumulate [0]
    accel.move @npu.mvout %a into %out : memref<1x16xi8, #spad>, memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>
    %b = memref_pool.alloc : memref<1x16xi8, #spad>
    accel.call @npu.widen ins(%out : memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>) outs(%b : memref<1x16xi8, #spad>)
  }
  return
}

// Whole rounds are pipelined, where there are enough; the loop runs what is left.
// CHECK-LABEL: func.func @dynamic
// CHECK-SAME:    %[[N:[a-z0-9]+]]: index
// The rest never begins below the loop's own lower bound, whatever %n is.
// CHECK:         %[[SIGNED:.*]] = arith.ceildivsi
// CHECK:         %[[TRIPS:.*]] = arith.maxsi %[[SIGNED]], %c0
// CHECK:         %[[ENOUGH:.*]] = arith.cmpi sge, %[[TRIPS]], %c4
// CHECK:         %[[ROUNDS:.*]] = arith.divsi %[[TRIPS]], %c2
// CHECK:         %[[WHOLE:.*]] = arith.muli %[[ROUNDS]], %c2
// CHECK:         %[[MIDDLE:.*]] = arith.addi %{{.*}}, %{{.*}} : index
// CHECK:         scf.if %[[ENOUGH]] {
// CHECK:           scf.for
// CHECK:         %[[FROM:.*]] = arith.select %[[ENOUGH]], %[[MIDDLE]], %c0
// CHECK:         scf.for %{{.*}} = %[[FROM]] to %[[N]]
// CHECK:           accel.move @npu.mvin
// CHECK-NEXT:      memref_pool.alloc
// CHECK-NEXT:      accel.call
func.func @dynamic(%x: memref<8x16xi8, #dram>, %y: memref<8x16xi8, #dram>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %row = memref.subview %x[%i, 0] [1, 16] [1, 1] : memref<8x16xi8, #dram> to memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>
    %a = memref_pool.alloc : memref<1x16xi8, #spad>
    accel.move @npu.mvin %row into %a : memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>, memref<1x16xi8, #spad>
    %r = memref_pool.alloc : memref<1x16xi8, #spad>
    accel.call @npu.relu ins(%a : memref<1x16xi8, #spad>) outs(%r : memref<1x16xi8, #spad>)
    %out = memref.subview %y[%i, 0] [1, 16] [1, 1] : memref<8x16xi8, #dram> to memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>
    accel.move @npu.mvout %r into %out : memref<1x16xi8, #spad>, memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>
  }
  return
}

// A call that has no queue holds up the host, beside which the next tile is loaded.
// CHECK-LABEL: func.func @called
// CHECK:         scf.for {{.*}} iter_args(%[[L0:.*]] = %{{.*}}, %[[S0:.*]] = %{{.*}}, %{{.*}} = %{{.*}}, %{{.*}} = %{{.*}})
// CHECK:           accel.wait %[[L0]], %[[S0]]
// CHECK-NEXT:      accel.call @npu.tanh
// CHECK:           accel.start @npu.mvin %{{.*}} into %{{[0-9a-z_]+}} :
// CHECK:           accel.start @npu.mvout %{{.*}} into %{{[0-9a-z_]+}} :
func.func @called(%x: memref<8x16xi8, #dram>, %y: memref<8x16xi8, #dram>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 8 : index
  scf.for %i = %c0 to %n step %c1 {
    %row = memref.subview %x[%i, 0] [1, 16] [1, 1] : memref<8x16xi8, #dram> to memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>
    %a = memref_pool.alloc : memref<1x16xi8, #spad>
    accel.move @npu.mvin %row into %a : memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>, memref<1x16xi8, #spad>
    %r = memref_pool.alloc : memref<1x16xi8, #spad>
    accel.call @npu.tanh ins(%a : memref<1x16xi8, #spad>) outs(%r : memref<1x16xi8, #spad>)
    %out = memref.subview %y[%i, 0] [1, 16] [1, 1] : memref<8x16xi8, #dram> to memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>
    accel.move @npu.mvout %r into %out : memref<1x16xi8, #spad>, memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>
  }
  return
}

// The sums are the loop's, so they stay one buffer, and one queue adds to them in order.
// CHECK-LABEL: func.func @accumulate
// CHECK:         accel.move @npu.mvin %{{.*}} into %[[SUM:[0-9a-z_]+]] :
// CHECK-COUNT-2: accel.start @npu.mvin
// CHECK:         %[[END:.*]]:2 = scf.for
// CHECK-COUNT-2:   accel.launch @npu.sum {{.*}} outs(%[[SUM]]
// CHECK:           scf.yield
// CHECK:         accel.wait %[[END]]#0
// CHECK-NEXT:    %[[LAST0:.*]] = accel.launch @npu.sum {{.*}} outs(%[[SUM]] :
// CHECK:         accel.wait %[[END]]#1
// CHECK-NEXT:    %[[LAST1:.*]] = accel.launch @npu.sum {{.*}} outs(%[[SUM]] :
// CHECK-NEXT:    accel.wait %[[LAST0]]
// CHECK-NEXT:    accel.wait %[[LAST1]]
func.func @accumulate(%x: memref<8x16xi8, #dram>, %y: memref<8x16xi8, #dram>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 8 : index
  %s = memref_pool.alloc : memref<1x16xi8, #spad>
  %first = memref.subview %y[0, 0] [1, 16] [1, 1] : memref<8x16xi8, #dram> to memref<1x16xi8, strided<[16, 1]>, #dram>
  accel.move @npu.mvin %first into %s : memref<1x16xi8, strided<[16, 1]>, #dram>, memref<1x16xi8, #spad>
  scf.for %i = %c0 to %n step %c1 {
    %row = memref.subview %x[%i, 0] [1, 16] [1, 1] : memref<8x16xi8, #dram> to memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>
    %a = memref_pool.alloc : memref<1x16xi8, #spad>
    accel.move @npu.mvin %row into %a : memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>, memref<1x16xi8, #spad>
    accel.call @npu.sum ins(%a : memref<1x16xi8, #spad>) outs(%s : memref<1x16xi8, #spad>) accumulate [0]
  }
  return
}

// In place: each row is written behind its own load, and no other iteration's.
// CHECK-LABEL: func.func @in_place
// CHECK:         scf.for
// CHECK:           accel.launch
func.func @in_place(%x: memref<8x16xi8, #dram>, %y: memref<8x16xi8, #dram>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 8 : index
  scf.for %i = %c0 to %n step %c1 {
    %row = memref.subview %x[%i, 0] [1, 16] [1, 1] : memref<8x16xi8, #dram> to memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>
    %a = memref_pool.alloc : memref<1x16xi8, #spad>
    accel.move @npu.mvin %row into %a : memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>, memref<1x16xi8, #spad>
    %r = memref_pool.alloc : memref<1x16xi8, #spad>
    accel.call @npu.relu ins(%a : memref<1x16xi8, #spad>) outs(%r : memref<1x16xi8, #spad>)
    %out = memref.subview %x[%i, 0] [1, 16] [1, 1] : memref<8x16xi8, #dram> to memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>
    accel.move @npu.mvout %r into %out : memref<1x16xi8, #spad>, memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>
  }
  return
}

// Iteration i reads what i - 1 has written.
// CHECK-LABEL: func.func @depends
// CHECK:         scf.for
// CHECK:           accel.move
// CHECK:         } {accel.unpipelined = "'accel.move' at {{.*}} reads what 'accel.move' at {{.*}} may have written before"}
func.func @depends(%x: memref<8x16xi8, #dram>, %y: memref<8x16xi8, #dram>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 7 : index
  scf.for %i = %c0 to %n step %c1 {
    %j = arith.addi %i, %c1 : index
    %row = memref.subview %x[%i, 0] [1, 16] [1, 1] : memref<8x16xi8, #dram> to memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>
    %a = memref_pool.alloc : memref<1x16xi8, #spad>
    accel.move @npu.mvin %row into %a : memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>, memref<1x16xi8, #spad>
    %r = memref_pool.alloc : memref<1x16xi8, #spad>
    accel.call @npu.relu ins(%a : memref<1x16xi8, #spad>) outs(%r : memref<1x16xi8, #spad>)
    %out = memref.subview %x[%j, 0] [1, 16] [1, 1] : memref<8x16xi8, #dram> to memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>
    accel.move @npu.mvout %r into %out : memref<1x16xi8, #spad>, memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>
  }
  return
}

// Each iteration loads the row that it has stored itself.
// CHECK-LABEL: func.func @written_first
// CHECK:         } {accel.unpipelined = "'accel.move' at {{.*}} reads what 'accel.move' at {{.*}} may have written before"}
func.func @written_first(%x: memref<8x16xi8, #dram>, %w: memref<1x16xi8, #dram>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 8 : index
  %s = memref_pool.alloc : memref<1x16xi8, #spad>
  accel.move @npu.mvin %w into %s : memref<1x16xi8, #dram>, memref<1x16xi8, #spad>
  scf.for %i = %c0 to %n step %c1 {
    %row = memref.subview %x[%i, 0] [1, 16] [1, 1] : memref<8x16xi8, #dram> to memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>
    accel.move @npu.mvout %s into %row : memref<1x16xi8, #spad>, memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>
    %a = memref_pool.alloc : memref<1x16xi8, #spad>
    accel.move @npu.mvin %row into %a : memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>, memref<1x16xi8, #spad>
    accel.call @npu.sum ins(%a : memref<1x16xi8, #spad>) outs(%s : memref<1x16xi8, #spad>) accumulate [0]
  }
  return
}

// Where the tile is, the iteration reads itself.
// CHECK-LABEL: func.func @table
// CHECK:         } {accel.unpipelined = "where 'accel.move' at {{.*}} moves from is computed by the iteration itself, at {{.*}}"}
func.func @table(%x: memref<8x16xi8, #dram>, %y: memref<8x16xi8, #dram>, %t: memref<8xi32, #dram>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 8 : index
  scf.for %i = %c0 to %n step %c1 {
    %at32 = memref.load %t[%i] : memref<8xi32, #dram>
    %at = arith.index_cast %at32 : i32 to index
    %row = memref.subview %x[%at, 0] [1, 16] [1, 1] : memref<8x16xi8, #dram> to memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>
    %a = memref_pool.alloc : memref<1x16xi8, #spad>
    accel.move @npu.mvin %row into %a : memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>, memref<1x16xi8, #spad>
    %r = memref_pool.alloc : memref<1x16xi8, #spad>
    accel.call @npu.relu ins(%a : memref<1x16xi8, #spad>) outs(%r : memref<1x16xi8, #spad>)
    %out = memref.subview %y[%i, 0] [1, 16] [1, 1] : memref<8x16xi8, #dram> to memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>
    accel.move @npu.mvout %r into %out : memref<1x16xi8, #spad>, memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>
  }
  return
}

// CHECK-LABEL: func.func @carried
// CHECK:         } {accel.unpipelined = "where 'accel.move' at {{.*}} moves from is known only when the iteration before is over"}
func.func @carried(%x: memref<8x16xi8, #dram>, %y: memref<8x16xi8, #dram>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 8 : index
  %e = scf.for %i = %c0 to %n step %c1 iter_args(%at = %c0) -> (index) {
    %row = memref.subview %x[%at, 0] [1, 16] [1, 1] : memref<8x16xi8, #dram> to memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>
    %a = memref_pool.alloc : memref<1x16xi8, #spad>
    accel.move @npu.mvin %row into %a : memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>, memref<1x16xi8, #spad>
    %r = memref_pool.alloc : memref<1x16xi8, #spad>
    accel.call @npu.relu ins(%a : memref<1x16xi8, #spad>) outs(%r : memref<1x16xi8, #spad>)
    %out = memref.subview %y[%i, 0] [1, 16] [1, 1] : memref<8x16xi8, #dram> to memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>
    accel.move @npu.mvout %r into %out : memref<1x16xi8, #spad>, memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>
    %next = arith.addi %at, %c1 : index
    scf.yield %next : index
  }
  return
}

// The host would read sums that the queue adds to already.
// CHECK-LABEL: func.func @two_users
// CHECK:         } {accel.unpipelined = "'accel.call' at {{.*}} and 'accel.call' at {{.*}} use the same memory in different iterations, and nothing orders them; let one queue run both"}
func.func @two_users(%x: memref<8x16xi8, #dram>, %y: memref<8x16xi8, #dram>, %z: memref<1x16xi8, #dram>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 8 : index
  %s = memref_pool.alloc : memref<1x16xi8, #spad>
  accel.move @npu.mvin %z into %s : memref<1x16xi8, #dram>, memref<1x16xi8, #spad>
  scf.for %i = %c0 to %n step %c1 {
    %row = memref.subview %x[%i, 0] [1, 16] [1, 1] : memref<8x16xi8, #dram> to memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>
    %a = memref_pool.alloc : memref<1x16xi8, #spad>
    accel.move @npu.mvin %row into %a : memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>, memref<1x16xi8, #spad>
    %r = memref_pool.alloc : memref<1x16xi8, #spad>
    accel.call @npu.sum ins(%a : memref<1x16xi8, #spad>) outs(%s : memref<1x16xi8, #spad>) accumulate [0]
    accel.call @npu.tanh ins(%s : memref<1x16xi8, #spad>) outs(%r : memref<1x16xi8, #spad>)
    %out = memref.subview %y[%i, 0] [1, 16] [1, 1] : memref<8x16xi8, #dram> to memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>
    accel.move @npu.mvout %r into %out : memref<1x16xi8, #spad>, memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>
  }
  return
}

// CHECK-LABEL: func.func @once
// CHECK-NOT:     accel.start
// CHECK-NOT:     accel.unpipelined
func.func @once(%x: memref<8x16xi8, #dram>, %y: memref<8x16xi8, #dram>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %row = memref.subview %x[%i, 0] [1, 16] [1, 1] : memref<8x16xi8, #dram> to memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>
    %a = memref_pool.alloc : memref<1x16xi8, #spad>
    accel.move @npu.mvin %row into %a : memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>, memref<1x16xi8, #spad>
    %r = memref_pool.alloc : memref<1x16xi8, #spad>
    accel.call @npu.relu ins(%a : memref<1x16xi8, #spad>) outs(%r : memref<1x16xi8, #spad>)
    %out = memref.subview %y[%i, 0] [1, 16] [1, 1] : memref<8x16xi8, #dram> to memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>
    accel.move @npu.mvout %r into %out : memref<1x16xi8, #spad>, memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>
  }
  return
}

// What the program starts itself, it orders itself.
// CHECK-LABEL: func.func @by_hand
// CHECK:         accel.start
// CHECK-NOT:     accel.start
func.func @by_hand(%x: memref<8x16xi8, #dram>, %y: memref<8x16xi8, #dram>, %z: memref<1x16xi8, #dram>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 8 : index
  scf.for %i = %c0 to %n step %c1 {
    %b = memref_pool.alloc : memref<1x16xi8, #spad>
    %t = accel.start @npu.mvin %z into %b : memref<1x16xi8, #dram>, memref<1x16xi8, #spad>
    accel.wait %t
    %row = memref.subview %x[%i, 0] [1, 16] [1, 1] : memref<8x16xi8, #dram> to memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>
    %a = memref_pool.alloc : memref<1x16xi8, #spad>
    accel.move @npu.mvin %row into %a : memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>, memref<1x16xi8, #spad>
    %r = memref_pool.alloc : memref<1x16xi8, #spad>
    accel.call @npu.relu ins(%a : memref<1x16xi8, #spad>) outs(%r : memref<1x16xi8, #spad>)
    %out = memref.subview %y[%i, 0] [1, 16] [1, 1] : memref<8x16xi8, #dram> to memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>
    accel.move @npu.mvout %r into %out : memref<1x16xi8, #spad>, memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>
  }
  return
}

// -----

accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @dram workspace read [@cpu] write [@cpu]
memref_pool.pool @spad workspace local capacity 1024 base 0 read [@npu] write [@npu]
accel.queue @npu.load on @npu symbol "npu_load" depth 3
accel.queue @npu.run on @npu symbol "npu_run" depth 4
accel.transfer @npu.mvin on @npu symbol "npu_mvin" from [@dram] to [@spad] rank 2 queue @npu.load
accel.transfer @npu.mvout on @npu symbol "npu_mvout" from [@spad] to [@dram] rank 2 queue @npu.load
accel.intrinsic @npu.relu on @npu symbol "npu_relu"
  operands [#accel.operand<name = "x", access = in, pools = [@spad]>, #accel.operand<name = "y", access = out, pools = [@spad]>] queue @npu.run
accel.intrinsic @npu.tanh on @npu symbol "npu_tanh"
  operands [#accel.operand<name = "x", access = in, pools = [@spad]>, #accel.operand<name = "y", access = out, pools = [@spad]>]
accel.intrinsic @npu.sum on @npu symbol "npu_sum"
  operands [#accel.operand<name = "x", access = in, pools = [@spad]>, #accel.operand<name = "y", access = inout, pools = [@spad]>] queue @npu.run

#dram = #memref_pool.space<@dram>
#spad = #memref_pool.space<@spad>

// A load and a store each, twice: the queue is not deep enough.
// CHECK-LABEL: func.func @shallow
// CHECK:         } {accel.unpipelined = "an iteration gives 2 operations to @npu.load, which takes 3, but two iterations must be in it at once"}
func.func @shallow(%x: memref<8x16xi8, #dram>, %y: memref<8x16xi8, #dram>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 8 : index
  scf.for %i = %c0 to %n step %c1 {
    %row = memref.subview %x[%i, 0] [1, 16] [1, 1] : memref<8x16xi8, #dram> to memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>
    %a = memref_pool.alloc : memref<1x16xi8, #spad>
    accel.move @npu.mvin %row into %a : memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>, memref<1x16xi8, #spad>
    %r = memref_pool.alloc : memref<1x16xi8, #spad>
    accel.call @npu.relu ins(%a : memref<1x16xi8, #spad>) outs(%r : memref<1x16xi8, #spad>)
    %out = memref.subview %y[%i, 0] [1, 16] [1, 1] : memref<8x16xi8, #dram> to memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>
    accel.move @npu.mvout %r into %out : memref<1x16xi8, #spad>, memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>
  }
  return
}

// -----

accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @dram workspace read [@cpu] write [@cpu]
memref_pool.pool @spad workspace local capacity 48 base 0 read [@npu] write [@npu]
accel.queue @npu.load on @npu symbol "npu_load" depth 4
accel.queue @npu.run on @npu symbol "npu_run" depth 4
accel.transfer @npu.mvin on @npu symbol "npu_mvin" from [@dram] to [@spad] rank 2 queue @npu.load
accel.transfer @npu.mvout on @npu symbol "npu_mvout" from [@spad] to [@dram] rank 2 queue @npu.load
accel.intrinsic @npu.relu on @npu symbol "npu_relu"
  operands [#accel.operand<name = "x", access = in, pools = [@spad]>, #accel.operand<name = "y", access = out, pools = [@spad]>] queue @npu.run
accel.intrinsic @npu.tanh on @npu symbol "npu_tanh"
  operands [#accel.operand<name = "x", access = in, pools = [@spad]>, #accel.operand<name = "y", access = out, pools = [@spad]>]
accel.intrinsic @npu.sum on @npu symbol "npu_sum"
  operands [#accel.operand<name = "x", access = in, pools = [@spad]>, #accel.operand<name = "y", access = inout, pools = [@spad]>] queue @npu.run

#dram = #memref_pool.space<@dram>
#spad = #memref_pool.space<@spad>

// 32 bytes in a tile of each; 64 for two.
// CHECK-LABEL: func.func @no_room
// CHECK:         } {accel.unpipelined = "there is no room for a second slot of its buffers"}
func.func @no_room(%x: memref<8x16xi8, #dram>, %y: memref<8x16xi8, #dram>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 8 : index
  scf.for %i = %c0 to %n step %c1 {
    %row = memref.subview %x[%i, 0] [1, 16] [1, 1] : memref<8x16xi8, #dram> to memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>
    %a = memref_pool.alloc : memref<1x16xi8, #spad>
    accel.move @npu.mvin %row into %a : memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>, memref<1x16xi8, #spad>
    %r = memref_pool.alloc : memref<1x16xi8, #spad>
    accel.call @npu.relu ins(%a : memref<1x16xi8, #spad>) outs(%r : memref<1x16xi8, #spad>)
    %out = memref.subview %y[%i, 0] [1, 16] [1, 1] : memref<8x16xi8, #dram> to memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>
    accel.move @npu.mvout %r into %out : memref<1x16xi8, #spad>, memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>
  }
  return
}

// -----

accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @dram workspace read [@cpu] write [@cpu]
memref_pool.pool @spad workspace local capacity 1024 base 0 read [@npu] write [@npu]
accel.queue @npu.load on @npu symbol "npu_load" depth 4
accel.queue @npu.run on @npu symbol "npu_run" depth 4
accel.transfer @npu.mvin on @npu symbol "npu_mvin" from [@dram] to [@spad] rank 2 queue @npu.load
accel.transfer @npu.mvout on @npu symbol "npu_mvout" from [@spad] to [@dram] rank 2 queue @npu.load
accel.intrinsic @npu.relu on @npu symbol "npu_relu"
  operands [#accel.operand<name = "x", access = in, pools = [@spad]>, #accel.operand<name = "y", access = out, pools = [@spad]>] queue @npu.run
accel.intrinsic @npu.tanh on @npu symbol "npu_tanh"
  operands [#accel.operand<name = "x", access = in, pools = [@spad]>, #accel.operand<name = "y", access = out, pools = [@spad]>]
accel.intrinsic @npu.sum on @npu symbol "npu_sum"
  operands [#accel.operand<name = "x", access = in, pools = [@spad]>, #accel.operand<name = "y", access = inout, pools = [@spad]>] queue @npu.run

#dram = #memref_pool.space<@dram>
#spad = #memref_pool.space<@spad>

// The inner loop is pipelined, and waits for its operations at its end; so the outer one says why it stays.
// CHECK-LABEL: func.func @around
// CHECK:         scf.for
// CHECK:           accel.launch
// CHECK:         } {accel.unpipelined = "the loop at {{.*}} inside of it is pipelined, and ends its operations in each iteration"}
// CHECK-NEXT:    return
func.func @around(%x: memref<8x16xi8, #dram>, %y: memref<8x16xi8, #dram>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 8 : index
  scf.for %j = %c0 to %n step %c1 {
    scf.for %i = %c0 to %n step %c1 {
      %row = memref.subview %x[%i, 0] [1, 16] [1, 1] : memref<8x16xi8, #dram> to memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>
      %a = memref_pool.alloc : memref<1x16xi8, #spad>
      accel.move @npu.mvin %row into %a : memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>, memref<1x16xi8, #spad>
      %r = memref_pool.alloc : memref<1x16xi8, #spad>
      accel.call @npu.relu ins(%a : memref<1x16xi8, #spad>) outs(%r : memref<1x16xi8, #spad>)
      %out = memref.subview %y[%i, 0] [1, 16] [1, 1] : memref<8x16xi8, #dram> to memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>
      accel.move @npu.mvout %r into %out : memref<1x16xi8, #spad>, memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>
    }
  }
  return
}

// Pinned bytes are in one place.
// CHECK-LABEL: func.func @pinned
// CHECK:         } {accel.unpipelined = "its buffer at {{.*}} is pinned to one place"}
func.func @pinned(%x: memref<8x16xi8, #dram>, %y: memref<8x16xi8, #dram>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 8 : index
  scf.for %i = %c0 to %n step %c1 {
    %row = memref.subview %x[%i, 0] [1, 16] [1, 1] : memref<8x16xi8, #dram> to memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>
    %a = memref_pool.alloc pinned <@spad, 0> : memref<1x16xi8, #spad>
    accel.move @npu.mvin %row into %a : memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>, memref<1x16xi8, #spad>
    %r = memref_pool.alloc : memref<1x16xi8, #spad>
    accel.call @npu.relu ins(%a : memref<1x16xi8, #spad>) outs(%r : memref<1x16xi8, #spad>)
    %out = memref.subview %y[%i, 0] [1, 16] [1, 1] : memref<8x16xi8, #dram> to memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>
    accel.move @npu.mvout %r into %out : memref<1x16xi8, #spad>, memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>
  }
  return
}

// A device's stage takes no more than it was granted: two slots of both would be 64 bytes.
// CHECK-LABEL: func.func private @stage
// CHECK:         } {accel.unpipelined = "there is no room for a second slot of its buffers"}
func.func @granted(%x: memref<8x16xi8, #dram>, %y: memref<8x16xi8, #dram>) {
  func.call @stage(%x, %y) : (memref<8x16xi8, #dram>, memref<8x16xi8, #dram>) -> ()
  return
}
func.func private @stage(%x: memref<8x16xi8, #dram>, %y: memref<8x16xi8, #dram>)
    attributes {accel.granted = {spad = 63 : i64}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 8 : index
  scf.for %i = %c0 to %n step %c1 {
    %row = memref.subview %x[%i, 0] [1, 16] [1, 1] : memref<8x16xi8, #dram> to memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>
    %a = memref_pool.alloc : memref<1x16xi8, #spad>
    accel.move @npu.mvin %row into %a : memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>, memref<1x16xi8, #spad>
    %r = memref_pool.alloc : memref<1x16xi8, #spad>
    accel.call @npu.relu ins(%a : memref<1x16xi8, #spad>) outs(%r : memref<1x16xi8, #spad>)
    %out = memref.subview %y[%i, 0] [1, 16] [1, 1] : memref<8x16xi8, #dram> to memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>
    accel.move @npu.mvout %r into %out : memref<1x16xi8, #spad>, memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>
  }
  return
}

// The one that is in flight when the next iteration begins may be that iteration's own.
// CHECK-LABEL: func.func @chosen
// CHECK:         } {accel.unpipelined = "'accel.move' at {{.*}} uses one of several buffers, some of them the iteration's own"}
func.func @chosen(%x: memref<8x16xi8, #dram>, %which: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 8 : index
  %kept = memref_pool.alloc : memref<1x16xi8, #spad>
  scf.for %i = %c0 to %n step %c1 {
    %row = memref.subview %x[%i, 0] [1, 16] [1, 1] : memref<8x16xi8, #dram> to memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>
    %own = memref_pool.alloc : memref<1x16xi8, #spad>
    %one = arith.select %which, %kept, %own : memref<1x16xi8, #spad>
    accel.move @npu.mvin %row into %one : memref<1x16xi8, strided<[16, 1], offset: ?>, #dram>, memref<1x16xi8, #spad>
    %r = memref_pool.alloc : memref<1x16xi8, #spad>
    accel.call @npu.relu ins(%one : memref<1x16xi8, #spad>) outs(%r : memref<1x16xi8, #spad>)
  }
  return
}
