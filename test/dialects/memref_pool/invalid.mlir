// RUN: forebay-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{alignment must be a power of two, but is 24}}
memref_pool.pool @p workspace align 24

// -----

// expected-error @+1 {{capacity must be positive, but is 0}}
memref_pool.pool @p workspace capacity 0

// -----

accel.device @host kind "cpu"
// expected-error @+1 {{a constant pool has no writers}}
memref_pool.pool @p constant write [@host]

// -----

// expected-error @+1 {{reserved ranges are pairs of start and end, but 3 numbers are given}}
memref_pool.pool @p workspace reserved [0, 16, 32]

// -----

// expected-error @+1 {{reserved ranges must be non-empty, ascending and disjoint, but [16, 16) is not}}
memref_pool.pool @p workspace reserved [16, 16]

// -----

// expected-error @+1 {{reserved ranges must be non-empty, ascending and disjoint, but [8, 20) is not}}
memref_pool.pool @p workspace reserved [0, 16, 8, 20]

// -----

// expected-error @+1 {{reserved range ends at 128, beyond the capacity of 100}}
memref_pool.pool @p workspace capacity 100 reserved [0, 128]

// -----

// expected-error @+1 {{names the device @npu, which is not in the module}}
memref_pool.pool @p workspace read [@npu]

// -----

// expected-error @+1 {{needs 0 <= lower_bound <= peak, but lower_bound is 4 and peak is 3}}
memref_pool.pool @p workspace certificate <planner = "x", peak = 3, lower_bound = 4>

// -----

func.func @f() {
  // expected-error @+1 {{expected attribute value}}
  %0 = memref_pool.alloc : memref<4xi8, #memref_pool.space<[]>>
  return
}

// -----

// expected-error @+1 {{pool @a is listed twice}}
func.func private @f(memref<4xi8, #memref_pool.space<[@a, @a]>>)

// -----

// expected-error @+1 {{an offset must not be negative, but is -1}}
func.func private @f() attributes {memref_pool.placement = #memref_pool.placement<@a, -1>}

// -----

func.func @f() {
  // expected-error @+1 {{result needs a #memref_pool.space as its memory space, but is 'memref<4xi8>'}}
  %0 = memref_pool.alloc : memref<4xi8>
  return
}

// -----

memref_pool.pool @p workspace
func.func @f() {
  // expected-error @+1 {{result must have the identity layout or be rows, but is}}
  %0 = memref_pool.alloc : memref<4x4xi8, strided<[8, 1]>, #memref_pool.space<@p>>
  return
}

// -----

memref_pool.pool @p workspace
func.func @f() {
  // expected-error @+1 {{alignment must be a power of two, but is 3}}
  %0 = memref_pool.alloc align 3 : memref<4xi8, #memref_pool.space<@p>>
  return
}

// -----

memref_pool.pool @p workspace
func.func @f() {
  // expected-error @+1 {{pinned names @q, which is not a candidate in #memref_pool.space<@p>}}
  %0 = memref_pool.alloc pinned <@q, 0> : memref<4xi8, #memref_pool.space<@p>>
  return
}

// -----

memref_pool.pool @p workspace
func.func @f() {
  // expected-error @+1 {{at names @q, which is not a candidate in #memref_pool.space<@p>}}
  %0 = memref_pool.alloc at <@q, 0> : memref<4xi8, #memref_pool.space<@p>>
  return
}

// -----

memref_pool.pool @p workspace
func.func @f() {
  // expected-error @+1 {{is pinned to #memref_pool.placement<@p, 0> but planned at #memref_pool.placement<@p, 16>}}
  %0 = memref_pool.alloc pinned <@p, 0> at <@p, 16> : memref<4xi8, #memref_pool.space<@p>>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{names the pool @p, which is not in the module}}
  %0 = memref_pool.alloc : memref<4xi8, #memref_pool.space<@p>>
  return
}

// -----

memref_pool.pool @p constant
func.func @f() {
  // expected-error @+1 {{allocates in @p, a pool of constants}}
  %0 = memref_pool.alloc : memref<4xi8, #memref_pool.space<@p>>
  return
}

// -----

func.func @f(%a: memref<4xi8>, %b: tensor<4xi8>) {
  // expected-error @+1 {{copies between two tensors or two memrefs, not 'memref<4xi8>' and 'tensor<4xi8>'}}
  %0 = memref_pool.copy %a into %b : memref<4xi8>, tensor<4xi8> -> tensor<4xi8>
  return
}

// -----

func.func @f(%a: memref<4xi8>, %b: memref<5xi8>) {
  // expected-error @+1 {{source and target must have the same shape and element type, but are 'memref<4xi8>' and 'memref<5xi8>'}}
  memref_pool.copy %a into %b : memref<4xi8>, memref<5xi8>
  return
}

// -----

func.func @f(%a: tensor<4xi8>, %b: tensor<4xi8>) {
  // expected-error @+1 {{has a result on tensors and none on memrefs}}
  memref_pool.copy %a into %b : tensor<4xi8>, tensor<4xi8>
  return
}

// -----

// expected-error @+1 {{"memref_pool.placement" must be a #memref_pool.placement}}
func.func private @f() attributes {memref_pool.placement = 3}

// -----

// expected-error @+1 {{"memref_pool.lifetime" must be array<i64: start, end> with 0 <= start <= end}}
func.func private @f() attributes {memref_pool.lifetime = array<i64: 3, 2>}

// -----

// expected-error @+1 {{"memref_pool.base" of argument 0 must be a unit attribute}}
func.func @f(%a: memref<4xi8> {memref_pool.base = 1}) {
  return
}

// -----

// expected-error @+1 {{only a constant pool is filled; this one holds workspace}}
memref_pool.pool @sram workspace fill at_init

// -----

// expected-error @+1 {{"memref_pool.candidates" of argument 0 must be a #memref_pool.space}}
func.func @f(%x: tensor<4xi8> {memref_pool.candidates = ["sram"]}) {
  return
}

// -----

// expected-error @+1 {{"memref_pool.candidates" of result 0 must be a #memref_pool.space}}
func.func private @f() -> (tensor<4xi8> {memref_pool.candidates = ["sram"]})

// -----

accel.device @npu kind "npu"
// expected-error @+1 {{is a register, so it must be local to a device and have a capacity}}
memref_pool.pool @p workspace local register read [@npu] write [@npu]

// -----

accel.device @npu kind "npu"
// expected-error @+1 {{is a register, so it must be local to a device and have a capacity}}
memref_pool.pool @p workspace register capacity 4 read [@npu] write [@npu]

// -----

accel.device @npu kind "npu"
// expected-error @+1 {{is a register, which has no addresses: no base, start, unit, banks or reserved bytes}}
memref_pool.pool @p workspace local register capacity 4 unit 4 read [@npu] write [@npu]

// -----

accel.device @npu kind "npu"
// A local base counts rows: row 3 of 24 bytes is byte 72, no multiple of 16.
// expected-error @+1 {{base 3 is not aligned to 48}}
memref_pool.pool @p workspace local base 3 unit 24 read [@npu] write [@npu]
