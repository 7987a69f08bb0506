// A running sum: state [16, 20) holds the sum, reset sets it to 100. Input and output are in the workspace.
memref_pool.pool @workspace workspace
memref_pool.pool @kept state reserved [0, 16]
func.func @main(%kept: memref<32xi8, #memref_pool.space<@kept>> {memref_pool.base},
                %workspace: memref<64xi8, #memref_pool.space<@workspace>> {memref_pool.base}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %sum = memref.view %kept[%c16][] : memref<32xi8, #memref_pool.space<@kept>>
      to memref<i32, #memref_pool.space<@kept>> loc("sum")
  %x = memref.view %workspace[%c0][] : memref<64xi8, #memref_pool.space<@workspace>>
      to memref<4xi16, #memref_pool.space<@workspace>> loc("x")
  %y = memref.view %workspace[%c32][] : memref<64xi8, #memref_pool.space<@workspace>>
      to memref<1xi32, #memref_pool.space<@workspace>> loc("y")
  %start = memref.load %sum[] : memref<i32, #memref_pool.space<@kept>>
  %end = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %start) -> (i32) {
    %v = memref.load %x[%i] : memref<4xi16, #memref_pool.space<@workspace>>
    %w = arith.extsi %v : i16 to i32
    %s = arith.addi %acc, %w : i32
    scf.yield %s : i32
  }
  memref.store %end, %sum[] : memref<i32, #memref_pool.space<@kept>>
  memref.store %end, %y[%c0] : memref<1xi32, #memref_pool.space<@workspace>>
  return
}
func.func @reset(%kept: memref<32xi8, #memref_pool.space<@kept>> {memref_pool.base}) {
  %c16 = arith.constant 16 : index
  %c100 = arith.constant 100 : i32
  %sum = memref.view %kept[%c16][] : memref<32xi8, #memref_pool.space<@kept>>
      to memref<i32, #memref_pool.space<@kept>> loc("sum")
  memref.store %c100, %sum[] : memref<i32, #memref_pool.space<@kept>>
  return
}
