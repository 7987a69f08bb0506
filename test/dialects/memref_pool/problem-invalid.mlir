// RUN: forebay-opt %s --split-input-file --verify-diagnostics

memref_pool.problem @net {
  // expected-error @+1 {{capacity must be positive, but is -1}}
  memref_pool.pool @p workspace capacity -1
}

// -----

memref_pool.problem @net {
  // expected-error @+1 {{unit must be at least 1, but is 0}}
  memref_pool.pool @p workspace unit 0
}

// -----

memref_pool.problem @net {
  // Rows of 12 bytes and an alignment of 16: multiples of 48.
  // expected-error @+1 {{base 16 is not aligned to 48}}
  memref_pool.pool @p workspace base 16 unit 12
}

// -----

memref_pool.problem @net {
  // expected-error @+1 {{base 8 is not aligned to 16}}
  memref_pool.pool @p workspace base 8
}

// -----

memref_pool.problem @net {
  // expected-error @+1 {{base 16 is not aligned to 32}}
  memref_pool.pool @p workspace base 16 unit 32
}

// -----

memref_pool.problem @net {
  // expected-error @+1 {{base must be at least 0, but is -16}}
  memref_pool.pool @p workspace base -16
}

// -----

memref_pool.problem @net {
  // expected-error @+1 {{start must be at least 0, but is -1}}
  memref_pool.pool @p workspace start -1
}

// -----

memref_pool.problem @net {
  // expected-error @+1 {{cost must be at least 0, but is -1}}
  memref_pool.pool @p workspace cost -1
}

// -----

memref_pool.problem @net {
  // expected-error @+1 {{weight must be at least 0, but is -1}}
  memref_pool.pool @p workspace weight -1
}

// -----

memref_pool.problem @net {
  // expected-error @+1 {{banks must be at least 1, but is 0}}
  memref_pool.pool @p workspace banks 0
}

// -----

memref_pool.problem @net {
  // expected-error @+1 {{with banks needs a capacity that they divide}}
  memref_pool.pool @p workspace banks 4
}

// -----

memref_pool.problem @net {
  // expected-error @+1 {{capacity of 100 is not 3 banks of whole rows}}
  memref_pool.pool @p workspace capacity 100 banks 3
}

// -----

memref_pool.problem @net {
  // expected-error @+1 {{capacity of 96 is not 4 banks of whole rows}}
  memref_pool.pool @p workspace capacity 96 unit 16 banks 4
}

// -----

memref_pool.problem @net {
  // expected-error @+1 {{of a planning problem has no devices that read or write it}}
  memref_pool.pool @p workspace read [@npu]
}

// -----

memref_pool.problem @net {
  // expected-error @+1 {{live must be names of buffers, but is [1]}}
  memref_pool.pool @p workspace certificate <planner = "x", peak = 3, lower_bound = 3, live = [1]>
}

// -----

memref_pool.problem @net {
  // expected-error @+1 {{holes are pairs of start and end, but 1 numbers are given}}
  memref_pool.pool @p workspace certificate <planner = "x", peak = 3, lower_bound = 3, holes = [1]>
}

// -----

memref_pool.problem @net {
  memref_pool.pool @p workspace
  // expected-error @+1 {{size must be at least 1, but is 0}}
  memref_pool.buffer @b workspace size 0 in [@p]
}

// -----

memref_pool.problem @net {
  memref_pool.pool @p workspace
  // expected-error @+1 {{alignment must be a power of two, but is 12}}
  memref_pool.buffer @b workspace size 8 in [@p] align 12
}

// -----

memref_pool.problem @net {
  memref_pool.pool @p workspace
  // expected-error @+1 {{lifetimes are pairs of start and end, but 1 numbers are given}}
  memref_pool.buffer @b workspace size 8 live [0] in [@p]
}

// -----

memref_pool.problem @net {
  memref_pool.pool @p workspace
  // expected-error @+1 {{lifetimes must be non-empty, ascending and disjoint, but [3, 3) is not}}
  memref_pool.buffer @b workspace size 8 live [3, 3] in [@p]
}

// -----

memref_pool.problem @net {
  memref_pool.pool @p workspace
  // expected-error @+1 {{lifetimes must be non-empty, ascending and disjoint, but [1, 4) is not}}
  memref_pool.buffer @b workspace size 8 live [0, 2, 1, 4] in [@p]
}

// -----

memref_pool.problem @net {
  memref_pool.pool @p workspace
  // expected-error @+1 {{needs at least one candidate pool}}
  memref_pool.buffer @b workspace size 8 in []
}

// -----

memref_pool.problem @net {
  memref_pool.pool @p workspace
  // expected-error @+1 {{names the candidate @p twice}}
  memref_pool.buffer @b workspace size 8 in [@p, @p]
}

// -----

memref_pool.problem @net {
  memref_pool.pool @p workspace
  // expected-error @+1 {{may live in the pool @q, which is not in the problem}}
  memref_pool.buffer @b workspace size 8 in [@p, @q]
}

// -----

memref_pool.problem @net {
  memref_pool.pool @p workspace
  // expected-error @+1 {{needs a cost for each of its 1 candidates, but has 2}}
  memref_pool.buffer @b workspace size 8 in [@p] costs [1, 2]
}

// -----

memref_pool.problem @net {
  memref_pool.pool @p workspace
  // expected-error @+1 {{costs must not be negative, but one is -1}}
  memref_pool.buffer @b workspace size 8 in [@p] costs [-1]
}

// -----

memref_pool.problem @net {
  memref_pool.pool @p workspace
  // expected-error @+1 {{is pinned to @q, which is not a candidate}}
  memref_pool.buffer @b workspace size 8 in [@p] pinned @q
}

// -----

memref_pool.problem @net {
  memref_pool.pool @p workspace
  // expected-error @+1 {{pinned offset must be at least 0, but is -1}}
  memref_pool.buffer @b workspace size 8 in [@p] pinned @p offset -1
}

// -----

memref_pool.problem @net {
  memref_pool.pool @p workspace
  // expected-error @+1 {{is pinned to an offset of no pool}}
  memref_pool.buffer @b workspace size 8 in [@p] {pinned_offset = 0}
}

// -----

memref_pool.problem @net {
  memref_pool.pool @p workspace
  // expected-error @+1 {{at names @q, which is not a candidate}}
  memref_pool.buffer @b workspace size 8 in [@p] at <@q, 0>
}

// -----

memref_pool.problem @net {
  memref_pool.pool @p workspace
  // expected-error @+1 {{is pinned elsewhere than planned, at #memref_pool.placement<@p, 16>}}
  memref_pool.buffer @b workspace size 8 in [@p] pinned @p offset 0 at <@p, 16>
}

// -----

memref_pool.problem @net {
  memref_pool.pool @p workspace
  memref_pool.pool @q workspace
  // expected-error @+1 {{is pinned elsewhere than planned, at #memref_pool.placement<@p, 0>}}
  memref_pool.buffer @b workspace size 8 in [@p, @q] pinned @q at <@p, 0>
}

// -----

memref_pool.problem @net {
  memref_pool.pool @p workspace
  memref_pool.buffer @a workspace size 8 live [0, 1] in [@p]
  // expected-error @+1 {{names @a twice}}
  memref_pool.conflict @a, @a
}

// -----

memref_pool.problem @net {
  memref_pool.pool @p workspace
  memref_pool.buffer @a workspace size 8 live [0, 1] in [@p]
  // expected-error @+1 {{names the buffer @b, which is not in the problem}}
  memref_pool.conflict @a, @b
}

// -----

memref_pool.problem @net {
  memref_pool.pool @p workspace
  memref_pool.buffer @a workspace size 8 live [0, 1] in [@p]
  // expected-error @+1 {{names the buffer @p, which is not in the problem}}
  memref_pool.conflict @p, @a
}

// -----

memref_pool.problem @net {
  memref_pool.pool @p workspace
  memref_pool.buffer @a workspace size 8 live [0, 1] in [@p] alias "x"
  memref_pool.buffer @b workspace size 8 live [0, 1] in [@p] alias "x"
  // expected-error @+1 {{parts @a and @b of the alias group "x"}}
  memref_pool.conflict @a, @b
}

// -----

memref_pool.problem @net {
  memref_pool.pool @p workspace
  memref_pool.buffer @a workspace size 8 live [0, 1] in [@p]
  // expected-error @+1 {{names the buffer @b, which is not in the problem}}
  memref_pool.separate @a, @b byte 1
}

// -----

memref_pool.problem @net {
  memref_pool.pool @p workspace
  memref_pool.buffer @a workspace size 8 live [0, 1] in [@p]
  // expected-error @+1 {{names @a twice}}
  memref_pool.separate @a, @a byte 1
}

// -----

memref_pool.problem @net {
  memref_pool.pool @p workspace
  memref_pool.buffer @a workspace size 8 live [0, 1] in [@p]
  memref_pool.buffer @b workspace size 8 live [0, 1] in [@p]
  // expected-error @+1 {{needs a penalty: of each shared byte, or of a common bank}}
  memref_pool.separate @a, @b
}

// -----

memref_pool.problem @net {
  memref_pool.pool @p workspace
  memref_pool.buffer @a workspace size 8 live [0, 1] in [@p]
  memref_pool.buffer @b workspace size 8 live [0, 1] in [@p]
  // expected-error @+1 {{byte must be at least 0, but is -1}}
  memref_pool.separate @a, @b byte -1
}

// -----

memref_pool.problem @net {
  memref_pool.pool @p workspace
  memref_pool.buffer @a workspace size 8 live [0, 1] in [@p]
  memref_pool.buffer @b workspace size 8 live [0, 1] in [@p]
  // expected-error @+1 {{bank must be at least 0, but is -1}}
  memref_pool.separate @a, @b bank -1
}

// -----

memref_pool.problem @net {
  // expected-error @+1 {{does not belong into a planning problem}}
  memref_pool.problem @q {}
}

// -----

memref_pool.problem @net {
  // expected-note @+1 {{see existing symbol definition here}}
  memref_pool.pool @p workspace
  // expected-error @+1 {{redefinition of symbol named 'p'}}
  memref_pool.buffer @p workspace size 8 in [@p]
}

// -----

memref_pool.pool @p workspace
// expected-error @+1 {{expects parent op 'memref_pool.problem'}}
memref_pool.buffer @b workspace size 8 in [@p]

// -----

// expected-error @+1 {{expects parent op 'memref_pool.problem'}}
memref_pool.conflict @a, @b

// -----

// expected-error @+1 {{expects parent op 'memref_pool.problem'}}
memref_pool.separate @a, @b byte 1

// -----

func.func @f() {
  // expected-error @+1 {{expects parent op to be one of 'builtin.module, memref_pool.problem'}}
  memref_pool.pool @p workspace
  return
}
