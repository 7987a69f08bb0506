// RUN: not forebay-opt %s --memref-pool-choose="inputs=picture=sram" 2>&1 | FileCheck %s --check-prefix=INPUT
// RUN: not forebay-opt %s --memref-pool-choose="outputs=image=sram" 2>&1 | FileCheck %s --check-prefix=OUTPUT
// RUN: not forebay-opt %s --memref-pool-choose="constants=bias=sram" 2>&1 | FileCheck %s --check-prefix=CONSTANT
// RUN: not forebay-opt %s --memref-pool-choose="inputs=image=dram" 2>&1 | FileCheck %s --check-prefix=POOL
// RUN: not forebay-opt %s --memref-pool-choose="inputs=image" 2>&1 | FileCheck %s --check-prefix=FORM
// RUN: not forebay-opt %s --memref-pool-choose="inputs=image=sram+" 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not forebay-opt %s --memref-pool-choose="inputs=image=sram,image=dtcm" 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not forebay-opt %s --memref-pool-choose="rows=picture" 2>&1 | FileCheck %s --check-prefix=INPUT

// INPUT: error: there is no input 'picture'; inputs: 'image', 'mask'
// OUTPUT: error: there is no output 'image'; outputs: none has a name
// CONSTANT: error: there is no constant 'bias'; constants: 'weights'
// POOL: error: input 'image' cannot live in 'dram', which is no pool; pools: dtcm, sram
// FORM: error: a value of option 'inputs' of pass 'memref-pool-choose' is NAME=VALUE or NAME=VALUE+VALUE, not 'image'
// EMPTY: error: a value of option 'inputs' of pass 'memref-pool-choose' is NAME=VALUE or NAME=VALUE+VALUE, not 'image=sram+'
// TWICE: error: 'image=dtcm' repeats a tensor or a pool; name each once
memref_pool.pool @dtcm workspace
memref_pool.pool @sram workspace
func.func @main(%x: tensor<4xi8> {accel.name = "image"}, %y: tensor<4xi8> {accel.name = "mask"}) -> tensor<4xi8> {
  %w = arith.constant dense<1> : tensor<4xi8> loc("weights"("ADD"("net.tflite":0:0)))
  return %x : tensor<4xi8>
}
