// RUN: forebay-opt %s --split-input-file --verify-diagnostics --memref-pool-assign
// RUN: not forebay-opt %s --split-input-file --memref-pool-assign=io=elsewhere 2>&1 | FileCheck %s

// CHECK: error: option 'io' of pass 'memref-pool-assign' is 'caller' or 'pool', not 'elsewhere'

memref_pool.pool @flash constant
func.func @main() -> tensor<4xi8> {
  // expected-error @+1 {{no workspace pool that @host may write for tensor<4xi8>; workspace pools in the module: none. Attach a target first, or give @host the right}}
  %e = tensor.empty() : tensor<4xi8>
  // expected-note @+1 {{operand 1 of 'memref_pool.copy' needs it}}
  %c = memref_pool.copy %e into %e : tensor<4xi8>, tensor<4xi8> -> tensor<4xi8>
  return %c : tensor<4xi8>
}

// -----

accel.device @npu kind "npu"
memref_pool.pool @mem workspace
memref_pool.pool @rom constant read [@npu]
func.func @main() -> tensor<4xi8> {
  // expected-error @+1 {{no constant pool that @host may read for tensor<4xi8>; constant pools in the module: @rom. Attach a target first, or give @host the right}}
  %w = arith.constant dense<7> : tensor<4xi8>
  // expected-note @+1 {{operand 0 of 'memref_pool.copy' needs it}}
  return %w : tensor<4xi8>
}

// -----

memref_pool.pool @mem workspace
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'math.sqrt' is not known to the assignment of memory spaces; lower it to linalg, tensor, scf or accel first}}
  %s = math.sqrt %x : tensor<4xf32>
  return %s : tensor<4xf32>
}

// -----

memref_pool.pool @mem workspace
func.func private @elsewhere(tensor<4xf32>) -> tensor<4xf32>
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'func.call' is not known to the assignment of memory spaces; lower it to linalg, tensor, scf or accel first}}
  %s = func.call @elsewhere(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %s : tensor<4xf32>
}

// -----

memref_pool.pool @mem workspace
memref_pool.pool @rom constant
func.func @main() -> tensor<4xi8> {
  // expected-error @+1 {{a constant tensor needs dense elements to be placed in a pool; write it as dense<...>}}
  %w = arith.constant dense_resource<blob> : tensor<4xi8>
  return %w : tensor<4xi8>
}
{-#
  dialect_resources: { builtin: { blob: "0x0100000001020304" } }
#-}

// -----

// No pool suits all, and the host cannot copy.
accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @l2 workspace read [@npu] write [@cpu, @npu]
memref_pool.pool @act workspace read [@cpu, @npu] write [@npu]
accel.intrinsic @npu.f on @npu symbol "f" operands [
  #accel.operand<name = "x", access = in, pools = [@act]>, #accel.operand<name = "y", access = out, pools = [@l2]>]
func.func @main(%v: i8) {
  // expected-note @+2 {{the result of 'tensor.splat', here}}
  // expected-note @+1 {{the tensor comes from here}}
  %x = tensor.splat %v : tensor<4xi8>
  %e = tensor.empty() : tensor<4xi8>
  // expected-error @+1 {{tensor<4xi8> cannot be where all need it: operand "x" of @npu.f must be in @act, but the result of 'tensor.splat' must be in @l2 or the caller's memory. @cpu cannot copy it over: it may not read @l2 and it may not write @act. Widen one of the two, or give @cpu the right}}
  %0 = accel.call @npu.f ins(%x : tensor<4xi8>) outs(%e : tensor<4xi8>) -> tensor<4xi8>
  return
}

// -----

// A constant cannot be copied into a pool of constants that is wanted for what is computed.
accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @ws workspace
memref_pool.pool @wei constant
accel.intrinsic @npu.f on @npu symbol "f" operands [
  #accel.operand<name = "x", access = in, pools = [@wei]>, #accel.operand<name = "y", access = out>]
func.func @main(%v: i8) {
  // expected-note @+2 {{the result of 'tensor.splat', here}}
  // expected-note @+1 {{the tensor comes from here}}
  %x = tensor.splat %v : tensor<4xi8>
  %e = tensor.empty() : tensor<4xi8>
  // expected-error @+1 {{tensor<4xi8> cannot be where all need it: operand "x" of @npu.f must be in @wei, but the result of 'tensor.splat' must be in @ws or the caller's memory. @cpu cannot copy it over: @wei takes no copies. Widen one of the two, or give @cpu the right}}
  %0 = accel.call @npu.f ins(%x : tensor<4xi8>) outs(%e : tensor<4xi8>) -> tensor<4xi8>
  return
}

// -----

// One storage, two demands: no copy can part them.
accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @l2 workspace
memref_pool.pool @act workspace
accel.intrinsic @npu.f on @npu symbol "f" operands [#accel.operand<name = "y", access = out, pools = [@act]>]
func.func @main() {
  %e = tensor.empty() : tensor<4xi8>
  // expected-error @+3 {{tensor<4xi8> cannot be where all need it: memref_pool.candidates of 'accel.call' must be in @l2, but operand "y" of @npu.f must be in @act. No copy can part them: they are about the same bytes. Widen one of the two}}
  // expected-note @+2 {{operand "y" of @npu.f, here}}
  // expected-note @+1 {{the tensor comes from here}}
  %0 = accel.call @npu.f outs(%e : tensor<4xi8>) {memref_pool.candidates = #memref_pool.space<@l2>} -> tensor<4xi8>
  return
}

// -----

memref_pool.pool @l2 workspace
memref_pool.pool @act workspace
func.func @main(%v: i8) {
  // expected-error @+1 {{memref_pool.candidates of 'tensor.splat' names @l, which is no pool of the module; it has @l2, @act}}
  %0 = tensor.splat %v {memref_pool.candidates = #memref_pool.space<@l>} : tensor<4xi8>
  return
}

// -----

accel.device @cpu kind "cpu" host
accel.device @c kind "npu"
memref_pool.pool @l2 workspace read [@cpu] write [@cpu]
// expected-error @+1 {{no workspace pool that @c may read for tensor<4xi8>; workspace pools in the module: @l2. Attach a target first, or give @c the right}}
func.func @main(%x: tensor<4xi8>, %i: index) -> i8 attributes {accel.on = @c} {
  // expected-note @+1 {{operand 0 of 'tensor.extract' needs it}}
  %0 = tensor.extract %x[%i] : tensor<4xi8>
  return %0 : i8
}

// -----

memref_pool.pool @rom constant
func.func @main() {
  // expected-error @+1 {{tensor<4xi8> has nowhere to live: it is computed or overwritten at run time, and the module has no pool for that. Attach a target first, or declare one}}
  %e = tensor.empty() : tensor<4xi8>
  return
}

// -----

accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @dram workspace read [@cpu] write [@cpu]
memref_pool.pool @spad workspace local base 0 read [@npu] write [@npu]
accel.transfer @npu.mvin on @npu symbol "npu_mvin" from [@dram] to [@spad]  rank 2
func.func @main(%a: tensor<4xi8>) -> tensor<4xi8> {
  %e = tensor.empty() : tensor<4xi8>
  %b = memref_pool.copy %a into %e {memref_pool.candidates = #memref_pool.space<@spad>} : tensor<4xi8>, tensor<4xi8> -> tensor<4xi8>
  // expected-error @+1 {{no transfer moves from @spad, inside a device, and nothing else can; there are @npu.mvin to @spad. Declare one that does}}
  %c = memref_pool.copy %b into %e : tensor<4xi8>, tensor<4xi8> -> tensor<4xi8>
  return %c : tensor<4xi8>
}
