// RUN: forebay-opt %s --split-input-file --verify-diagnostics --memref-pool-carry-state

// expected-error @+1 {{the program has variables, but no pool of kind state that @host may read and write; attach a target that has one}}
module {
  tosa.variable @a = dense<0> : tensor<4xi8>
}

// -----

memref_pool.pool @kept state
tosa.variable @a = dense<0> : tensor<4xi8>
func.func @main(%c: i1, %x: tensor<4xi8>) {
  scf.if %c {
    // expected-error @+1 {{a variable is used inside a loop or branch; read it before and write it after}}
    tosa.variable_write @a, %x : tensor<4xi8>
  }
  return
}

// -----

memref_pool.pool @kept state
tosa.variable @a = dense<0> : tensor<4xi8>
func.func private @inner() -> tensor<4xi8> {
  // expected-error @+1 {{a variable is used in the private function @inner; pass its value as an argument and return the new one}}
  %0 = tosa.variable_read @a : tensor<4xi8>
  return %0 : tensor<4xi8>
}

// -----

memref_pool.pool @kept state
// expected-error @+1 {{a variable needs a static shape to be planned}}
tosa.variable @a : tensor<?xi8>
