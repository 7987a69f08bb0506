// RUN: forebay-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{peak must be at least 1 MAC per cycle, but is 0}}
accel.device @npu kind "npu" peak 0

// -----

// expected-error @+1 {{base must not be negative, but is -16}}
accel.device @npu kind "npu" base -16

// -----

// expected-note @+1 {{the first one}}
accel.device @cpu kind "cpu" host
// expected-error @+1 {{is a second host; a module has one}}
accel.device @dsp kind "dsp" host

// -----

// expected-error @+1 {{"accel.on" must be the name of a device}}
module attributes {accel.on = "npu"} {}

// -----

accel.device @npu kind "npu"

// expected-error @+1 {{the name of an operand must not be empty}}
accel.intrinsic @f on @npu symbol "f" operands [#accel.operand<name = "", access = in>]

// -----

accel.device @npu kind "npu"

// expected-error @+1 {{alignment of operand 'x' must be a power of two, but is 24}}
accel.intrinsic @f on @npu symbol "f" operands [#accel.operand<name = "x", access = in, align = 24>]

// -----

accel.device @npu kind "npu"

// expected-error @+1 {{operand 'x' may be in no pool; leave pools out to let the device's access rights decide}}
accel.intrinsic @f on @npu symbol "f" operands [#accel.operand<name = "x", access = in, pools = []>]

// -----

accel.device @npu kind "npu"

// expected-error @+1 {{pools of operand 'x' must be names of pools, but are ["sram"]}}
accel.intrinsic @f on @npu symbol "f" operands [#accel.operand<name = "x", access = in, pools = ["sram"]>]

// -----

accel.device @npu kind "npu"

// expected-error @+1 {{symbol must be a C identifier, but is "2fast"}}
accel.intrinsic @f on @npu symbol "2fast" operands [#accel.operand<name = "x", access = out>]

// -----

accel.device @npu kind "npu"

// expected-error @+1 {{names an operand or scalar 'x y', which is no C identifier}}
accel.intrinsic @f on @npu symbol "f" operands [#accel.operand<name = "x y", access = out>]

// -----

accel.device @npu kind "npu"

// expected-error @+1 {{has the name 'x' twice}}
accel.intrinsic @f on @npu symbol "f" operands [#accel.operand<name = "x", access = out>] scalars ["x"]

// -----

// expected-error @+1 {{belongs to @npu, which is no device of the module}}
accel.intrinsic @f on @npu symbol "f" operands [#accel.operand<name = "x", access = out>]

// -----

accel.device @npu kind "npu"

// expected-error @+1 {{operand 'x' names @npu, which is no pool of the module}}
accel.intrinsic @f on @npu symbol "f" operands [#accel.operand<name = "x", access = out, pools = [@npu]>]

// -----

accel.device @npu kind "npu"

// expected-error @+1 {{reference must take 1 operands and 1 scalars, but takes 1 arguments}}
accel.intrinsic @f on @npu symbol "f" operands [#accel.operand<name = "x", access = out>] scalars ["n"] {
^bb0(%x: memref<?xi8>):
  accel.yield
}

// -----

accel.device @npu kind "npu"

// expected-error @+1 {{argument 0 of the reference must be a memref<?xT>, but is 'memref<4xi8>'}}
accel.intrinsic @f on @npu symbol "f" operands [#accel.operand<name = "x", access = out>] {
^bb0(%x: memref<4xi8>):
  accel.yield
}

// -----

accel.device @npu kind "npu"

// expected-error @+1 {{argument 1 of the reference is a scalar and must be i32, but is 'i64'}}
accel.intrinsic @f on @npu symbol "f" operands [#accel.operand<name = "x", access = out>] scalars ["n"] {
^bb0(%x: memref<?xi8>, %n: i64):
  accel.yield
}

// -----

accel.device @npu kind "npu"

// expected-error @+1 {{reference must end with accel.yield of nothing}}
accel.intrinsic @f on @npu symbol "f" operands [#accel.operand<name = "x", access = out>] scalars ["n"] {
^bb0(%x: memref<?xi8>, %n: i32):
  accel.yield %n : i32
}

// -----

accel.device @npu kind "npu"

// expected-error @+1 {{expects region #0 to have 0 or 1 blocks}}
accel.intrinsic @f on @npu symbol "f" operands [#accel.operand<name = "x", access = out>] {
^bb0(%x: memref<?xi8>):
  cf.br ^bb1
^bb1:
  accel.yield
}

// -----

accel.device @npu kind "npu"
accel.intrinsic @scale on @npu symbol "scale"
  operands [#accel.operand<name = "x", access = in>, #accel.operand<name = "y", access = out>] scalars ["n"]
func.func @main(%x: tensor<4xi8>, %y: tensor<4xi8>) {
  // expected-error @+1 {{calls @nothing, which is no intrinsic of the module}}
  %0 = accel.call @nothing outs(%y : tensor<4xi8>) -> tensor<4xi8>
  return
}

// -----

accel.device @npu kind "npu"
accel.intrinsic @scale on @npu symbol "scale"
  operands [#accel.operand<name = "x", access = in>, #accel.operand<name = "y", access = out>] scalars ["n"]
func.func @main(%x: tensor<4xi8>, %y: tensor<4xi8>) {
  // expected-error @+1 {{@scale takes 1 ins and 1 outs, but 0 and 1 are given}}
  %0 = accel.call @scale outs(%y : tensor<4xi8>) config {n = 4} -> tensor<4xi8>
  return
}

// -----

accel.device @npu kind "npu"
accel.intrinsic @scale on @npu symbol "scale"
  operands [#accel.operand<name = "x", access = in>, #accel.operand<name = "y", access = out>] scalars ["n"]
func.func @main(%x: tensor<4xi8>, %y: tensor<4xi8>) {
  // expected-error @+1 {{has no config for 'n'}}
  %0 = accel.call @scale ins(%x : tensor<4xi8>) outs(%y : tensor<4xi8>) -> tensor<4xi8>
  return
}

// -----

accel.device @npu kind "npu"
accel.intrinsic @scale on @npu symbol "scale"
  operands [#accel.operand<name = "x", access = in>, #accel.operand<name = "y", access = out>] scalars ["n"]
func.func @main(%x: tensor<4xi8>, %y: tensor<4xi8>) {
  // expected-error @+1 {{has config for 2 scalars, but @scale takes ["n"]}}
  %0 = accel.call @scale ins(%x : tensor<4xi8>) outs(%y : tensor<4xi8>) config {m = 1, n = 4} -> tensor<4xi8>
  return
}

// -----

accel.device @npu kind "npu"
accel.intrinsic @scale on @npu symbol "scale"
  operands [#accel.operand<name = "x", access = in>, #accel.operand<name = "y", access = out>] scalars ["n"]
func.func @main(%x: tensor<4xi8>, %y: tensor<4xi8>) {
  // expected-error @+1 {{config 'n' must be an i64 that fits into 32 bits, but is 4294967296 : i64}}
  %0 = accel.call @scale ins(%x : tensor<4xi8>) outs(%y : tensor<4xi8>) config {n = 4294967296} -> tensor<4xi8>
  return
}

// -----

accel.device @npu kind "npu"
accel.intrinsic @scale on @npu symbol "scale"
  operands [#accel.operand<name = "x", access = in>, #accel.operand<name = "y", access = out>] scalars ["n"]
func.func @main(%x: tensor<4xi8>, %y: tensor<4xi8>) {
  // expected-error @+1 {{operand 'y' is out, which accumulate must not list}}
  %0 = accel.call @scale ins(%x : tensor<4xi8>) outs(%y : tensor<4xi8>) accumulate [0] config {n = 4} -> tensor<4xi8>
  return
}

// -----

accel.device @npu kind "npu"
accel.intrinsic @scale on @npu symbol "scale"
  operands [#accel.operand<name = "x", access = in>, #accel.operand<name = "y", access = out>] scalars ["n"]
func.func @main(%x: tensor<4xi8>, %y: tensor<4xi8>) {
  // expected-error @+1 {{accumulate must list outs by ascending index, but is array<i64: 1>}}
  %0 = accel.call @scale ins(%x : tensor<4xi8>) outs(%y : tensor<4xi8>) accumulate [1] config {n = 4} -> tensor<4xi8>
  return
}

// -----

accel.device @npu kind "npu"
accel.intrinsic @scale on @npu symbol "scale"
  operands [#accel.operand<name = "x", access = in>, #accel.operand<name = "y", access = out>] scalars ["n"]
func.func @main(%x: memref<4xi8>, %y: tensor<4xi8>) {
  // expected-error @+1 {{is on tensors or on memrefs, not on both}}
  %0 = accel.call @scale ins(%x : memref<4xi8>) outs(%y : tensor<4xi8>) config {n = 4} -> tensor<4xi8>
  return
}

// -----

accel.device @npu kind "npu"
accel.intrinsic @scale on @npu symbol "scale"
  operands [#accel.operand<name = "x", access = in>, #accel.operand<name = "y", access = out>] scalars ["n"]
func.func @main(%x: tensor<4xi8>, %y: tensor<4xi8>) {
  // expected-error @+1 {{has one result per operand of outs, of its type, on tensors, and none on memrefs}}
  accel.call @scale ins(%x : tensor<4xi8>) outs(%y : tensor<4xi8>) config {n = 4}
  return
}

// -----

accel.device @npu kind "npu"
accel.intrinsic @scale on @npu symbol "scale"
  operands [#accel.operand<name = "x", access = in>, #accel.operand<name = "y", access = out>] scalars ["n"]
func.func @main(%x: tensor<4xi8>, %y: tensor<4xi8>) {
  // expected-error @+1 {{needs at least one operand in outs}}
  "accel.call"() <{callee = @scale, operandSegmentSizes = array<i32: 0, 0>}> : () -> ()
  return
}

// -----

accel.device @npu kind "npu"
accel.intrinsic @add on @npu symbol "add" operands [#accel.operand<name = "y", access = inout>]
func.func @main(%x: tensor<4xi8>, %y: tensor<4xi8>) {
  // expected-error @+1 {{operand 'y' is inout, which accumulate must list}}
  %0 = accel.call @add outs(%y : tensor<4xi8>) -> tensor<4xi8>
  return
}

// -----

accel.device @npu kind "npu"
accel.intrinsic @clear on @npu symbol "clear" operands [#accel.operand<name = "y", access = out>] {
^bb0(%y: memref<?xi32>):
  accel.yield
}
func.func @main(%x: tensor<4xi8>, %y: tensor<4xi8>) {
  // expected-error @+1 {{operand 'y' has elements of 'i8', but @clear takes 'i32'}}
  %0 = accel.call @clear outs(%y : tensor<4xi8>) -> tensor<4xi8>
  return
}

// -----

// expected-error @+1 {{is the host, which calls the others and has no handle}}
accel.device @cpu kind "cpu" host handle

// -----

// expected-error @+1 {{"accel.handle" of argument 0 must be the name of a device}}
func.func private @f(!accel.handle {accel.handle = "npu"})

// -----

// expected-error @+1 {{"accel.status" must have no value}}
func.func private @f() -> i32 attributes {accel.status = 1 : i32}

// -----

// expected-error @+1 {{operand 'x' has address flags, so it needs a list of pools inside a device}}
#x = #accel.operand<name = "x", access = in, flags = 16>

// -----

// expected-error @+1 {{flags of operand 'x' must be bits of a 32-bit address, but are 4294967296}}
#x = #accel.operand<name = "x", access = in, pools = [@acc], flags = 4294967296>

// -----

// expected-error @+1 {{"accel.interleaved" must be a positive integer}}
memref.global "private" constant @w : memref<16x3xi8> = dense<0> {accel.interleaved = 0 : i64}

// -----

// expected-error @+1 {{"accel.interleaved" 8 : i64 must divide the first dimension of a memref.global}}
memref.global "private" constant @w : memref<12x3xi8> = dense<0> {accel.interleaved = 8 : i64}

// -----

// expected-error @+1 {{"accel.interleaved" 8 : i64 must divide the first dimension of a memref.global}}
func.func private @f() attributes {accel.interleaved = 8 : i64}

// -----

// expected-error @+1 {{"accel.cpu" must be a string}}
func.func private @f() attributes {accel.cpu = 8 : i64}
