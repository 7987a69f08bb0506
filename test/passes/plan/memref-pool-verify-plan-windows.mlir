// RUN: forebay-opt %s --memref-pool-verify-plan

// Windows of a dilated convolution, clamped by divisions that round towards zero. Row y of the result is row y - 3 of the
// input, which no window from y on reads.

memref_pool.pool @ws workspace certificate <planner = "hand", peak = 1728, lower_bound = 1728>

func.func private @window(%in: memref<9x9x4xf32, #memref_pool.space<@ws>>, %y: index, %out: memref<9x9x4xf32, #memref_pool.space<@ws>>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c9 = arith.constant 9 : index
  %c10 = arith.constant 10 : index
  %top = arith.subi %y, %c2 : index
  %above = arith.subi %c1, %top : index
  %half = arith.divsi %above, %c2 : index
  %first = arith.maxsi %half, %c0 : index
  %below = arith.subi %c10, %top : index
  %rest = arith.divsi %below, %c2 : index
  %last = arith.minsi %rest, %c3 : index
  scf.for %x = %c0 to %c9 step %c1 {
    %left = arith.subi %x, %c2 : index
    %before = arith.subi %c1, %left : index
    %half_x = arith.divsi %before, %c2 : index
    %first_x = arith.maxsi %half_x, %c0 : index
    %behind = arith.subi %c10, %left : index
    %rest_x = arith.divsi %behind, %c2 : index
    %last_x = arith.minsi %rest_x, %c3 : index
    scf.for %c = %c0 to %c4 step %c1 {
      %sum = scf.for %ky = %first to %last step %c1 iter_args(%a = %zero) -> (f32) {
        %dy = arith.muli %ky, %c2 : index
        %row = arith.addi %top, %dy : index
        %inner = scf.for %kx = %first_x to %last_x step %c1 iter_args(%b = %a) -> (f32) {
          %dx = arith.muli %kx, %c2 : index
          %column = arith.addi %left, %dx : index
          %v = memref.load %in[%row, %column, %c] : memref<9x9x4xf32, #memref_pool.space<@ws>>
          %t = arith.addf %b, %v : f32
          scf.yield %t : f32
        }
        scf.yield %inner : f32
      }
      memref.store %sum, %out[%y, %x, %c] : memref<9x9x4xf32, #memref_pool.space<@ws>>
    }
  }
  return
}

func.func @in_place(%x: memref<9x9x4xf32>, %o: memref<9x9x4xf32>) {
  %in = memref_pool.alloc at <@ws, 432> : memref<9x9x4xf32, #memref_pool.space<@ws>>
  memref.copy %x, %in : memref<9x9x4xf32> to memref<9x9x4xf32, #memref_pool.space<@ws>>
  %out = memref_pool.alloc at <@ws, 0> : memref<9x9x4xf32, #memref_pool.space<@ws>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  scf.for %y = %c0 to %c9 step %c1 {
    func.call @window(%in, %y, %out) : (memref<9x9x4xf32, #memref_pool.space<@ws>>, index, memref<9x9x4xf32, #memref_pool.space<@ws>>) -> ()
  } {memref_pool.by_rows}
  memref.copy %out, %o : memref<9x9x4xf32, #memref_pool.space<@ws>> to memref<9x9x4xf32>
  return
}
