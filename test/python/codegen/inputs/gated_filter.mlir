// Every kind of pool at once. The input is scaled by a table in @tables and put into @dtcm, weighed by what lies in
// @flash into @sram, and added to the sum that @kept holds; the answer is the sum.
memref_pool.pool @dtcm workspace
memref_pool.pool @sram workspace
memref_pool.pool @flash constant
memref_pool.pool @tables constant
memref_pool.pool @kept state reserved [0, 16]
memref.global "private" constant @weights : memref<4xi8, #memref_pool.space<@flash>> = dense<[1, -2, 3, -4]> {memref_pool.placement = #memref_pool.placement<@flash, 0>}
memref.global "private" constant @gains : memref<4xi16, #memref_pool.space<@tables>> = dense<[10, 20, 30, 40]> {memref_pool.placement = #memref_pool.placement<@tables, 0>}
func.func private @scale_0(%dtcm: memref<32xi8, #memref_pool.space<@dtcm>> {memref_pool.base},
                           %tables: memref<8xi8, #memref_pool.space<@tables>> {memref_pool.base}, %samples: memref<4xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %scaled = memref.view %dtcm[%c0][] : memref<32xi8, #memref_pool.space<@dtcm>> to memref<4xi32, #memref_pool.space<@dtcm>> loc("scaled")
  %gains = memref.view %tables[%c0][] : memref<8xi8, #memref_pool.space<@tables>> to memref<4xi16, #memref_pool.space<@tables>>
  scf.for %i = %c0 to %c4 step %c1 {
    %v = memref.load %samples[%i] : memref<4xi8>
    %g = memref.load %gains[%i] : memref<4xi16, #memref_pool.space<@tables>>
    %ve = arith.extsi %v : i8 to i32
    %ge = arith.extsi %g : i16 to i32
    %p = arith.muli %ve, %ge : i32
    memref.store %p, %scaled[%i] : memref<4xi32, #memref_pool.space<@dtcm>>
  }
  return
} loc("scaled"("MUL"("gated.tflite":0:0)))
func.func private @weigh_1(%dtcm: memref<32xi8, #memref_pool.space<@dtcm>> {memref_pool.base},
                           %sram: memref<16xi8, #memref_pool.space<@sram>> {memref_pool.base},
                           %flash: memref<4xi8, #memref_pool.space<@flash>> {memref_pool.base}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %scaled = memref.view %dtcm[%c0][] : memref<32xi8, #memref_pool.space<@dtcm>> to memref<4xi32, #memref_pool.space<@dtcm>> loc("scaled")
  %weighed = memref.view %sram[%c0][] : memref<16xi8, #memref_pool.space<@sram>> to memref<4xi32, #memref_pool.space<@sram>> loc("weighed")
  %weights = memref.view %flash[%c0][] : memref<4xi8, #memref_pool.space<@flash>> to memref<4xi8, #memref_pool.space<@flash>>
  scf.for %i = %c0 to %c4 step %c1 {
    %v = memref.load %scaled[%i] : memref<4xi32, #memref_pool.space<@dtcm>>
    %w = memref.load %weights[%i] : memref<4xi8, #memref_pool.space<@flash>>
    %we = arith.extsi %w : i8 to i32
    %p = arith.muli %v, %we : i32
    memref.store %p, %weighed[%i] : memref<4xi32, #memref_pool.space<@sram>>
  }
  return
} loc("weighed"("MUL"("gated.tflite":1:0)))
func.func private @add_2(%sram: memref<16xi8, #memref_pool.space<@sram>> {memref_pool.base},
                         %kept: memref<32xi8, #memref_pool.space<@kept>> {memref_pool.base}, %sum: memref<1xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %weighed = memref.view %sram[%c0][] : memref<16xi8, #memref_pool.space<@sram>> to memref<4xi32, #memref_pool.space<@sram>> loc("weighed")
  %total = memref.view %kept[%c16][] : memref<32xi8, #memref_pool.space<@kept>> to memref<i32, #memref_pool.space<@kept>> loc("total")
  %start = memref.load %total[] : memref<i32, #memref_pool.space<@kept>>
  %end = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %start) -> (i32) {
    %v = memref.load %weighed[%i] : memref<4xi32, #memref_pool.space<@sram>>
    %s = arith.addi %acc, %v : i32
    scf.yield %s : i32
  }
  memref.store %end, %total[] : memref<i32, #memref_pool.space<@kept>>
  memref.store %end, %sum[%c0] : memref<1xi32>
  return
} loc("sum"("ADD"("gated.tflite":2:0)))
func.func @main(%dtcm: memref<32xi8, #memref_pool.space<@dtcm>> {memref_pool.base},
                %sram: memref<16xi8, #memref_pool.space<@sram>> {memref_pool.base},
                %flash: memref<4xi8, #memref_pool.space<@flash>> {memref_pool.base},
                %tables: memref<8xi8, #memref_pool.space<@tables>> {memref_pool.base},
                %kept: memref<32xi8, #memref_pool.space<@kept>> {memref_pool.base},
                %samples: memref<4xi8> {accel.name = "samples"}, %sum: memref<1xi32> {accel.name = "sum"}) {
  call @scale_0(%dtcm, %tables, %samples) : (memref<32xi8, #memref_pool.space<@dtcm>>, memref<8xi8, #memref_pool.space<@tables>>, memref<4xi8>) -> ()
  call @weigh_1(%dtcm, %sram, %flash) : (memref<32xi8, #memref_pool.space<@dtcm>>, memref<16xi8, #memref_pool.space<@sram>>, memref<4xi8, #memref_pool.space<@flash>>) -> ()
  call @add_2(%sram, %kept, %sum) : (memref<16xi8, #memref_pool.space<@sram>>, memref<32xi8, #memref_pool.space<@kept>>, memref<1xi32>) -> ()
  return
}
func.func @reset(%kept: memref<32xi8, #memref_pool.space<@kept>> {memref_pool.base}) {
  %c16 = arith.constant 16 : index
  %c0_i32 = arith.constant 0 : i32
  %total = memref.view %kept[%c16][] : memref<32xi8, #memref_pool.space<@kept>> to memref<i32, #memref_pool.space<@kept>> loc("total")
  memref.store %c0_i32, %total[] : memref<i32, #memref_pool.space<@kept>>
  return
}
