// A running sum that a device keeps: state [16, 20) holds it, the device sets it and adds to it in a loop.
#kept = #memref_pool.space<@kept>
accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @kept state reserved [0, 16]
accel.intrinsic @npu.add on @npu symbol "npu_add"
  operands [#accel.operand<name = "x", access = in>, #accel.operand<name = "sum", access = inout, pools = [@kept]>] {
^bb0(%x: memref<?xi8>, %sum: memref<?xi32>):
  %c0 = arith.constant 0 : index
  %narrow = memref.load %x[%c0] : memref<?xi8>
  %more = arith.extsi %narrow : i8 to i32
  %old = memref.load %sum[%c0] : memref<?xi32>
  %new = arith.addi %old, %more : i32
  memref.store %new, %sum[%c0] : memref<?xi32>
  accel.yield
}
accel.intrinsic @npu.set on @npu symbol "npu_set"
  operands [#accel.operand<name = "sum", access = out, pools = [@kept]>] scalars ["value"] {
^bb0(%sum: memref<?xi32>, %value: i32):
  %c0 = arith.constant 0 : index
  memref.store %value, %sum[%c0] : memref<?xi32>
  accel.yield
}
func.func private @add_4(%sum: memref<i32, #kept>, %x: memref<4xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %part = memref.subview %x[%i] [1] [1] : memref<4xi8> to memref<1xi8, strided<[1], offset: ?>>
    accel.call @npu.add ins(%part : memref<1xi8, strided<[1], offset: ?>>) outs(%sum : memref<i32, #kept>) accumulate [0]
  }
  return
}
func.func @main(%kept: memref<32xi8, #kept> {memref_pool.base}, %x: memref<4xi8>, %y: memref<1xi32>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %sum = memref.view %kept[%c16][] : memref<32xi8, #kept> to memref<i32, #kept> loc("sum")
  func.call @add_4(%sum, %x) : (memref<i32, #kept>, memref<4xi8>) -> ()
  %total = memref.load %sum[] : memref<i32, #kept>
  memref.store %total, %y[%c0] : memref<1xi32>
  return
}
func.func @reset(%kept: memref<32xi8, #kept> {memref_pool.base}) {
  %c16 = arith.constant 16 : index
  %sum = memref.view %kept[%c16][] : memref<32xi8, #kept> to memref<i32, #kept> loc("sum")
  accel.call @npu.set outs(%sum : memref<i32, #kept>) config {value = 100 : i64}
  return
}
