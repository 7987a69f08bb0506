// RUN: forebay-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(memref-pool-plan,memref-pool-materialize)'

// expected-error @+1 {{pool @itcm is used from address 0x0 on, but what lies below 0x1000 is a null pointer's to compilers; give it a start of 4,096, or leave the base out and let the linker place it}}
memref_pool.pool @itcm workspace base 0
func.func @main(%x: memref<16xi8, #memref_pool.space<@itcm>>) {
  return
}

// -----

memref_pool.pool @low workspace base 0 start 4096
func.func @main(%x: memref<16xi8, #memref_pool.space<@low>>) {
  return
}

// -----

// expected-note @+1 {{@tcm is declared here}}
memref_pool.pool @tcm workspace base 0x20000000
// expected-error @+1 {{pool @other takes the addresses [0x20000010, 0x20000020), and pool @tcm [0x20000000, 0x20000020); give one of them another base or start, or make one pool of both}}
memref_pool.pool @other workspace base 0x20000010
func.func @main(%x: memref<32xi8, #memref_pool.space<@tcm>>, %y: memref<16xi8, #memref_pool.space<@other>>) {
  return
}

// -----

// Behind each other: [0x20000000, 0x20000010) and [0x20000010, 0x20000020).
memref_pool.pool @tcm workspace base 0x20000000
memref_pool.pool @other workspace base 0x20000000 start 16
func.func @main(%x: memref<16xi8, #memref_pool.space<@tcm>>, %y: memref<16xi8, #memref_pool.space<@other>>) {
  return
}

// -----

// expected-error @+1 {{pool @flash has a start of 64, but the file of constants in it begins at its base; move the base there}}
memref_pool.pool @flash constant base 0x08000000 start 64
memref.global "private" constant @table : memref<4xi8, #memref_pool.space<@flash>> = dense<1>
func.func @main() {
  %t = memref.get_global @table : memref<4xi8, #memref_pool.space<@flash>>
  return
}

// -----

// expected-error @+1 {{pool @kept has a start of 64, but the state in it begins at its base; move the base there}}
memref_pool.pool @kept state base 0x20000000 start 64
memref.global "private" @variable : memref<4xi8, #memref_pool.space<@kept>> = uninitialized
func.func @main() {
  %t = memref.get_global @variable : memref<4xi8, #memref_pool.space<@kept>>
  return
}
