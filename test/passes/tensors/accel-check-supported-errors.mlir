// RUN: forebay-opt %s --accel-check-supported --split-input-file --verify-diagnostics

// Everything at once, in the order of the text; the same message once.

// expected-error@+3 {{argument 0 of @main is i32: an entry function takes and gives tensors or memrefs of a static shape, of i1, i8, i16, i32, i64, f32 and f64; make a scalar a tensor of one element (tensor.extract, tensor.from_elements)}}
// expected-error@+2 {{result 0 of @main is index: an entry function takes and gives tensors}}
// expected-error@+1 {{elements of type f16 have no place in memory here; there are i1, i8, i16, i32, i64, f32 and f64 (and at 3 more places)}}
func.func @main(%k: i32, %x: tensor<4xf16>) -> index {
  %c0 = arith.constant 0 : index
  %v = tensor.extract %x[%c0] : tensor<4xf16>
  // expected-error@+1 {{no step of the compiler takes 'tensor.splat': write it as linalg.fill of a tensor.empty (and at 1 more place)}}
  %0 = tensor.splat %v : tensor<4xf16>
  %1 = tensor.splat %v : tensor<4xf16>
  // expected-error@+1 {{no step of the compiler takes 'vector.print'; dialects that are compiled: accel, affine, arith, bufferization, func, linalg, math, memref, memref_pool, scf, tensor, tosa}}
  vector.print %k : i32
  // expected-error@+1 {{'arith.addf' on tensors; write linalg.generic (upstream's pass convert-elementwise-to-linalg does so)}}
  %2 = arith.addf %0, %1 : tensor<4xf16>
  return %c0 : index
}

// -----

func.func @main(%x: tensor<2xi1>) -> tensor<2xi1> {
  %c0 = arith.constant 0 : index
  %c = tensor.extract %x[%c0] : tensor<2xi1>
  // expected-error@+1 {{branches between the 3 blocks of @main: only structured control flow is compiled; write scf.if, scf.for or scf.while (upstream's pass lift-cf-to-scf does so)}}
  cf.cond_br %c, ^one, ^other
^one:
  return %x : tensor<2xi1>
^other:
  return %x : tensor<2xi1>
}

// -----

func.func @main(%x: tensor<2xi1>) -> tensor<2xi1> {
  %0 = scf.execute_region -> tensor<2xi1> {
    // expected-error@+1 {{branches between the 2 blocks of 'scf.execute_region': only structured}}
    cf.br ^next
  ^next:
    scf.yield %x : tensor<2xi1>
  }
  return %0 : tensor<2xi1>
}

// -----

// Each cycle once, at the call that closes it.
func.func private @f(%x: tensor<4xi8>) -> tensor<4xi8> {
  %0 = call @g(%x) : (tensor<4xi8>) -> tensor<4xi8>
  return %0 : tensor<4xi8>
}
func.func private @g(%x: tensor<4xi8>) -> tensor<4xi8> {
  %0 = call @leaf(%x) : (tensor<4xi8>) -> tensor<4xi8>
  // expected-error@+1 {{@f calls itself through @g, so each of its buffers would be alive several times at one static address; write the recursion as a loop}}
  %1 = call @f(%0) : (tensor<4xi8>) -> tensor<4xi8>
  return %1 : tensor<4xi8>
}
func.func private @leaf(%x: tensor<4xi8>) -> tensor<4xi8> {
  return %x : tensor<4xi8>
}
func.func private @own(%x: tensor<4xi8>) -> tensor<4xi8> {
  // expected-error@+1 {{@own calls itself, so each of its buffers}}
  %0 = call @own(%x) : (tensor<4xi8>) -> tensor<4xi8>
  return %0 : tensor<4xi8>
}

// -----

// expected-error@+1 {{'gpu.module' stands in the module itself; a program consists of functions (func.func), memref.global, tosa.variable, and the symbols of accel and memref_pool}}
gpu.module @kernels {
}

// expected-error@+1 {{result 0 of @extern, which has no body, is tensor<4xi8>: its memory is unknown; let the function write into an argument (bufferization.access = "write")}}
func.func private @extern(tensor<4xi8>) -> tensor<4xi8>

// -----

// 4 x 2^30 = 2^32; the zero does not hide the size of a row.
// expected-error@+1 {{tensor<0x4x1073741824xi8> has 4,294,967,296 elements; an int32_t index reaches 2,147,483,647}}
func.func private @huge(%x: tensor<0x4x1073741824xi8>) {
  return
}

// -----

// expected-error@+1 {{elements of type i4 have no place in memory here}}
memref.global "private" constant @nibbles : memref<4xi4> = dense<1>

// expected-error@+1 {{elements of type f16 have no place in memory here}}
tosa.variable @half = dense<1.0> : tensor<4xf16>

// -----

// expected-error@+1 {{tensor<*xi8> has no rank, so it has no size; give it a shape}}
func.func @main(%x: tensor<*xi8>) {
  return
}

// -----

// expected-error@+6 {{argument 0 of @main is memref<?xi8>: memory of the caller needs a static shape}}
// expected-error@+5 {{argument 1 of @main is memref<4xi8, strided<[2]>>: the caller hands over memory without gaps; leave out the layout}}
// expected-error@+4 {{argument 2 of @main is memref<4xi8, 3>: the caller's memory has no space; a pool's is #memref_pool.space<...>}}
// expected-error@+3 {{argument 3 of @main is tensor<4xi8, "rows">: its encoding would be lost; say memref_pool.candidates to name pools}}
// expected-error@+2 {{accel.dtype of argument 4 of @main, tensor<4xi8>, is 'float32'; it may be int8 or uint8}}
// expected-error@+1 {{accel.dtype of result 0 of @main, tensor<4xi8>, is 'object'; it may be int8 or uint8}}
func.func @main(%a: memref<?xi8>, %b: memref<4xi8, strided<[2]>>, %c: memref<4xi8, 3>, %d: tensor<4xi8, "rows">, %e: tensor<4xi8> {accel.dtype = "float32"}) -> (tensor<4xi8> {accel.dtype = "object"}) {
  return %e : tensor<4xi8>
}

// -----

func.func @main(%x: tensor<4xi32>) -> tensor<4xi32> {
  // expected-error@+1 {{elements of type ui32 have no place in memory here}}
  %e = tensor.empty() : tensor<4xui32>
  // expected-error@+1 {{the padding of 'tensor.pad' depends on the position; pad with one value}}
  %p = tensor.pad %x low[1] high[0] {
  ^bb0(%i: index):
    %v = arith.index_cast %i : index to i32
    tensor.yield %v : i32
  } : tensor<4xi32> to tensor<5xi32>
  // expected-error@+1 {{the elements of a constant must be in the text: dense<...>, no dense_resource or sparse}}
  %s = arith.constant sparse<[[1]], [5]> : tensor<4xi32>
  // expected-error@+1 {{'bufferization.alloc_tensor' with a copy; write linalg.copy into a tensor.empty}}
  %a = bufferization.alloc_tensor() copy(%x) : tensor<4xi32>
  // expected-error@+1 {{tosa.custom 'sine' of domain 'acme': only a pass of your own knows what it computes; lower it there (--pass before-partition=...)}}
  %c = tosa.custom %x {domain_name = "acme", operator_name = "sine", implementation_attrs = ""} : (tensor<4xi32>) -> tensor<4xi32>
  // expected-error@+1 {{no step of the compiler takes 'func.constant': functions are no values; call them by their symbols}}
  %f = func.constant @main : (tensor<4xi32>) -> tensor<4xi32>
  // expected-error@+2 {{no step of the compiler takes 'ub.unreachable'; dialects}}
  // expected-error@+1 {{@main ends without func.return; return from it}}
  ub.unreachable
}

// -----

func.func @main(%x: tensor<64xi8>, %n: tensor<1xi32>) -> tensor<64xi8> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %k = tensor.extract %n[%c0] : tensor<1xi32>
  %i = arith.index_cast %k : i32 to index
  // expected-error@+1 {{the size of 'tensor.extract_slice' depends on the elements of a tensor without a bound; take the smaller of it and what is there (arith.minui, affine.min)}}
  %s = tensor.extract_slice %x[0] [%i] [1] : tensor<64xi8> to tensor<?xi8>
  %m = arith.minui %i, %c64 : index
  %t = tensor.extract_slice %x[0] [%m] [1] : tensor<64xi8> to tensor<?xi8>
  %r = tensor.insert_slice %t into %x[0] [%m] [1] : tensor<?xi8> into tensor<64xi8>
  return %r : tensor<64xi8>
}
