// Two instances of one kind with a pool of weights that is filled at init: doubled on npu0, halved
// on npu1, then a dense layer on npu1; the host adds 1 before and takes the negative part away after.
#l2 = #memref_pool.space<@l2_mem>
#act = #memref_pool.space<@act_mem>
#wei = #memref_pool.space<@wei_mem>
#id = affine_map<(i) -> (i)>
#add = loc("add"("ADD"("net.tflite":0:0)))
#mul = loc("mul"("MUL"("net.tflite":1:0)))
#dense = loc("dense"("FULLY_CONNECTED"("net.tflite":2:0)))
#relu = loc("relu"("RELU"("net.tflite":3:0)))
accel.device @cpu kind "cpu" host
accel.device @npu0 kind "npu" base 1073741824
accel.device @npu1 kind "npu" base 1073745920
memref_pool.pool @l2_mem workspace read [@cpu, @npu0] write [@cpu]
memref_pool.pool @act_mem workspace section ".bss.act_mem"
memref_pool.pool @wei_mem constant fill at_init read [@npu0, @npu1]
accel.intrinsic @npu0.scale on @npu0 symbol "npu_scale"
  operands [#accel.operand<name = "x", access = in, align = 16>, #accel.operand<name = "y", access = out, pools = [@act_mem], align = 16>]
  scalars ["count", "numerator", "shift"] {
^bb0(%x: memref<?xi8>, %y: memref<?xi8>, %count: i32, %numerator: i32, %shift: i32):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.index_cast %count : i32 to index
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<?xi8>
    %wide = arith.extsi %v : i8 to i32
    %product = arith.muli %wide, %numerator : i32
    %scaled = arith.shrsi %product, %shift : i32
    %narrow = arith.trunci %scaled : i32 to i8
    memref.store %narrow, %y[%i] : memref<?xi8>
  }
  accel.yield
}
accel.intrinsic @npu1.scale on @npu1 symbol "npu_scale"
  operands [#accel.operand<name = "x", access = in, align = 16>, #accel.operand<name = "y", access = out>]
  scalars ["count", "numerator", "shift"]
accel.intrinsic @npu1.dense on @npu1 symbol "npu_dense"
  operands [#accel.operand<name = "x", access = in, pools = [@act_mem]>, #accel.operand<name = "sum", access = inout, pools = [@act_mem]>,
            #accel.operand<name = "w", access = in, pools = [@wei_mem]>]
  scalars ["rows", "columns"] {
^bb0(%x: memref<?xi8>, %sum: memref<?xi32>, %w: memref<?xi8>, %rows: i32, %columns: i32):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = arith.index_cast %rows : i32 to index
  %c = arith.index_cast %columns : i32 to index
  scf.for %i = %c0 to %r step %c1 {
    %start = arith.muli %i, %c : index
    %old = memref.load %sum[%i] : memref<?xi32>
    %new = scf.for %k = %c0 to %c step %c1 iter_args(%acc = %old) -> i32 {
      %at = arith.addi %start, %k : index
      %wv = memref.load %w[%at] : memref<?xi8>
      %xv = memref.load %x[%k] : memref<?xi8>
      %we = arith.extsi %wv : i8 to i32
      %xe = arith.extsi %xv : i8 to i32
      %p = arith.muli %we, %xe : i32
      %s = arith.addi %acc, %p overflow<nsw> : i32
      scf.yield %s : i32
    }
    memref.store %new, %sum[%i] : memref<?xi32>
  }
  accel.yield
}
memref.global "private" constant @weights : memref<3x8xi8, #wei> = dense<[[1, 2, 3, 4, 5, 6, 7, 8], [-1, -1, -1, -1, 1, 1, 1, 1], [-8, -7, -6, -5, -4, -3, -2, -1]]>

func.func @main(%in: memref<8xi8> {accel.name = "x"}, %out: memref<3xi32> {accel.name = "y", bufferize.result}) {
  %one = arith.constant 1 : i8
  %zero = arith.constant 0 : i32
  %a = memref_pool.alloc : memref<8xi8, #l2> loc(#add)
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%in : memref<8xi8>) outs(%a : memref<8xi8, #l2>) {
  ^bb0(%v: i8, %old: i8):
    %sum = arith.addi %v, %one : i8
    linalg.yield %sum : i8
  } loc(#add)
  %b = memref_pool.alloc : memref<8xi8, #act> loc(#mul)
  accel.call @npu0.scale ins(%a : memref<8xi8, #l2>) outs(%b : memref<8xi8, #act>)
    config {count = 8 : i64, numerator = 2 : i64, shift = 0 : i64} loc(#mul)
  %c = memref_pool.alloc : memref<8xi8, #act> loc(#mul)
  accel.call @npu1.scale ins(%b : memref<8xi8, #act>) outs(%c : memref<8xi8, #act>)
    config {count = 8 : i64, numerator = 1 : i64, shift = 1 : i64} loc(#mul)
  %d = memref_pool.alloc : memref<3xi32, #act> loc(#dense)
  linalg.fill ins(%zero : i32) outs(%d : memref<3xi32, #act>) loc(#dense)
  %w = memref.get_global @weights : memref<3x8xi8, #wei>
  accel.call @npu1.dense ins(%c, %w : memref<8xi8, #act>, memref<3x8xi8, #wei>)
    outs(%d : memref<3xi32, #act>) accumulate [0] config {rows = 3 : i64, columns = 8 : i64} loc(#dense)
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%d : memref<3xi32, #act>) outs(%out : memref<3xi32>) {
  ^bb0(%v: i32, %old: i32):
    %positive = arith.maxsi %v, %zero : i32
    linalg.yield %positive : i32
  } loc(#relu)
  return
}
