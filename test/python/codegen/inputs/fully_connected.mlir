memref_pool.pool @workspace workspace
memref_pool.pool @weights constant
memref.global "private" constant @w : memref<4x3xi8, #memref_pool.space<@weights>> = dense<[[1,2,3],[4,-5,6],[7,8,9],[10,11,127]]> {memref_pool.placement = #memref_pool.placement<@weights, 0>}
memref.global "private" constant @b : memref<4xi32, #memref_pool.space<@weights>> = dense<[100,-200,300,4]> {memref_pool.placement = #memref_pool.placement<@weights, 16>}
func.func private @fully_connected_0(%workspace: memref<64xi8, #memref_pool.space<@workspace>> {memref_pool.base}, %weights: memref<32xi8, #memref_pool.space<@weights>> {memref_pool.base}, %out: memref<2x4xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %zp = arith.constant 3 : i32
  %m = arith.constant 1073741824 : i32
  %s = arith.constant 33 : i8
  %lo = arith.constant -128 : i32
  %hi = arith.constant 127 : i32
  %x = memref.view %workspace[%c0][] : memref<64xi8, #memref_pool.space<@workspace>> to memref<2x3xi8, #memref_pool.space<@workspace>>
  %w = memref.view %weights[%c0][] : memref<32xi8, #memref_pool.space<@weights>> to memref<4x3xi8, #memref_pool.space<@weights>>
  %b = memref.view %weights[%c16][] : memref<32xi8, #memref_pool.space<@weights>> to memref<4xi32, #memref_pool.space<@weights>>
  scf.for %n = %c0 to %c2 step %c1 {
    scf.for %c = %c0 to %c4 step %c1 {
      %init = memref.load %b[%c] : memref<4xi32, #memref_pool.space<@weights>>
      %acc = scf.for %k = %c0 to %c3 step %c1 iter_args(%a = %init) -> (i32) {
        %xv = memref.load %x[%n, %k] : memref<2x3xi8, #memref_pool.space<@workspace>>
        %wv = memref.load %w[%c, %k] : memref<4x3xi8, #memref_pool.space<@weights>>
        %xe = arith.extsi %xv : i8 to i32
        %we = arith.extsi %wv : i8 to i32
        %xz = arith.subi %xe, %zp : i32
        %p = arith.muli %xz, %we : i32
        %t = arith.addi %a, %p : i32
        scf.yield %t : i32
      }
      %q = tosa.apply_scale %acc, %m, %s {rounding_mode = DOUBLE_ROUND} : (i32, i32, i8) -> i32
      %q0 = arith.maxsi %q, %lo : i32
      %q1 = arith.minsi %q0, %hi : i32
      %q2 = arith.trunci %q1 : i32 to i8
      memref.store %q2, %out[%n, %c] : memref<2x4xi8>
    }
  }
  return
} loc("dense/MatMul"("FULLY_CONNECTED"("net.tflite":0:0)))
func.func @main(%workspace: memref<64xi8, #memref_pool.space<@workspace>> {memref_pool.base}, %weights: memref<32xi8, #memref_pool.space<@weights>> {memref_pool.base}, %in: memref<2x3xi8> {accel.name="input_1"}, %out: memref<2x4xi8> {accel.name="Identity"}) {
  %c0 = arith.constant 0 : index
  %x = memref.view %workspace[%c0][] : memref<64xi8, #memref_pool.space<@workspace>> to memref<2x3xi8, #memref_pool.space<@workspace>>
  memref.copy %in, %x : memref<2x3xi8> to memref<2x3xi8, #memref_pool.space<@workspace>>
  call @fully_connected_0(%workspace, %weights, %out) : (memref<64xi8, #memref_pool.space<@workspace>>, memref<32xi8, #memref_pool.space<@weights>>, memref<2x4xi8>) -> ()
  return
}
