// RUN: forebay-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{kind must not be empty}}
accel.device @host kind ""

// -----

#x = affine_map<(c, k) -> (c + k)>
#o = affine_map<(c) -> (c)>
func.func @f(%x: tensor<4xi8>, %o: tensor<3xi8>) {
  // expected-error @+1 {{has a result on tensors and none on memrefs}}
  accel.reduce [3 | 2] ins(%x : tensor<4xi8>) outs(%o : tensor<3xi8>) maps [#x, #o] init {
    %z = arith.constant 0 : i8
    accel.yield %z : i8
  } body {
  ^bb0(%acc: i8, %xe: i8):
    accel.yield %xe : i8
  } finish {
  ^bb0(%acc: i8, %count: i32):
    accel.yield %acc : i8
  }
  return
}

// -----

#x = affine_map<(c, k) -> (c + k)>
#o = affine_map<(c) -> (c)>
func.func @f(%x: tensor<4xi8>, %o: tensor<3xi8>) {
  // expected-error @+1 {{result type 'tensor<4xi8>' differs from the type of outs, 'tensor<3xi8>'}}
  %r = accel.reduce [3 | 2] ins(%x : tensor<4xi8>) outs(%o : tensor<3xi8>) maps [#x, #o] init {
    %z = arith.constant 0 : i8
    accel.yield %z : i8
  } body {
  ^bb0(%acc: i8, %xe: i8):
    accel.yield %xe : i8
  } finish {
  ^bb0(%acc: i8, %count: i32):
    accel.yield %acc : i8
  } -> tensor<4xi8>
  return
}

// -----

#x = affine_map<(c, k) -> (c + k)>
#o = affine_map<(c) -> (c)>
func.func @f(%x: tensor<4xi8>, %o: tensor<3xi8>) {
  // expected-error @+1 {{extents of the domain must be positive}}
  %r = accel.reduce [3 | 0] ins(%x : tensor<4xi8>) outs(%o : tensor<3xi8>) maps [#x, #o] init {
    %z = arith.constant 0 : i8
    accel.yield %z : i8
  } body {
  ^bb0(%acc: i8, %xe: i8):
    accel.yield %xe : i8
  } finish {
  ^bb0(%acc: i8, %count: i32):
    accel.yield %acc : i8
  } -> tensor<3xi8>
  return
}

// -----

#x = affine_map<(c, k) -> (c + k)>
#o = affine_map<(c) -> (c)>
func.func @f(%x: tensor<4xi8>, %o: tensor<3xi8>) {
  // expected-error @+1 {{needs one map per operand: 2, but has 1}}
  %r = accel.reduce [3 | 2] ins(%x : tensor<4xi8>) outs(%o : tensor<3xi8>) maps [#x] init {
    %z = arith.constant 0 : i8
    accel.yield %z : i8
  } body {
  ^bb0(%acc: i8, %xe: i8):
    accel.yield %xe : i8
  } finish {
  ^bb0(%acc: i8, %count: i32):
    accel.yield %acc : i8
  } -> tensor<3xi8>
  return
}

// -----

#x = affine_map<(c, k) -> (c + k)>
#o = affine_map<(c) -> (c)>
func.func @f(%x: tensor<4xi8>, %o: tensor<3xi8>) {
  // expected-error @+1 {{map 0 must take 2 dimensions to 1 indices, but is affine_map<(d0) -> (d0)>}}
  %r = accel.reduce [3 | 2] ins(%x : tensor<4xi8>) outs(%o : tensor<3xi8>) maps [#o, #o] init {
    %z = arith.constant 0 : i8
    accel.yield %z : i8
  } body {
  ^bb0(%acc: i8, %xe: i8):
    accel.yield %xe : i8
  } finish {
  ^bb0(%acc: i8, %count: i32):
    accel.yield %acc : i8
  } -> tensor<3xi8>
  return
}

// -----

#x = affine_map<(c, k) -> (c + k)>
#o = affine_map<(c) -> (c)>
#m = affine_map<(c, k) -> (c mod 2)>
func.func @f(%x: tensor<4xi8>, %o: tensor<3xi8>) {
  // expected-error @+1 {{map 0 is not linear: affine_map<(d0, d1) -> (d0 mod 2)>}}
  %r = accel.reduce [3 | 2] ins(%x : tensor<4xi8>) outs(%o : tensor<3xi8>) maps [#m, #o] init {
    %z = arith.constant 0 : i8
    accel.yield %z : i8
  } body {
  ^bb0(%acc: i8, %xe: i8):
    accel.yield %xe : i8
  } finish {
  ^bb0(%acc: i8, %count: i32):
    accel.yield %acc : i8
  } -> tensor<3xi8>
  return
}

// -----

#x = affine_map<(c, k) -> (c + k)>
#o = affine_map<(c) -> (c)>
#m = affine_map<(c) -> (c + 1)>
func.func @f(%x: tensor<4xi8>, %o: tensor<3xi8>) {
  // expected-error @+1 {{map 1 reaches 1 to 3 on axis 0 of size 3}}
  %r = accel.reduce [3 | 2] ins(%x : tensor<4xi8>) outs(%o : tensor<3xi8>) maps [#x, #m] init {
    %z = arith.constant 0 : i8
    accel.yield %z : i8
  } body {
  ^bb0(%acc: i8, %xe: i8):
    accel.yield %xe : i8
  } finish {
  ^bb0(%acc: i8, %count: i32):
    accel.yield %acc : i8
  } -> tensor<3xi8>
  return
}

// -----

#x = affine_map<(c, k) -> (c + k)>
#o = affine_map<(c) -> (c)>
#m = affine_map<(c) -> (0)>
func.func @f(%x: tensor<4xi8>, %o: tensor<3xi8>) {
  // expected-error @+1 {{the map of outs must reach every element exactly once, but is affine_map<(d0) -> (0)>}}
  %r = accel.reduce [3 | 2] ins(%x : tensor<4xi8>) outs(%o : tensor<3xi8>) maps [#x, #m] init {
    %z = arith.constant 0 : i8
    accel.yield %z : i8
  } body {
  ^bb0(%acc: i8, %xe: i8):
    accel.yield %xe : i8
  } finish {
  ^bb0(%acc: i8, %count: i32):
    accel.yield %acc : i8
  } -> tensor<3xi8>
  return
}

// -----

#x = affine_map<(c, k) -> (c + k)>
#o = affine_map<(c) -> (c)>
#m = affine_map<(c) -> (c * 2)>
func.func @f(%x: tensor<4xi8>, %o: tensor<3xi8>) {
  // expected-error @+1 {{the map of outs must reach every element exactly once, but is affine_map<(d0) -> (d0 * 2)>}}
  %r = accel.reduce [2 | 2] ins(%x : tensor<4xi8>) outs(%o : tensor<3xi8>) maps [#x, #m] init {
    %z = arith.constant 0 : i8
    accel.yield %z : i8
  } body {
  ^bb0(%acc: i8, %xe: i8):
    accel.yield %xe : i8
  } finish {
  ^bb0(%acc: i8, %count: i32):
    accel.yield %acc : i8
  } -> tensor<3xi8>
  return
}

// -----

#x = affine_map<(c, k) -> (c + k)>
#o = affine_map<(c) -> (c)>
func.func @f(%x: tensor<4xi8>, %o: tensor<3xi8>) {
  // expected-error @+1 {{init must yield at least one accumulator}}
  %r = accel.reduce [3 | 2] ins(%x : tensor<4xi8>) outs(%o : tensor<3xi8>) maps [#x, #o] init {
    accel.yield
  } body {
  ^bb0(%xe: i8):
    accel.yield
  } finish {
  ^bb0(%count: i32):
    %c = arith.constant 0 : i8
    accel.yield %c : i8
  } -> tensor<3xi8>
  return
}

// -----

#x = affine_map<(c, k) -> (c + k)>
#o = affine_map<(c) -> (c)>
func.func @f(%x: tensor<4xi8>, %o: tensor<3xi8>) {
  // expected-error @+1 {{init must take (), but takes ('i8')}}
  %r = accel.reduce [3 | 2] ins(%x : tensor<4xi8>) outs(%o : tensor<3xi8>) maps [#x, #o] init {
    ^bb0(%p: i8):
      accel.yield %p : i8
  } body {
  ^bb0(%acc: i8, %xe: i8):
    accel.yield %xe : i8
  } finish {
  ^bb0(%acc: i8, %count: i32):
    accel.yield %acc : i8
  } -> tensor<3xi8>
  return
}

// -----

#x = affine_map<(c, k) -> (c + k)>
#o = affine_map<(c) -> (c)>
func.func @f(%x: tensor<4xi8>, %o: tensor<3xi8>) {
  // expected-error @+1 {{body must take ('i8', 'i8'), but takes ('i8')}}
  %r = accel.reduce [3 | 2] ins(%x : tensor<4xi8>) outs(%o : tensor<3xi8>) maps [#x, #o] init {
    %z = arith.constant 0 : i8
    accel.yield %z : i8
  } body {
  ^bb0(%acc: i8):
    accel.yield %acc : i8
  } finish {
  ^bb0(%acc: i8, %count: i32):
    accel.yield %acc : i8
  } -> tensor<3xi8>
  return
}

// -----

#x = affine_map<(c, k) -> (c + k)>
#o = affine_map<(c) -> (c)>
func.func @f(%x: tensor<4xi8>, %o: tensor<3xi8>) {
  // expected-error @+1 {{body must yield ('i8'), but yields ('i8', 'i8')}}
  %r = accel.reduce [3 | 2] ins(%x : tensor<4xi8>) outs(%o : tensor<3xi8>) maps [#x, #o] init {
    %z = arith.constant 0 : i8
    accel.yield %z : i8
  } body {
  ^bb0(%acc: i8, %xe: i8):
    accel.yield %acc, %acc : i8, i8
  } finish {
  ^bb0(%acc: i8, %count: i32):
    accel.yield %acc : i8
  } -> tensor<3xi8>
  return
}

// -----

#x = affine_map<(c, k) -> (c + k)>
#o = affine_map<(c) -> (c)>
func.func @f(%x: tensor<4xi8>, %o: tensor<3xi8>) {
  // expected-error @+1 {{body must only compute, but has 'memref.alloc'}}
  %r = accel.reduce [3 | 2] ins(%x : tensor<4xi8>) outs(%o : tensor<3xi8>) maps [#x, #o] init {
    %z = arith.constant 0 : i8
    accel.yield %z : i8
  } body {
  ^bb0(%acc: i8, %xe: i8):
    %m = memref.alloc() : memref<1xi8>
    accel.yield %acc : i8
  } finish {
  ^bb0(%acc: i8, %count: i32):
    accel.yield %acc : i8
  } -> tensor<3xi8>
  return
}

// -----

#x = affine_map<(c, k) -> (c + k)>
#o = affine_map<(c) -> (c)>
func.func @f(%x: tensor<4xi8>, %o: tensor<3xi8>) {
  // expected-error @+1 {{finish must take ('i8', 'i32'), but takes ('i8')}}
  %r = accel.reduce [3 | 2] ins(%x : tensor<4xi8>) outs(%o : tensor<3xi8>) maps [#x, #o] init {
    %z = arith.constant 0 : i8
    accel.yield %z : i8
  } body {
  ^bb0(%acc: i8, %xe: i8):
    accel.yield %xe : i8
  } finish {
  ^bb0(%acc: i8):
    accel.yield %acc : i8
  } -> tensor<3xi8>
  return
}

// -----

#x = affine_map<(c, k) -> (c + k)>
#o = affine_map<(c) -> (c)>
func.func @f(%x: tensor<4xi8>, %o: tensor<3xi8>) {
  // expected-error @+1 {{finish must yield ('i8'), but yields ('i32')}}
  %r = accel.reduce [3 | 2] ins(%x : tensor<4xi8>) outs(%o : tensor<3xi8>) maps [#x, #o] init {
    %z = arith.constant 0 : i8
    accel.yield %z : i8
  } body {
  ^bb0(%acc: i8, %xe: i8):
    accel.yield %xe : i8
  } finish {
  ^bb0(%acc: i8, %count: i32):
    accel.yield %count : i32
  } -> tensor<3xi8>
  return
}

// -----

// expected-error @+1 {{"accel.name" of argument 0 must be a string}}
func.func private @f(tensor<1xi8> {accel.name = 1})

// -----

// expected-error @+1 {{"accel.scale" of argument 0 must be a float}}
func.func private @f(tensor<1xi8> {accel.scale = 1})

// -----

// expected-error @+1 {{"accel.zero_point" of result 0 must be an integer}}
func.func private @f() -> (tensor<1xi8> {accel.zero_point = 0.5})

// -----

// expected-error @+1 {{"accel.dtype" must be a string}}
module attributes {accel.dtype = 1} {}

// -----

#x = affine_map<(c, k) -> (c + k)>
#o = affine_map<(c) -> (c)>
func.func @f(%x: tensor<4xi8>, %o: tensor<3xi8>) {
  // expected-error @+1 {{init must end with accel.yield}}
  %r = accel.reduce [3 | 2] ins(%x : tensor<4xi8>) outs(%o : tensor<3xi8>) maps [#x, #o] init {
    llvm.unreachable
  } body {
  ^bb0(%acc: i8, %xe: i8):
    accel.yield %xe : i8
  } finish {
  ^bb0(%acc: i8, %count: i32):
    accel.yield %acc : i8
  } -> tensor<3xi8>
  return
}

// -----

#x = affine_map<(c, k) -> (c + k)>
#o = affine_map<(c) -> (c)>
func.func @f(%x: tensor<4xi8>, %o: tensor<3xi8>) {
  // expected-error @+1 {{body must end with accel.yield}}
  %r = accel.reduce [3 | 2] ins(%x : tensor<4xi8>) outs(%o : tensor<3xi8>) maps [#x, #o] init {
    %z = arith.constant 0 : i8
    accel.yield %z : i8
  } body {
  ^bb0(%acc: i8, %xe: i8):
    llvm.unreachable
  } finish {
  ^bb0(%acc: i8, %count: i32):
    accel.yield %acc : i8
  } -> tensor<3xi8>
  return
}

// -----

#x = affine_map<(c, k) -> (c + k)>
#o = affine_map<(c) -> (c)>
func.func @f(%x: tensor<4xi8>, %o: tensor<3xi8>, %a: tensor<2xi8>, %i: index) {
  // expected-error @+1 {{the box has size 3 at 1 in dimension 0 of extent 3}}
  %r = accel.reduce [3 | 2] at [1 | 0] sizes [3 | 2] ins(%x : tensor<4xi8>) outs(%o : tensor<3xi8>)
  maps [#x, #o] init {
    %z = arith.constant 0 : i8
    accel.yield %z : i8
  } body {
  ^bb0(%acc: i8, %xe: i8):
    accel.yield %xe : i8
  } finish {
  ^bb0(%acc: i8, %count: i32):
    accel.yield %acc : i8
  } -> tensor<3xi8>
  return
}

// -----

#x = affine_map<(c, k) -> (c + k)>
#o = affine_map<(c) -> (c)>
func.func @f(%x: tensor<4xi8>, %o: tensor<3xi8>, %a: tensor<2xi8>, %i: index) {
  // expected-error @+1 {{the box has size 4 in dimension 0 of extent 3}}
  %r = accel.reduce [3 | 2] at [%i | 0] sizes [4 | 2] ins(%x : tensor<4xi8>) outs(%o : tensor<3xi8>)
  maps [#x, #o] init {
    %z = arith.constant 0 : i8
    accel.yield %z : i8
  } body {
  ^bb0(%acc: i8, %xe: i8):
    accel.yield %xe : i8
  } finish {
  ^bb0(%acc: i8, %count: i32):
    accel.yield %acc : i8
  } -> tensor<3xi8>
  return
}

// -----

#x = affine_map<(c, k) -> (c + k)>
#o = affine_map<(c) -> (c)>
func.func @f(%x: tensor<4xi8>, %o: tensor<3xi8>, %a: tensor<2xi8>, %i: index) {
  // expected-error @+1 {{the box has size 0 at 0 in dimension 1 of extent 2}}
  %r = accel.reduce [3 | 2] at [0 | 0] sizes [3 | 0] ins(%x : tensor<4xi8>) outs(%o : tensor<3xi8>)
  maps [#x, #o] init {
    %z = arith.constant 0 : i8
    accel.yield %z : i8
  } body {
  ^bb0(%acc: i8, %xe: i8):
    accel.yield %xe : i8
  } finish {
  ^bb0(%acc: i8, %count: i32):
    accel.yield %acc : i8
  } -> tensor<3xi8>
  return
}

// -----

#x = affine_map<(c, k) -> (c + k)>
#o = affine_map<(c) -> (c)>
func.func @f(%x: tensor<4xi8>, %o: tensor<3xi8>, %a: tensor<2xi8>, %i: index) {
  // expected-error @+1 {{the box is all of dimension 1, so it must start at the constant 0 there}}
  %r = accel.reduce [3 | 2] at [0 | %i] sizes [3 | 2] ins(%x : tensor<4xi8>) outs(%o : tensor<3xi8>)
  maps [#x, #o] init {
    %z = arith.constant 0 : i8
    accel.yield %z : i8
  } body {
  ^bb0(%acc: i8, %xe: i8):
    accel.yield %xe : i8
  } finish {
  ^bb0(%acc: i8, %count: i32):
    accel.yield %acc : i8
  } -> tensor<3xi8>
  return
}

// -----

#x = affine_map<(c, k) -> (c + k)>
#o = affine_map<(c) -> (c)>
func.func @f(%x: tensor<4xi8>, %o: tensor<3xi8>, %a: tensor<2xi8>, %i: index) {
  // expected-error @+1 {{the box must have a start and a size for each of the 2 dimensions, but has 1 and 2}}
  %r = accel.reduce [3 | 2] at [0] sizes [3 | 2] ins(%x : tensor<4xi8>) outs(%o : tensor<3xi8>)
  maps [#x, #o] init {
    %z = arith.constant 0 : i8
    accel.yield %z : i8
  } body {
  ^bb0(%acc: i8, %xe: i8):
    accel.yield %xe : i8
  } finish {
  ^bb0(%acc: i8, %count: i32):
    accel.yield %acc : i8
  } -> tensor<3xi8>
  return
}

// -----

#x = affine_map<(c, k) -> (c + k)>
#o = affine_map<(c) -> (c)>
func.func @f(%x: tensor<4xi8>, %o: tensor<3xi8>, %a: tensor<2xi8>, %i: index) {
  // expected-error @+1 {{the box cuts the reduction, so it needs 1 accumulators ('i8'), but has 0}}
  %r = accel.reduce [3 | 2] at [0 | 0] sizes [3 | 1] ins(%x : tensor<4xi8>) outs(%o : tensor<3xi8>)
  maps [#x, #o] init {
    %z = arith.constant 0 : i8
    accel.yield %z : i8
  } body {
  ^bb0(%acc: i8, %xe: i8):
    accel.yield %xe : i8
  } finish {
  ^bb0(%acc: i8, %count: i32):
    accel.yield %acc : i8
  } -> tensor<3xi8>
  return
}

// -----

#x = affine_map<(c, k) -> (c + k)>
#o = affine_map<(c) -> (c)>
func.func @f(%x: tensor<4xi8>, %o: tensor<3xi8>, %a: tensor<2xi8>, %i: index) {
  // expected-error @+1 {{has accumulators, but its box has all of the reduction domain}}
  %r:2 = accel.reduce [3 | 2] at [0 | 0] sizes [2 | 2] ins(%x : tensor<4xi8>) outs(%o : tensor<3xi8>) accumulators(%a : tensor<2xi8>)
  maps [#x, #o] init {
    %z = arith.constant 0 : i8
    accel.yield %z : i8
  } body {
  ^bb0(%acc: i8, %xe: i8):
    accel.yield %xe : i8
  } finish {
  ^bb0(%acc: i8, %count: i32):
    accel.yield %acc : i8
  } -> tensor<3xi8>, tensor<2xi8>
  return
}

// -----

#x = affine_map<(c, k) -> (c + k)>
#o = affine_map<(c) -> (c)>
func.func @f(%x: tensor<4xi8>, %o: tensor<3xi8>, %a: tensor<2xi8>, %i: index) {
  // expected-error @+1 {{accumulator 0 must be 'tensor<3xi8>' or a memref of that shape, but is 'tensor<2xi8>'}}
  %r:2 = accel.reduce [3 | 2] at [0 | 0] sizes [3 | 1] ins(%x : tensor<4xi8>) outs(%o : tensor<3xi8>) accumulators(%a : tensor<2xi8>)
  maps [#x, #o] init {
    %z = arith.constant 0 : i8
    accel.yield %z : i8
  } body {
  ^bb0(%acc: i8, %xe: i8):
    accel.yield %xe : i8
  } finish {
  ^bb0(%acc: i8, %count: i32):
    accel.yield %acc : i8
  } -> tensor<3xi8>, tensor<2xi8>
  return
}

// -----

#x = affine_map<(c, k) -> (c + k)>
#o = affine_map<(c) -> (c)>
func.func @f(%x: tensor<4xi8>, %o: tensor<3xi8>) {
  // expected-error @+1 {{expected 1 sizes before '|'}}
  %r = accel.reduce [3 | 2] at [0 | 0] sizes [3, 2] ins(%x : tensor<4xi8>)
}

// -----

#x = affine_map<(c, k) -> (c + k)>
#o = affine_map<(c) -> (c)>
func.func @f(%x: tensor<4xi8>, %o: tensor<3xi8>, %a: memref<3xi8>) {
  // expected-error @+1 {{outs and accumulators must all be tensors, or all be memrefs}}
  %r = accel.reduce [3 | 2] at [0 | 0] sizes [3 | 1] ins(%x : tensor<4xi8>) outs(%o : tensor<3xi8>) accumulators(%a : memref<3xi8>)
  maps [#x, #o] init {
    %z = arith.constant 0 : i8
    accel.yield %z : i8
  } body {
  ^bb0(%acc: i8, %xe: i8):
    accel.yield %xe : i8
  } finish {
  ^bb0(%acc: i8, %count: i32):
    accel.yield %acc : i8
  } -> tensor<3xi8>
  return
}

// -----

func.func @too_few_blocks(%x: memref<4x8xi32>, %o: memref<4xi32>) {
  // expected-error @+1 {{needs a block for each of the 2 dimensions, but has 1}}
  accel.reduce [4 | 8] ins(%x : memref<4x8xi32>) outs(%o : memref<4xi32>)
    maps [affine_map<(i, k) -> (i, k)>, affine_map<(i) -> (i)>] blocks [2] init {
      %zero = arith.constant 0 : i32
      accel.yield %zero : i32
    } body {
    ^bb0(%acc: i32, %x0: i32):
      %sum = arith.addi %acc, %x0 : i32
      accel.yield %sum : i32
    } finish {
    ^bb0(%acc: i32, %count: i32):
      accel.yield %acc : i32
    }
  return
}

// -----

func.func @a_block_of_points_that_does_not_divide(%x: memref<4x8xi32>, %o: memref<4xi32>) {
  // expected-error @+1 {{has blocks of 3 in reduction dimension 1, which do not divide its size 8}}
  accel.reduce [4 | 8] ins(%x : memref<4x8xi32>) outs(%o : memref<4xi32>)
    maps [affine_map<(i, k) -> (i, k)>, affine_map<(i) -> (i)>] blocks [3, 3] init {
      %zero = arith.constant 0 : i32
      accel.yield %zero : i32
    } body {
    ^bb0(%acc: i32, %x0: i32):
      %sum = arith.addi %acc, %x0 : i32
      accel.yield %sum : i32
    } finish {
    ^bb0(%acc: i32, %count: i32):
      accel.yield %acc : i32
    }
  return
}

// -----

func.func @a_block_beyond_the_extent(%x: memref<4x8xi32>, %o: memref<4xi32>) {
  // expected-error @+1 {{has blocks of 5 in dimension 0 of size 4}}
  accel.reduce [4 | 8] ins(%x : memref<4x8xi32>) outs(%o : memref<4xi32>)
    maps [affine_map<(i, k) -> (i, k)>, affine_map<(i) -> (i)>] blocks [5, 1] init {
      %zero = arith.constant 0 : i32
      accel.yield %zero : i32
    } body {
    ^bb0(%acc: i32, %x0: i32):
      %sum = arith.addi %acc, %x0 : i32
      accel.yield %sum : i32
    } finish {
    ^bb0(%acc: i32, %count: i32):
      accel.yield %acc : i32
    }
  return
}

// -----

func.func @words_without_blocks(%x: memref<4x8xi8>, %w: memref<4x8xi8>, %o: memref<4xi32>) {
  // expected-error @+1 {{has words, which need blocks of as many dimensions}}
  accel.reduce [4 | 8] ins(%x, %w : memref<4x8xi8>, memref<4x8xi8>) outs(%o : memref<4xi32>)
    maps [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i, k)>, affine_map<(i) -> (i)>] words [1, 4] init {
      %zero = arith.constant 0 : i32
      accel.yield %zero : i32
    } body {
    ^bb0(%acc: i32, %x0: i8, %w0: i8):
      %x1 = arith.extsi %x0 : i8 to i32
      %w1 = arith.extsi %w0 : i8 to i32
      %product = arith.muli %x1, %w1 : i32
      %sum = arith.addi %acc, %product : i32
      accel.yield %sum : i32
    } finish {
    ^bb0(%acc: i32, %count: i32):
      accel.yield %acc : i32
    }
  return
}

// -----

func.func @words_that_do_not_divide_blocks(%x: memref<4x8xi8>, %w: memref<4x8xi8>, %o: memref<4xi32>) {
  // expected-error @+1 {{has words of 4 in dimension 1, which do not divide its blocks of 6}}
  accel.reduce [4 | 8] ins(%x, %w : memref<4x8xi8>, memref<4x8xi8>) outs(%o : memref<4xi32>)
    maps [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i, k)>, affine_map<(i) -> (i)>] blocks [1, 6] words [1, 4] init {
      %zero = arith.constant 0 : i32
      accel.yield %zero : i32
    } body {
    ^bb0(%acc: i32, %x0: i8, %w0: i8):
      %x1 = arith.extsi %x0 : i8 to i32
      %w1 = arith.extsi %w0 : i8 to i32
      %product = arith.muli %x1, %w1 : i32
      %sum = arith.addi %acc, %product : i32
      accel.yield %sum : i32
    } finish {
    ^bb0(%acc: i32, %count: i32):
      accel.yield %acc : i32
    }
  return
}

// -----

func.func @words_in_two_dimensions(%x: memref<4x8xi8>, %w: memref<4x8xi8>, %o: memref<4xi32>) {
  // expected-error @+1 {{has words in more than one dimension}}
  accel.reduce [4 | 8] ins(%x, %w : memref<4x8xi8>, memref<4x8xi8>) outs(%o : memref<4xi32>)
    maps [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i, k)>, affine_map<(i) -> (i)>] blocks [4, 4] words [4, 4] init {
      %zero = arith.constant 0 : i32
      accel.yield %zero : i32
    } body {
    ^bb0(%acc: i32, %x0: i8, %w0: i8):
      %x1 = arith.extsi %x0 : i8 to i32
      %w1 = arith.extsi %w0 : i8 to i32
      %product = arith.muli %x1, %w1 : i32
      %sum = arith.addi %acc, %product : i32
      accel.yield %sum : i32
    } finish {
    ^bb0(%acc: i32, %count: i32):
      accel.yield %acc : i32
    }
  return
}

// -----

func.func @words_along_fewer_lanes(%x: memref<4x8xi8>, %w: memref<4x8xi8>, %o: memref<4xi32>) {
  // expected-error @+1 {{has words in more than one dimension}}
  accel.reduce [4 | 8] ins(%x, %w : memref<4x8xi8>, memref<4x8xi8>) outs(%o : memref<4xi32>)
    maps [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i, k)>, affine_map<(i) -> (i)>] blocks [4, 4] words [4, 4] lanes [2, 1] init {
      %zero = arith.constant 0 : i32
      accel.yield %zero : i32
    } body {
    ^bb0(%acc: i32, %x0: i8, %w0: i8):
      accel.yield %acc : i32
    } finish {
    ^bb0(%acc: i32, %count: i32):
      accel.yield %acc : i32
    }
  return
}

// -----

func.func @words_along_other_lanes(%x: memref<4x4x8xi8>, %w: memref<4x4x8xi8>, %o: memref<4x4xi32>) {
  // expected-error @+1 {{has words in more than one dimension}}
  accel.reduce [4, 4 | 8] ins(%x, %w : memref<4x4x8xi8>, memref<4x4x8xi8>) outs(%o : memref<4x4xi32>)
    maps [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j) -> (i, j)>] blocks [4, 4, 4] words [4, 1, 4] lanes [1, 4, 1] init {
      %zero = arith.constant 0 : i32
      accel.yield %zero : i32
    } body {
    ^bb0(%acc: i32, %x0: i8, %w0: i8):
      accel.yield %acc : i32
    } finish {
    ^bb0(%acc: i32, %count: i32):
      accel.yield %acc : i32
    }
  return
}

// -----

func.func @words_in_two_dimensions_of_lanes(%x: memref<4x4x8xi8>, %w: memref<4x4x8xi8>, %o: memref<4x4xi32>) {
  // expected-error @+1 {{has words in more than one dimension}}
  accel.reduce [4, 4 | 8] ins(%x, %w : memref<4x4x8xi8>, memref<4x4x8xi8>) outs(%o : memref<4x4xi32>)
    maps [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j) -> (i, j)>] blocks [4, 4, 1] words [4, 4, 1] lanes [4, 1, 1] init {
      %zero = arith.constant 0 : i32
      accel.yield %zero : i32
    } body {
    ^bb0(%acc: i32, %x0: i8, %w0: i8):
      accel.yield %acc : i32
    } finish {
    ^bb0(%acc: i32, %count: i32):
      accel.yield %acc : i32
    }
  return
}

// -----

func.func @words_in_three_dimensions(%x: memref<4x4x8xi8>, %w: memref<4x4x8xi8>, %o: memref<4x4xi32>) {
  // expected-error @+1 {{has words in more than one dimension}}
  accel.reduce [4, 4 | 8] ins(%x, %w : memref<4x4x8xi8>, memref<4x4x8xi8>) outs(%o : memref<4x4xi32>)
    maps [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j) -> (i, j)>] blocks [4, 4, 4] words [4, 4, 4] lanes [4, 1, 1] init {
      %zero = arith.constant 0 : i32
      accel.yield %zero : i32
    } body {
    ^bb0(%acc: i32, %x0: i8, %w0: i8):
      accel.yield %acc : i32
    } finish {
    ^bb0(%acc: i32, %count: i32):
      accel.yield %acc : i32
    }
  return
}

// -----

func.func @partial_sums_of_vectors(%x: memref<4x8xi8>, %w: memref<4x8xi8>, %o: memref<4xi32>) {
  // expected-error @+1 {{has partial sums, but its sums are vectors}}
  accel.reduce [4 | 8] ins(%x, %w : memref<4x8xi8>, memref<4x8xi8>) outs(%o : memref<4xi32>)
    maps [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i, k)>, affine_map<(i) -> (i)>] blocks [4, 4] words [4, 4] partial_sums 8 lanes [4, 1] init {
      %zero = arith.constant 0 : i32
      accel.yield %zero : i32
    } body {
    ^bb0(%acc: i32, %x0: i8, %w0: i8):
      accel.yield %acc : i32
    } finish {
    ^bb0(%acc: i32, %count: i32):
      accel.yield %acc : i32
    }
  return
}

// -----

func.func @words_of_other_sums(%sums: vector<16xi32>, %x: vector<4xi8>, %w: vector<32xi8>) {
  // expected-error @+1 {{has 32 second factors for 16 sums of 4 products}}
  %0 = accel.dot_each %sums, %x, %w : vector<16xi32>, vector<4xi8>, vector<32xi8>
  return
}

// -----

func.func @lane_beyond(%sum: i32, %x: vector<4xi8>) {
  // expected-error @+1 {{has lane 4 of 4 elements}}
  %0 = accel.dot %sum, %x, %x lane 4 : vector<4xi8>
  return
}

// -----

func.func @partial_sums_without_words(%x: memref<4x8xi8>, %w: memref<4x8xi8>, %o: memref<4xi32>) {
  // expected-error @+1 {{has partial sums, which need words in the last reduction dimension}}
  accel.reduce [4 | 8] ins(%x, %w : memref<4x8xi8>, memref<4x8xi8>) outs(%o : memref<4xi32>)
    maps [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i, k)>, affine_map<(i) -> (i)>] blocks [1, 4] partial_sums 4 init {
      %zero = arith.constant 0 : i32
      accel.yield %zero : i32
    } body {
    ^bb0(%acc: i32, %x0: i8, %w0: i8):
      %x1 = arith.extsi %x0 : i8 to i32
      %w1 = arith.extsi %w0 : i8 to i32
      %product = arith.muli %x1, %w1 : i32
      %sum = arith.addi %acc, %product : i32
      accel.yield %sum : i32
    } finish {
    ^bb0(%acc: i32, %count: i32):
      accel.yield %acc : i32
    }
  return
}

// -----

func.func @partial_sums_of_words_of_positions(%x: memref<4x8xi8>, %w: memref<4x8xi8>, %o: memref<4xi32>) {
  // expected-error @+1 {{has partial sums, which need words in the last reduction dimension}}
  accel.reduce [4 | 8] ins(%x, %w : memref<4x8xi8>, memref<4x8xi8>) outs(%o : memref<4xi32>)
    maps [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i, k)>, affine_map<(i) -> (i)>] blocks [4, 1] words [4, 1] partial_sums 4 init {
      %zero = arith.constant 0 : i32
      accel.yield %zero : i32
    } body {
    ^bb0(%acc: i32, %x0: i8, %w0: i8):
      %x1 = arith.extsi %x0 : i8 to i32
      %w1 = arith.extsi %w0 : i8 to i32
      %product = arith.muli %x1, %w1 : i32
      %sum = arith.addi %acc, %product : i32
      accel.yield %sum : i32
    } finish {
    ^bb0(%acc: i32, %count: i32):
      accel.yield %acc : i32
    }
  return
}

// -----

func.func @one_partial_sum(%x: memref<4x8xi8>, %w: memref<4x8xi8>, %o: memref<4xi32>) {
  // expected-error @+1 {{has 1 partial sums}}
  accel.reduce [4 | 8] ins(%x, %w : memref<4x8xi8>, memref<4x8xi8>) outs(%o : memref<4xi32>)
    maps [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i, k)>, affine_map<(i) -> (i)>] blocks [1, 4] words [1, 4] partial_sums 1 init {
      %zero = arith.constant 0 : i32
      accel.yield %zero : i32
    } body {
    ^bb0(%acc: i32, %x0: i8, %w0: i8):
      %x1 = arith.extsi %x0 : i8 to i32
      %w1 = arith.extsi %w0 : i8 to i32
      %product = arith.muli %x1, %w1 : i32
      %sum = arith.addi %acc, %product : i32
      accel.yield %sum : i32
    } finish {
    ^bb0(%acc: i32, %count: i32):
      accel.yield %acc : i32
    }
  return
}

// -----

func.func @fewer_totals(%start: vector<4xi32>, %sums: vector<8xi32>) {
  // expected-error @+1 {{has 2 vectors of sums for 4 elements}}
  %0 = accel.add_totals %start, %sums, %sums : vector<4xi32>, vector<8xi32>, vector<8xi32>
  return
}

// -----

func.func @lanes_without_blocks(%x: memref<4x8xi8>, %w: memref<4x8xi8>, %o: memref<4xi32>) {
  // expected-error @+1 {{has lanes, which need blocks of as many dimensions}}
  accel.reduce [4 | 8] ins(%x, %w : memref<4x8xi8>, memref<4x8xi8>) outs(%o : memref<4xi32>)
    maps [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i, k)>, affine_map<(i) -> (i)>] lanes [4, 1] init {
      %zero = arith.constant 0 : i32
      accel.yield %zero : i32
    } body {
    ^bb0(%acc: i32, %x0: i8, %w0: i8):
      %x1 = arith.extsi %x0 : i8 to i32
      %w1 = arith.extsi %w0 : i8 to i32
      %product = arith.muli %x1, %w1 : i32
      %sum = arith.addi %acc, %product : i32
      accel.yield %sum : i32
    } finish {
    ^bb0(%acc: i32, %count: i32):
      accel.yield %acc : i32
    }
  return
}

// -----

func.func @lanes_that_do_not_divide_blocks(%x: memref<4x8xi8>, %w: memref<4x8xi8>, %o: memref<4xi32>) {
  // expected-error @+1 {{has lanes of 4 in dimension 0, which do not divide its blocks of 2}}
  accel.reduce [4 | 8] ins(%x, %w : memref<4x8xi8>, memref<4x8xi8>) outs(%o : memref<4xi32>)
    maps [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i, k)>, affine_map<(i) -> (i)>] blocks [2, 1] lanes [4, 1] init {
      %zero = arith.constant 0 : i32
      accel.yield %zero : i32
    } body {
    ^bb0(%acc: i32, %x0: i8, %w0: i8):
      %x1 = arith.extsi %x0 : i8 to i32
      %w1 = arith.extsi %w0 : i8 to i32
      %product = arith.muli %x1, %w1 : i32
      %sum = arith.addi %acc, %product : i32
      accel.yield %sum : i32
    } finish {
    ^bb0(%acc: i32, %count: i32):
      accel.yield %acc : i32
    }
  return
}

// -----

func.func @lanes_of_a_reduction(%x: memref<4x8xi8>, %w: memref<4x8xi8>, %o: memref<4xi32>) {
  // expected-error @+1 {{has lanes in dimension 1, which is reduced}}
  accel.reduce [4 | 8] ins(%x, %w : memref<4x8xi8>, memref<4x8xi8>) outs(%o : memref<4xi32>)
    maps [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i, k)>, affine_map<(i) -> (i)>] blocks [1, 4] lanes [1, 4] init {
      %zero = arith.constant 0 : i32
      accel.yield %zero : i32
    } body {
    ^bb0(%acc: i32, %x0: i8, %w0: i8):
      %x1 = arith.extsi %x0 : i8 to i32
      %w1 = arith.extsi %w0 : i8 to i32
      %product = arith.muli %x1, %w1 : i32
      %sum = arith.addi %acc, %product : i32
      accel.yield %sum : i32
    } finish {
    ^bb0(%acc: i32, %count: i32):
      accel.yield %acc : i32
    }
  return
}

// -----

func.func @lanes_in_two_dimensions(%x: memref<4x4xi8>, %o: memref<4x4xi8>) {
  // expected-error @+1 {{has lanes in more than one dimension}}
  accel.reduce [4, 4 |] ins(%x : memref<4x4xi8>) outs(%o : memref<4x4xi8>)
    maps [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i, k)>] blocks [4, 4] lanes [4, 4] init {
      %zero = arith.constant 0 : i8
      accel.yield %zero : i8
    } body {
    ^bb0(%acc: i8, %x0: i8):
      accel.yield %x0 : i8
    } finish {
    ^bb0(%acc: i8, %count: i32):
      accel.yield %acc : i8
    }
  return
}

// -----

func.func @extended_by_two_indices(%m: memref<64xi8>, %c: index) {
  // expected-error @+1 {{has 2 indices for memory of rank 1}}
  %0 = accel.load_extended %m[%c, %c] : memref<64xi8>, vector<8xi16>
  return
}

// -----

func.func @fewer_sums(%sum: vector<4xi32>, %x: vector<8xi16>) {
  // expected-error @+1 {{has 4 sums of 8 products}}
  %0 = accel.multiply_add %sum, %x, %x : vector<4xi32>, vector<8xi16>
  return
}

// -----

func.func @no_value_in_limits(%sum: vector<4xi32>, %m: memref<64xi8>, %c: index) {
  // expected-error @+1 {{has limits 5 to -5 without a value}}
  accel.store_rescaled %sum, %sum, %sum, %m[%c] zero_point 0 low 5 high -5 : vector<4xi32>, memref<64xi8>
  return
}

// -----

func.func @fill_of_nine_bits(%m: memref<64xi8>, %c: index) {
  // expected-error @+1 {{has fill 128, which is no 8-bit integer}}
  %0 = accel.load_between %m[%c] from %c to %c fill 128 : memref<64xi8>, vector<16xi8>
  return
}

// -----

func.func @peeled_without_blocks(%x: memref<4x8xi8>, %o: memref<4xi32>) {
  // expected-error @+1 {{has peeled dimensions, which need blocks}}
  accel.reduce [4 | 8] ins(%x : memref<4x8xi8>) outs(%o : memref<4xi32>)
    maps [affine_map<(i, k) -> (i, k)>, affine_map<(i) -> (i)>] peeled [0] init {
      %zero = arith.constant 0 : i32
      accel.yield %zero : i32
    } body {
    ^bb0(%acc: i32, %x0: i8):
      %x1 = arith.extsi %x0 : i8 to i32
      %sum = arith.addi %acc, %x1 : i32
      accel.yield %sum : i32
    } finish {
    ^bb0(%acc: i32, %count: i32):
      accel.yield %acc : i32
    }
  return
}

// -----

func.func @peeled_dimension_that_is_reduced(%x: memref<4x8xi8>, %o: memref<4xi32>) {
  // expected-error @+1 {{has peeled dimension 1, but only 1 parallel dimensions}}
  accel.reduce [4 | 8] ins(%x : memref<4x8xi8>) outs(%o : memref<4xi32>)
    maps [affine_map<(i, k) -> (i, k)>, affine_map<(i) -> (i)>] blocks [2, 1] peeled [1] init {
      %zero = arith.constant 0 : i32
      accel.yield %zero : i32
    } body {
    ^bb0(%acc: i32, %x0: i8):
      %x1 = arith.extsi %x0 : i8 to i32
      %sum = arith.addi %acc, %x1 : i32
      accel.yield %sum : i32
    } finish {
    ^bb0(%acc: i32, %count: i32):
      accel.yield %acc : i32
    }
  return
}

// -----

func.func @peeled_dimensions_in_no_order(%x: memref<4x8xi8>, %o: memref<4xi32>) {
  // expected-error @+1 {{has peeled dimension 0, which must be greater than 0}}
  accel.reduce [4 | 8] ins(%x : memref<4x8xi8>) outs(%o : memref<4xi32>)
    maps [affine_map<(i, k) -> (i, k)>, affine_map<(i) -> (i)>] blocks [2, 1] peeled [0, 0] init {
      %zero = arith.constant 0 : i32
      accel.yield %zero : i32
    } body {
    ^bb0(%acc: i32, %x0: i8):
      %x1 = arith.extsi %x0 : i8 to i32
      %sum = arith.addi %acc, %x1 : i32
      accel.yield %sum : i32
    } finish {
    ^bb0(%acc: i32, %count: i32):
      accel.yield %acc : i32
    }
  return
}

// -----

func.func @peeled_dimension_of_a_varying_box(%x: memref<4x8xi8>, %o: memref<4xi32>, %at: index) {
  // expected-error @+1 {{has peeled dimension 0, of which a varying box has 2 positions}}
  accel.reduce [4 | 8] at [%at | 0] sizes [2 | 8] ins(%x : memref<4x8xi8>) outs(%o : memref<4xi32>)
    maps [affine_map<(i, k) -> (i, k)>, affine_map<(i) -> (i)>] blocks [1, 1] peeled [0] init {
      %zero = arith.constant 0 : i32
      accel.yield %zero : i32
    } body {
    ^bb0(%acc: i32, %x0: i8):
      %x1 = arith.extsi %x0 : i8 to i32
      %sum = arith.addi %acc, %x1 : i32
      accel.yield %sum : i32
    } finish {
    ^bb0(%acc: i32, %count: i32):
      accel.yield %acc : i32
    }
  return
}
