// RUN: forebay-opt %s --memref-pool-verify-plan --split-input-file --verify-diagnostics

// Bytes that another buffer has taken: %b at [32, 96) is written before %a at [0, 64) is read.

#ws = #memref_pool.space<@ws>
memref_pool.pool @ws workspace certificate <planner = "hand", peak = 96, lower_bound = 64>

func.func @main(%x: i8, %out: memref<16xi8>) {
  // expected-note@+1 {{'buffer' is declared here}}
  %a = memref_pool.alloc at <@ws, 0> : memref<64xi8, #ws>
  // expected-note@+1 {{'buffer' is declared here}}
  %b = memref_pool.alloc at <@ws, 32> : memref<64xi8, #ws>
  linalg.fill ins(%x : i8) outs(%a : memref<64xi8, #ws>)
  %v = memref.subview %a[0] [16] [1] : memref<64xi8, #ws> to memref<16xi8, strided<[1]>, #ws>
  // expected-note@+1 {{'buffer' is written here}}
  linalg.fill ins(%x : i8) outs(%b : memref<64xi8, #ws>)
  // expected-error@+1 {{'memref.copy' reads buffer 'buffer' at [0, 64) of pool @ws, but 'buffer' at [32, 96) has overwritten its bytes}}
  memref.copy %v, %out : memref<16xi8, strided<[1]>, #ws> to memref<16xi8>
  return
}

// -----

#ws = #memref_pool.space<@ws>
memref_pool.pool @ws workspace certificate <planner = "hand", peak = 64, lower_bound = 64>

// A load is checked again behind a store, also if it loads from the same memref as the one before.
func.func @main(%x: i8, %out: memref<2xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note@+1 {{'buffer' is declared here}}
  %a = memref_pool.alloc at <@ws, 0> : memref<64xi8, #ws>
  // expected-note@+1 {{'buffer' is declared here}}
  %b = memref_pool.alloc at <@ws, 32> : memref<16xi8, #ws>
  linalg.fill ins(%x : i8) outs(%a : memref<64xi8, #ws>)
  %first = memref.load %a[%c0] : memref<64xi8, #ws>
  %next = memref.load %a[%c1] : memref<64xi8, #ws>
  // expected-note@+1 {{'buffer' is written here}}
  memref.store %first, %b[%c0] : memref<16xi8, #ws>
  // expected-error@+1 {{'memref.load' reads buffer 'buffer' at [0, 64) of pool @ws, but 'buffer' at [32, 48) has overwritten its bytes}}
  %last = memref.load %a[%c1] : memref<64xi8, #ws>
  memref.store %next, %out[%c0] : memref<2xi8>
  memref.store %last, %out[%c1] : memref<2xi8>
  return
}

// -----

#ws = #memref_pool.space<@ws>
memref_pool.pool @ws workspace certificate <planner = "hand", peak = 64, lower_bound = 64>

// Writing a part of %a again does not bring the rest back.
func.func @main(%x: i8, %out: memref<64xi8>) {
  %c0 = arith.constant 0 : index
  // expected-note@+1 {{'buffer' is declared here}}
  %a = memref_pool.alloc at <@ws, 0> : memref<64xi8, #ws>
  // expected-note@+1 {{'buffer' is declared here}}
  %b = memref_pool.alloc at <@ws, 32> : memref<16xi8, #ws>
  linalg.fill ins(%x : i8) outs(%a : memref<64xi8, #ws>)
  // expected-note@+1 {{'buffer' is written here}}
  linalg.fill ins(%x : i8) outs(%b : memref<16xi8, #ws>)
  memref.store %x, %a[%c0] : memref<64xi8, #ws>
  // expected-error@+1 {{'memref.copy' reads buffer 'buffer' at [0, 64) of pool @ws, but 'buffer' at [32, 48) has overwritten its bytes}}
  memref.copy %a, %out : memref<64xi8, #ws> to memref<64xi8>
  return
}

// -----

#ws = #memref_pool.space<@ws>
memref_pool.pool @ws workspace certificate <planner = "hand", peak = 64, lower_bound = 64>

// The second iteration finds %a as %b left it.
func.func @main(%x: i8, %n: index, %out: memref<64xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note@+1 {{'buffer' is declared here}}
  %a = memref_pool.alloc at <@ws, 0> : memref<64xi8, #ws>
  linalg.fill ins(%x : i8) outs(%a : memref<64xi8, #ws>)
  scf.for %i = %c0 to %n step %c1 {
    // expected-note@+1 {{'buffer' is declared here}}
    %b = memref_pool.alloc at <@ws, 0> : memref<64xi8, #ws>
    // expected-error@+1 {{'memref.copy' reads buffer 'buffer' at [0, 64) of pool @ws, but 'buffer' at [0, 64) has overwritten its bytes}}
    memref.copy %a, %out : memref<64xi8, #ws> to memref<64xi8>
    // expected-note@+1 {{'buffer' is written here}}
    linalg.fill ins(%x : i8) outs(%b : memref<64xi8, #ws>)
  }
  return
}

// -----

#ws = #memref_pool.space<@ws>
memref_pool.pool @ws workspace certificate <planner = "hand", peak = 64, lower_bound = 64>

// The condition of the loop is computed from what the second region overwrites.
func.func @main(%x: i8) {
  %c0 = arith.constant 0 : index
  // expected-note@+1 {{'buffer' is declared here}}
  %a = memref_pool.alloc at <@ws, 0> : memref<64xi8, #ws>
  linalg.fill ins(%x : i8) outs(%a : memref<64xi8, #ws>)
  scf.while : () -> () {
    // expected-error@+1 {{'memref.load' reads buffer 'buffer' at [0, 64) of pool @ws, but 'buffer' at [0, 64) has overwritten its bytes}}
    %e = memref.load %a[%c0] : memref<64xi8, #ws>
    %go = arith.cmpi ne, %e, %x : i8
    scf.condition(%go)
  } do {
    // expected-note@+1 {{'buffer' is declared here}}
    %b = memref_pool.alloc at <@ws, 0> : memref<64xi8, #ws>
    // expected-note@+1 {{'buffer' is written here}}
    memref.store %x, %b[%c0] : memref<64xi8, #ws>
    scf.yield
  }
  return
}

// -----

#ws = #memref_pool.space<@ws>
memref_pool.pool @ws workspace certificate <planner = "hand", peak = 64, lower_bound = 64>

// One way through the branch overwrites %a, so after it %a is lost.
func.func @main(%x: i8, %which: i1, %out: memref<64xi8>) {
  // expected-note@+1 {{'buffer' is declared here}}
  %a = memref_pool.alloc at <@ws, 0> : memref<64xi8, #ws>
  linalg.fill ins(%x : i8) outs(%a : memref<64xi8, #ws>)
  scf.if %which {
    // expected-note@+1 {{'buffer' is declared here}}
    %b = memref_pool.alloc at <@ws, 0> : memref<64xi8, #ws>
    // expected-note@+1 {{'buffer' is written here}}
    linalg.fill ins(%x : i8) outs(%b : memref<64xi8, #ws>)
  }
  // expected-error@+1 {{'memref.copy' reads buffer 'buffer' at [0, 64) of pool @ws, but 'buffer' at [0, 64) has overwritten its bytes}}
  memref.copy %a, %out : memref<64xi8, #ws> to memref<64xi8>
  return
}

// -----

#ws = #memref_pool.space<@ws>
memref_pool.pool @ws workspace certificate <planner = "hand", peak = 64, lower_bound = 64>

// A callee overwrites what its caller still needs.
func.func private @callee(%x: i8) {
  // expected-note@+1 {{'buffer' is declared here}}
  %t = memref_pool.alloc at <@ws, 0> : memref<64xi8, #ws>
  // expected-note@+1 {{'buffer' is written here}}
  linalg.fill ins(%x : i8) outs(%t : memref<64xi8, #ws>)
  return
}
func.func @main(%x: i8, %out: memref<64xi8>) {
  // expected-note@+1 {{'buffer' is declared here}}
  %a = memref_pool.alloc at <@ws, 0> : memref<64xi8, #ws>
  call @callee(%x) : (i8) -> ()
  linalg.fill ins(%x : i8) outs(%a : memref<64xi8, #ws>)
  call @callee(%x) : (i8) -> ()
  // expected-error@+1 {{'memref.copy' reads buffer 'buffer' at [0, 64) of pool @ws, but 'buffer' at [0, 64) has overwritten its bytes}}
  memref.copy %a, %out : memref<64xi8, #ws> to memref<64xi8>
  return
}

// -----

#ws = #memref_pool.space<@ws>
memref_pool.pool @ws workspace certificate <planner = "hand", peak = 64, lower_bound = 64>

// An output must last until the caller reads it.
// expected-note@+2 {{'out' is declared here}}
// expected-error@+1 {{after @main its caller needs buffer 'out' at [0, 64) of pool @ws, but 'buffer' at [0, 64) has overwritten its bytes}}
func.func @main(%x: i8, %out: memref<64xi8, #ws> {accel.name = "out", bufferize.result, memref_pool.placement = #memref_pool.placement<@ws, 0>}) {
  // expected-note@+1 {{'buffer' is declared here}}
  %a = memref_pool.alloc at <@ws, 0> : memref<64xi8, #ws>
  linalg.fill ins(%x : i8) outs(%out : memref<64xi8, #ws>)
  // expected-note@+1 {{'buffer' is written here}}
  linalg.fill ins(%x : i8) outs(%a : memref<64xi8, #ws>)
  return
}

// -----

#ws = #memref_pool.space<@ws>
memref_pool.pool @ws workspace certificate <planner = "hand", peak = 64, lower_bound = 64>

// The caller may run @reset between filling the input and running @main.
// expected-note@+1 {{'in' is declared here}}
func.func @main(%x: i8, %in: memref<64xi8, #ws> {accel.name = "in", memref_pool.placement = #memref_pool.placement<@ws, 0>}) {
  return
}
// expected-error@+1 {{after @reset its caller needs buffer 'in' at [0, 64) of pool @ws, but 'buffer' at [0, 64) has overwritten its bytes}}
func.func @reset(%x: i8) {
  // expected-note@+1 {{'buffer' is declared here}}
  %a = memref_pool.alloc at <@ws, 0> : memref<64xi8, #ws>
  // expected-note@+1 {{'buffer' is written here}}
  linalg.fill ins(%x : i8) outs(%a : memref<64xi8, #ws>)
  return
}

// -----

#ws = #memref_pool.space<@ws>
memref_pool.pool @ws workspace certificate <planner = "hand", peak = 96, lower_bound = 64>

func.func @main(%x: i8) {
  // expected-note@+1 {{'buffer' is declared here}}
  %a = memref_pool.alloc at <@ws, 0> : memref<64xi8, #ws>
  // expected-note@+1 {{'buffer' is declared here}}
  %b = memref_pool.alloc at <@ws, 32> : memref<64xi8, #ws>
  linalg.fill ins(%x : i8) outs(%a : memref<64xi8, #ws>)
  // expected-error@+1 {{'memref.copy' writes buffer 'buffer' at [32, 96) of pool @ws while it uses 'buffer' at [0, 64), and the two share bytes}}
  memref.copy %a, %b : memref<64xi8, #ws> to memref<64xi8, #ws>
  return
}

// -----

#ws = #memref_pool.space<@ws>
memref_pool.pool @ws workspace certificate <planner = "hand", peak = 64, lower_bound = 64>

// The region loads from a buffer that the kernel overwrites.
func.func @main(%x: i8) {
  // expected-note@+1 {{'buffer' is declared here}}
  %a = memref_pool.alloc at <@ws, 0> : memref<64xi8, #ws>
  // expected-note@+1 {{'buffer' is declared here}}
  %b = memref_pool.alloc at <@ws, 0> : memref<64xi8, #ws>
  linalg.fill ins(%x : i8) outs(%a : memref<64xi8, #ws>)
  // expected-error@+1 {{'linalg.generic' writes buffer 'buffer' at [0, 64) of pool @ws while it uses 'buffer' at [0, 64), and the two share bytes}}
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%b : memref<64xi8, #ws>) {
  ^bb0(%o: i8):
    %i = linalg.index 0 : index
    %e = memref.load %a[%i] : memref<64xi8, #ws>
    linalg.yield %e : i8
  }
  return
}

// -----

#ws = #memref_pool.space<@ws>
memref_pool.pool @ws workspace certificate <planner = "hand", peak = 64, lower_bound = 64>

func.func @main(%x: i8, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %first = memref_pool.alloc at <@ws, 0> : memref<32xi8, #ws>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %first) -> memref<32xi8, #ws> {
    // expected-note@+1 {{'buffer' is allocated here}}
    %next = memref_pool.alloc at <@ws, 32> : memref<32xi8, #ws>
    // expected-error@+1 {{'memref.copy' uses buffer 'buffer' at [32, 64) of pool @ws as an earlier iteration of a loop left it, but each iteration has its own there}}
    memref.copy %it, %next : memref<32xi8, #ws> to memref<32xi8, #ws>
    scf.yield %next : memref<32xi8, #ws>
  }
  return
}

// -----

#ws = #memref_pool.space<@ws>
memref_pool.pool @ws workspace

func.func @main() {
  // expected-error@+1 {{buffer 'buffer' has no place; run memref-pool-plan first}}
  %a = memref_pool.alloc : memref<64xi8, #ws>
  return
}

// -----

memref_pool.pool @ws workspace

// expected-error@+1 {{buffer 'arg0' lies in @sram, which is no pool of the module}}
func.func @main(%a: memref<4xi8, #memref_pool.space<@sram>> {memref_pool.placement = #memref_pool.placement<@sram, 0>}) {
  return
}

// -----

memref_pool.pool @ws workspace
memref_pool.pool @other workspace

// expected-error@+1 {{buffer 'arg0' at [0, 4) of pool @other, which is none of its candidates: @ws}}
func.func @main(%a: memref<4xi8, #memref_pool.space<@ws>> {memref_pool.placement = #memref_pool.placement<@other, 0>}) {
  return
}

// -----

#ws = #memref_pool.space<@ws>
memref_pool.pool @ws workspace align 8

func.func @main() {
  // expected-error@+1 {{buffer 'buffer' at [4, 68) of pool @ws is not at a multiple of its alignment, 8}}
  %a = memref_pool.alloc at <@ws, 4> : memref<64xi8, #ws>
  return
}

// -----

#ws = #memref_pool.space<@ws>
memref_pool.pool @ws workspace

func.func @main() {
  // expected-error@+1 {{buffer 'buffer' at [16, 80) of pool @ws is not at a multiple of its alignment, 32}}
  %a = memref_pool.alloc align 32 at <@ws, 16> : memref<64xi8, #ws>
  return
}

// -----

#ws = #memref_pool.space<@ws>
memref_pool.pool @ws workspace align 1

// An element of four bytes needs an address that is a multiple of 4.
func.func @main() {
  // expected-error@+1 {{buffer 'buffer' at [2, 18) of pool @ws is not at a multiple of its alignment, 4}}
  %a = memref_pool.alloc at <@ws, 2> : memref<4xi32, #ws>
  return
}

// -----

#ws = #memref_pool.space<@ws>
memref_pool.pool @ws workspace capacity 79

func.func @main() {
  // expected-error@+1 {{buffer 'buffer' at [16, 80) of pool @ws exceeds the capacity of 79 by 1}}
  %a = memref_pool.alloc at <@ws, 16> : memref<64xi8, #ws>
  return
}

// -----

#ws = #memref_pool.space<@ws>
memref_pool.pool @ws workspace reserved [0, 8, 79, 90]

func.func @main() {
  // expected-error@+1 {{buffer 'buffer' at [16, 80) of pool @ws covers bytes that are reserved, [79, 90)}}
  %a = memref_pool.alloc at <@ws, 16> : memref<64xi8, #ws>
  return
}

// -----

memref_pool.pool @flash constant
// expected-note@+1 {{'a' is here}}
memref.global "private" constant @a : memref<20xi8, #memref_pool.space<@flash>> = dense<1> {memref_pool.placement = #memref_pool.placement<@flash, 0>}
// expected-error@+1 {{buffer 'b' at [16, 20) of pool @flash shares bytes with 'a' at [0, 20), but constants and state share with no buffer}}
memref.global "private" constant @b : memref<4xi8, #memref_pool.space<@flash>> = dense<1> {memref_pool.placement = #memref_pool.placement<@flash, 16>}

// -----

#ws = #memref_pool.space<@ws>
// expected-error@+1 {{pool @ws holds buffers, but has no certificate; run memref-pool-plan first}}
memref_pool.pool @ws workspace

func.func @main() {
  %a = memref_pool.alloc at <@ws, 0> : memref<64xi8, #ws>
  return
}

// -----

#ws = #memref_pool.space<@ws>
// expected-error@+1 {{pool @ws is certified at a peak of 60 bytes, but takes 64}}
memref_pool.pool @ws workspace certificate <planner = "hand", peak = 60, lower_bound = 60>

func.func @main() {
  %a = memref_pool.alloc at <@ws, 0> : memref<64xi8, #ws>
  return
}

// -----

accel.device @npu kind "npu"
#act = #memref_pool.space<@act>
memref_pool.pool @act workspace read [@npu] write [@npu] certificate <planner = "hand", peak = 64, lower_bound = 64>

func.func @main(%x: i8) {
  %c0 = arith.constant 0 : index
  %a = memref_pool.alloc at <@act, 0> : memref<64xi8, #act>
  // expected-error@+1 {{'memref.load' reads buffer 'buffer' in pool @act, which @host must not read}}
  %0 = memref.load %a[%c0] : memref<64xi8, #act>
  return
}

// -----

accel.device @npu kind "npu"
#act = #memref_pool.space<@act>
memref_pool.pool @act workspace read [@npu] write [@npu] certificate <planner = "hand", peak = 64, lower_bound = 64>

func.func @main(%x: i8) {
  %a = memref_pool.alloc at <@act, 0> : memref<64xi8, #act>
  // expected-error@+1 {{'linalg.fill' writes buffer 'buffer' in pool @act, which @host must not write}}
  linalg.fill ins(%x : i8) outs(%a : memref<64xi8, #act>)
  return
}

// -----

#flash = #memref_pool.space<@flash>
memref_pool.pool @flash constant certificate <planner = "hand", peak = 4, lower_bound = 4>
memref.global "private" @a : memref<4xi8, #flash> = dense<1> {memref_pool.placement = #memref_pool.placement<@flash, 0>}

func.func @main(%x: i8) {
  %a = memref.get_global @a : memref<4xi8, #flash>
  // expected-error@+1 {{'linalg.fill' writes buffer 'a' in pool @flash, which holds constants}}
  linalg.fill ins(%x : i8) outs(%a : memref<4xi8, #flash>)
  return
}

// -----

func.func private @again() {
  // expected-error@+1 {{the plan cannot be checked, since @again calls itself}}
  call @again() : () -> ()
  return
}
func.func @main() {
  call @again() : () -> ()
  return
}

// -----

// expected-error@+1 {{the plan cannot be checked across jumps between blocks}}
func.func @main() {
  cf.br ^next
^next:
  return
}

// -----

func.func @main(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{the plan cannot be checked, since no rule says how 'scf.parallel' runs its regions}}
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
  }
  return
}

// -----

func.func @main(%a: memref<4xi8>) {
  // expected-error@+1 {{the plan cannot be checked, since no rule says which memory 'memref.realloc' gives access to}}
  %0 = memref.realloc %a : memref<4xi8> to memref<8xi8>
  return
}

// -----

func.func @main(%a: memref<4xi8>) {
  // expected-error@+1 {{the plan cannot be checked, since no rule says which memory 'memref.extract_aligned_pointer_as_index' gives access to}}
  %0 = memref.extract_aligned_pointer_as_index %a : memref<4xi8> -> index
  return
}

// -----

func.func private @callee()
func.func @main(%a: memref<4xi8>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%a : memref<4xi8>) {
  ^bb0(%o: i8):
    // expected-error@+1 {{'linalg.generic' must not call functions}}
    func.call @callee() : () -> ()
    linalg.yield %o : i8
  }
  return
}

// -----

memref_pool.pool @ws workspace

func.func @main() {
  // expected-error@+1 {{the size of memref<4xindex, #memref_pool.space<@ws>> is not known, so its bytes cannot be checked}}
  %0 = memref_pool.alloc at <@ws, 0> : memref<4xindex, #memref_pool.space<@ws>>
  return
}

// -----

// Materialised: two buffers at the same bytes.

#ws = #memref_pool.space<@ws>
memref_pool.pool @ws workspace certificate <planner = "hand", peak = 64, lower_bound = 64>

func.func @main(%ws: memref<64xi8, #ws> {memref_pool.base}, %x: i8, %out: memref<64xi8>) {
  %c0 = arith.constant 0 : index
  // expected-note@+1 {{'view' is declared here}}
  %a = memref.view %ws[%c0][] : memref<64xi8, #ws> to memref<64xi8, #ws>
  // expected-note@+1 {{'view' is declared here}}
  %b = memref.view %ws[%c0][] : memref<64xi8, #ws> to memref<32xi8, #ws>
  linalg.fill ins(%x : i8) outs(%a : memref<64xi8, #ws>)
  // expected-note@+1 {{'view' is written here}}
  linalg.fill ins(%x : i8) outs(%b : memref<32xi8, #ws>)
  // expected-error@+1 {{'memref.copy' reads buffer 'view' at [0, 64) of pool @ws, but 'view' at [0, 32) has overwritten its bytes}}
  memref.copy %a, %out : memref<64xi8, #ws> to memref<64xi8>
  return
}

// -----

#ws = #memref_pool.space<@ws>
memref_pool.pool @ws workspace certificate <planner = "hand", peak = 64, lower_bound = 64>

func.func @main(%ws: memref<64xi8, #ws> {memref_pool.base}, %n: index) {
  // expected-error@+1 {{a view of a pool needs a constant offset; leave planning to the passes}}
  %a = memref.view %ws[%n][] : memref<64xi8, #ws> to memref<16xi8, #ws>
  return
}

// -----

#ws = #memref_pool.space<@ws>
memref_pool.pool @ws workspace certificate <planner = "hand", peak = 64, lower_bound = 64>

func.func @main(%ws: memref<64xi8, #ws> {memref_pool.base}) {
  %c16 = arith.constant 16 : index
  // expected-error@+1 {{the view takes bytes [16, 80) of pool @ws, whose base is memref<64xi8, #memref_pool.space<@ws>>}}
  %a = memref.view %ws[%c16][] : memref<64xi8, #ws> to memref<64xi8, #ws>
  return
}

// -----

#ws = #memref_pool.space<@ws>
memref_pool.pool @ws workspace certificate <planner = "hand", peak = 64, lower_bound = 64>

func.func @main(%ws: memref<64xi8, #ws> {memref_pool.base}, %x: i8) {
  // expected-error@+1 {{'linalg.fill' uses the base of pool @ws; only a memref.view makes a buffer of it}}
  linalg.fill ins(%x : i8) outs(%ws : memref<64xi8, #ws>)
  return
}

// -----

#flash = #memref_pool.space<@flash>
memref_pool.pool @flash constant certificate <planner = "hand", peak = 64, lower_bound = 64>
memref.global "private" constant @a : memref<64xi8, #flash> = dense<1> {memref_pool.placement = #memref_pool.placement<@flash, 0>}

func.func @main(%flash: memref<64xi8, #flash> {memref_pool.base}) {
  %c16 = arith.constant 16 : index
  // expected-error@+1 {{no constant lies at [16, 32) of pool @flash}}
  %a = memref.view %flash[%c16][] : memref<64xi8, #flash> to memref<16xi8, #flash>
  return
}

// -----

#ws = #memref_pool.space<@ws>
// expected-error@+1 {{pool @ws is certified at a peak of 60 bytes, but takes 64}}
memref_pool.pool @ws workspace certificate <planner = "hand", peak = 60, lower_bound = 60>

func.func @main(%ws: memref<64xi8, #ws> {memref_pool.base}) {
  return
}

// -----

// Two constants of the same size at the same place are still two.

memref_pool.pool @flash constant certificate <planner = "hand", peak = 4, lower_bound = 4>
// expected-note@+1 {{'a' is here}}
memref.global "private" constant @a : memref<4xi8, #memref_pool.space<@flash>> = dense<1> {memref_pool.placement = #memref_pool.placement<@flash, 0>}
// expected-error@+1 {{buffer 'b' at [0, 4) of pool @flash shares bytes with 'a' at [0, 4), but constants and state share with no buffer}}
memref.global "private" constant @b : memref<4xi8, #memref_pool.space<@flash>> = dense<2> {memref_pool.placement = #memref_pool.placement<@flash, 0>}

// -----

// So are two variables that are arguments, unless they have one name.

#kept = #memref_pool.space<@kept>
memref_pool.pool @kept state certificate <planner = "hand", peak = 4, lower_bound = 4>
// expected-note@+1 {{'a' is here}}
func.func @main(%a: memref<4xi8, #kept> {accel.name = "a", memref_pool.placement = #memref_pool.placement<@kept, 0>}) {
  return
}
// expected-error@+1 {{buffer 'b' at [0, 4) of pool @kept shares bytes with 'a' at [0, 4), but constants and state share with no buffer}}
func.func @reset(%a: memref<4xi8, #kept> {accel.name = "b", memref_pool.placement = #memref_pool.placement<@kept, 0>}) {
  return
}

// -----

// The caller fills the inputs of two entry functions, one after the other.

#ws = #memref_pool.space<@ws>
memref_pool.pool @ws workspace certificate <planner = "hand", peak = 4, lower_bound = 4>
// expected-note@+3 {{'a' is written here}}
// expected-note@+2 {{'a' is declared here}}
// expected-error@+1 {{after @first its caller needs buffer 'b' at [0, 4) of pool @ws, but 'a' at [0, 4) has overwritten its bytes}}
func.func @first(%a: memref<4xi8, #ws> {accel.name = "a", memref_pool.placement = #memref_pool.placement<@ws, 0>}) {
  return
}
// expected-note@+1 {{'b' is declared here}}
func.func @second(%a: memref<4xi8, #ws> {accel.name = "b", memref_pool.placement = #memref_pool.placement<@ws, 0>}) {
  return
}
