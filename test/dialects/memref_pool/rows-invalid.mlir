// RUN: forebay-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{rows need at least one dimension that indexes them, but have 0}}
func.func private @f(memref<4x8xi8, #memref_pool.rows<0>>)

// -----

// expected-error @+1 {{rows<2> needs more than 2 dimensions, but there are 2}}
func.func private @f(memref<4x8xi8, #memref_pool.rows<2>>)

// -----

// expected-error @+1 {{rows<1> needs constant dimensions}}
func.func private @f(memref<4x?xi8, #memref_pool.rows<1>>)

// -----

memref_pool.pool @p workspace
func.func @f() {
  // expected-error @+1 {{is one buffer per row, which have their places in pinned_rows and at_rows}}
  %0 = memref_pool.alloc at <@p, 0> : memref<2x4xi8, #memref_pool.rows<1>, #memref_pool.space<@p>>
  return
}

// -----

memref_pool.pool @p workspace
func.func @f() {
  // expected-error @+1 {{at_rows needs an offset for each of 2 rows, but has 3}}
  %0 = memref_pool.alloc at_rows <@p, [0, 4, 8]> : memref<2x4xi8, #memref_pool.rows<1>, #memref_pool.space<@p>>
  return
}

// -----

memref_pool.pool @p workspace
func.func @f() {
  // expected-error @+1 {{at_rows places rows, but the result has none: 'memref<2x4xi8, #memref_pool.space<@p>>'}}
  %0 = memref_pool.alloc at_rows <@p, [0, 4]> : memref<2x4xi8, #memref_pool.space<@p>>
  return
}

// -----

memref_pool.pool @p workspace
memref_pool.pool @q workspace
func.func @f() {
  // expected-error @+1 {{pinned_rows names @q, which is not a candidate in #memref_pool.space<@p>}}
  %0 = memref_pool.alloc pinned_rows <@q, [0, 4]> : memref<2x4xi8, #memref_pool.rows<1>, #memref_pool.space<@p>>
  return
}

// -----

memref_pool.pool @p workspace
func.func @f() {
  // expected-error @+1 {{is pinned to #memref_pool.row_placement<@p, [0, 4]> but planned at #memref_pool.row_placement<@p, [4, 0]>}}
  %0 = memref_pool.alloc pinned_rows <@p, [0, 4]> at_rows <@p, [4, 0]> : memref<2x4xi8, #memref_pool.rows<1>, #memref_pool.space<@p>>
  return
}

// -----

memref_pool.pool @p workspace
func.func @f() {
  // expected-error @+1 {{an offset must not be negative, but is -4}}
  %0 = memref_pool.alloc at_rows <@p, [0, -4]> : memref<2x4xi8, #memref_pool.rows<1>, #memref_pool.space<@p>>
  return
}

// -----

memref_pool.pool @p workspace
func.func @f(%m: memref<2x4xi8, #memref_pool.space<@p>>) {
  // expected-error @+1 {{needs a memref of rows, but has 'memref<2x4xi8, #memref_pool.space<@p>>'}}
  %0 = memref_pool.row %m[0] : memref<2x4xi8, #memref_pool.space<@p>> to memref<4xi8, #memref_pool.space<@p>>
  return
}

// -----

memref_pool.pool @p workspace
func.func @f(%m: memref<2x4xi8, #memref_pool.rows<1>, #memref_pool.space<@p>>) {
  // expected-error @+1 {{has index 2 in dimension 0 of extent 2}}
  %0 = memref_pool.row %m[2] : memref<2x4xi8, #memref_pool.rows<1>, #memref_pool.space<@p>> to memref<4xi8, #memref_pool.space<@p>>
  return
}

// -----

memref_pool.pool @p workspace
func.func @f(%m: memref<2x4xi8, #memref_pool.rows<1>, #memref_pool.space<@p>>) {
  // expected-error @+1 {{needs 1 indices, but has 2}}
  %0 = memref_pool.row %m[0, 1] : memref<2x4xi8, #memref_pool.rows<1>, #memref_pool.space<@p>> to memref<4xi8, #memref_pool.space<@p>>
  return
}

// -----

memref_pool.pool @p workspace
func.func @f(%m: memref<2x4xi8, #memref_pool.rows<1>, #memref_pool.space<@p>>) {
  // expected-error @+1 {{needs 1 values as indices, but has 0}}
  %0 = "memref_pool.row"(%m) {static_indices = array<i64: -9223372036854775808>} : (memref<2x4xi8, #memref_pool.rows<1>, #memref_pool.space<@p>>) -> memref<4xi8, #memref_pool.space<@p>>
  return
}

// -----

memref_pool.pool @p workspace
func.func @f(%m: memref<2x4xi8, #memref_pool.rows<1>, #memref_pool.space<@p>>) {
  // expected-error @+1 {{result must be 'memref<4xi8, #memref_pool.space<@p>>', but is 'memref<4xi16, #memref_pool.space<@p>>'}}
  %0 = memref_pool.row %m[0] : memref<2x4xi8, #memref_pool.rows<1>, #memref_pool.space<@p>> to memref<4xi16, #memref_pool.space<@p>>
  return
}
