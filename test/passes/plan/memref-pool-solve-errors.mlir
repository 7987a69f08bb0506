// RUN: forebay-opt %s --memref-pool-solve --split-input-file --verify-diagnostics

memref_pool.problem @net steps ["fetch", "conv"] {
  // expected-error @+1 {{pool 'act_mem' needs 12,816 bytes at 'conv' but has 12,815; live: 'fetched' (4,624), 'sid_3' (8,192, pinned by 'accel_conv2d'). Give the pool 1 byte more, or let a buffer live in another pool.}}
  memref_pool.pool @act_mem workspace capacity 12815
  // expected-note @+1 {{'fetched' needs 4,624 bytes}}
  memref_pool.buffer @fetched workspace size 4624 live [0, 2] in [@act_mem]
  // expected-note @+1 {{'sid_3' needs 8,192 bytes}}
  memref_pool.buffer @sid_3 workspace size 8192 live [1, 3] in [@act_mem] by ["accel_conv2d"]
}

// -----

memref_pool.problem @net {
  memref_pool.pool @ram workspace align 16
  // expected-error @+1 {{buffer 'a' is pinned to offset 8, which is not aligned to 16}}
  memref_pool.buffer @a workspace size 8 live [0, 2] in [@ram] pinned @ram offset 8
}

// -----

memref_pool.problem @net {
  memref_pool.pool @ram workspace
  // expected-error @+1 {{buffers 'a' at [0, 8) and 'b' at [0, 8) of pool 'ram' are pinned onto each other while both live}}
  memref_pool.buffer @a workspace size 8 live [0, 2] in [@ram] pinned @ram offset 0
  memref_pool.buffer @b workspace size 8 live [1, 3] in [@ram] pinned @ram offset 0
}

// -----

memref_pool.problem @net {
  memref_pool.pool @ram workspace
  memref_pool.pool @rom workspace
  // expected-error @+1 {{members of alias group 'tied' have no pool in common}}
  memref_pool.buffer @a workspace size 8 live [0, 2] in [@ram] alias "tied"
  memref_pool.buffer @b workspace size 8 live [1, 3] in [@rom] alias "tied"
}
