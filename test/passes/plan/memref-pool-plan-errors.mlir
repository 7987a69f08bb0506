// RUN: forebay-opt %s --memref-pool-plan=planner=first-fit --split-input-file --verify-diagnostics

#ws = #memref_pool.space<@ws>

// Capacity: at the third op %a and %b are both in use, 64 + 60 = 124.
memref_pool.pool @ws workspace capacity 100

func.func @main(%x: i8, %out: memref<64xi8>) {
  // expected-note@+1 {{'buffer', 64 bytes, lives over [0, 4)}}
  %a = memref_pool.alloc : memref<64xi8, #ws>
  // expected-note@+1 {{'buffer_2', 60 bytes, lives over [2, 3)}}
  %b = memref_pool.alloc : memref<60xi8, #ws>
  %c = memref_pool.alloc : memref<30xi8, #ws>
  linalg.fill ins(%x : i8) outs(%a : memref<64xi8, #ws>)
  linalg.fill ins(%x : i8) outs(%c : memref<30xi8, #ws>)
  // expected-error@+1 {{pool 'ws' needs 124 bytes but has 100; live: 'buffer' (64), 'buffer_2' (60). Give the pool 24 bytes more, or let a buffer live in another pool.}}
  linalg.fill ins(%x : i8) outs(%b : memref<60xi8, #ws>)
  memref.copy %a, %out : memref<64xi8, #ws> to memref<64xi8>
  return
}

// -----

#ws = #memref_pool.space<@ws>
memref_pool.pool @ws workspace

func.func @main(%x: i8) {
  // expected-error@+1 {{buffer 'buffer' is pinned to offset 8, which is not aligned to 16}}
  %a = memref_pool.alloc pinned <@ws, 8> : memref<64xi8, #ws>
  linalg.fill ins(%x : i8) outs(%a : memref<64xi8, #ws>)
  return
}

// -----

#ws = #memref_pool.space<@ws>
memref_pool.pool @ws workspace

func.func @main(%x: i8, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %first = memref_pool.alloc : memref<64xi8, #ws>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %first) -> memref<64xi8, #ws> {
    // expected-note@+1 {{the buffer}}
    %next = memref_pool.alloc : memref<64xi8, #ws>
    memref.copy %it, %next : memref<64xi8, #ws> to memref<64xi8, #ws>
    // expected-error@+1 {{operand 0 hands a buffer to the next iteration that every iteration allocates, so two would be alive at one address; allocate it before the loop, or two of them and swap them}}
    scf.yield %next : memref<64xi8, #ws>
  }
  return
}

// -----

#ws = #memref_pool.space<@ws>
memref_pool.pool @ws workspace

func.func @main(%x: i8, %go: i1) {
  %first = memref_pool.alloc : memref<64xi8, #ws>
  %r = scf.while (%p = %first) : (memref<64xi8, #ws>) -> memref<64xi8, #ws> {
    // expected-note@+1 {{the buffer}}
    %fresh = memref_pool.alloc : memref<64xi8, #ws>
    memref.copy %p, %fresh : memref<64xi8, #ws> to memref<64xi8, #ws>
    %v = memref.subview %fresh[0] [64] [1] : memref<64xi8, #ws> to memref<64xi8, strided<[1]>, #ws>
    scf.condition(%go) %fresh : memref<64xi8, #ws>
  } do {
  ^bb0(%q: memref<64xi8, #ws>):
    // expected-error@+1 {{operand 0 hands a buffer to the next iteration that every iteration allocates, so two would be alive at one address; allocate it before the loop, or two of them and swap them}}
    scf.yield %q : memref<64xi8, #ws>
  }
  return
}

// -----

#ws = #memref_pool.space<@ws>
memref_pool.pool @ws workspace

// expected-note@+1 {{the function}}
func.func private @again(%p: memref<64xi8, #ws>) {
  // expected-error@+1 {{@again calls itself, so each of its buffers would be alive several times at one address; write the recursion as a loop}}
  call @again(%p) : (memref<64xi8, #ws>) -> ()
  return
}
func.func @main() {
  %a = memref_pool.alloc : memref<64xi8, #ws>
  call @again(%a) : (memref<64xi8, #ws>) -> ()
  return
}

// -----

#ws = #memref_pool.space<@ws>
memref_pool.pool @ws workspace

func.func @other(%p: memref<64xi8, #ws>) {
  return
}
func.func @main() {
  %a = memref_pool.alloc : memref<64xi8, #ws>
  // expected-error@+1 {{@other is an entry function, whose arguments have places of their own; call a private function from both}}
  call @other(%a) : (memref<64xi8, #ws>) -> ()
  return
}

// -----

#ws = #memref_pool.space<@ws>
memref_pool.pool @ws workspace

// expected-error@+1 {{@idle is private and nothing calls it, so its buffers have no lifetime; run symbol-dce first}}
func.func private @idle() {
  return
}

// -----

#ws = #memref_pool.space<@ws>
memref_pool.pool @ws workspace

func.func private @get() -> memref<64xi8, #ws>
func.func @main() {
  // expected-error@+1 {{@get returns memory, and two calls would return one address twice; run buffer-results-to-out-params first}}
  %a = call @get() : () -> memref<64xi8, #ws>
  return
}

// -----

#ws = #memref_pool.space<@ws>
memref_pool.pool @ws workspace

func.func @main(%p: memref<64xi8, #ws>) -> memref<64xi8, #ws> {
  // expected-error@+1 {{'func.return' returns memory; run buffer-results-to-out-params first}}
  return %p : memref<64xi8, #ws>
}

// -----

memref_pool.pool @ws workspace

func.func @main() {
  // expected-error@+1 {{'memref.alloc' allocates outside of the pools; run memref-pool-adopt first}}
  %a = memref.alloc() : memref<64xi8>
  return
}

// -----

#ws = #memref_pool.space<@ws>
memref_pool.pool @ws workspace

// Without a memory space it would be a local variable.
func.func @main() {
  // expected-error@+1 {{'memref.alloca' allocates outside of the pools; run memref-pool-adopt first}}
  %a = memref.alloca() : memref<4xi8, #ws>
  return
}

// -----

memref_pool.pool @ws workspace

func.func @main(%f: (memref<4xi8>) -> (), %a: memref<4xi8>) {
  // expected-error@+1 {{'func.call_indirect' calls an unknown function; call it by its symbol}}
  func.call_indirect %f(%a) : (memref<4xi8>) -> ()
  return
}

// -----

memref_pool.pool @ws workspace

func.func @main(%a: memref<4xi8>) {
  // expected-error@+1 {{'memref.extract_aligned_pointer_as_index' turns memory into a number, and its uses cannot be seen}}
  %0 = memref.extract_aligned_pointer_as_index %a : memref<4xi8> -> index
  return
}

// -----

memref_pool.pool @ws workspace

func.func @main(%a: memref<4xi8>) {
  // expected-error@+1 {{'builtin.unrealized_conversion_cast' takes memory and its results may lead back to it unseen; lower it to memref, scf, linalg and func ops before planning}}
  %0 = builtin.unrealized_conversion_cast %a : memref<4xi8> to !llvm.ptr
  return
}

// -----

memref_pool.pool @ws workspace

func.func @main(%a: memref<4xi8>, %n: index) {
  // expected-error@+1 {{'memref.realloc' hands out memory and liveness has no rule that says whose; lower it to memref, scf, linalg and func ops before planning}}
  %0 = memref.realloc %a : memref<4xi8> to memref<8xi8>
  return
}

// -----

memref_pool.pool @ws workspace

func.func @main(%a: memref<4xi8>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{'scf.parallel' has regions and liveness has no rule for it; lower it to memref, scf, linalg and func ops before planning}}
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
  }
  return
}

// -----

memref_pool.pool @ws workspace

// expected-error@+1 {{has control flow between blocks, in which lifetimes cannot be seen; use scf.for, scf.while and scf.if}}
func.func @main() {
  cf.br ^next
^next:
  return
}

// -----

memref_pool.pool @ws workspace
// expected-error@+1 {{memref.global @table lies in a workspace, whose bytes do not last; give it a pool of constants or of state}}
memref.global "private" constant @table : memref<4xi8, #memref_pool.space<@ws>> = dense<1>

func.func @main() {
  %0 = memref.get_global @table : memref<4xi8, #memref_pool.space<@ws>>
  return
}

// -----

memref_pool.pool @flash constant

// expected-error@+1 {{argument 0 of the entry function lies in a pool of constants; make it a memref.global}}
func.func @main(%a: memref<4xi8, #memref_pool.space<@flash>>) {
  return
}

// -----

memref_pool.pool @ws workspace
memref_pool.pool @kept state

// expected-error@+1 {{the candidate pools @ws, @kept are of different kinds; a buffer is either constant, state or workspace}}
func.func @main(%a: memref<4xi8, #memref_pool.space<[@ws, @kept]>>) {
  return
}

// -----

memref_pool.pool @kept state

// expected-note@+1 {{the other entry function}}
func.func @main(%a: memref<4xi8, #memref_pool.space<@kept>> {accel.name = "hidden"}) {
  return
}
// expected-error@+1 {{state 'hidden' is memref<8xi8, #memref_pool.space<@kept>> here but memref<4xi8, #memref_pool.space<@kept>> elsewhere}}
func.func @reset(%a: memref<8xi8, #memref_pool.space<@kept>> {accel.name = "hidden"}) {
  return
}

// -----

memref_pool.pool @ws workspace

// expected-error@+1 {{there is no pool @sram in the module; it has @ws}}
func.func @main(%a: memref<4xi8, #memref_pool.space<@sram>>) {
  return
}

// -----

memref_pool.pool @ws workspace

// expected-error@+1 {{buffer 'arg0' is memref<?xi8, #memref_pool.space<@ws>>: its dynamic shape needs a bound}}
func.func @main(%a: memref<?xi8, #memref_pool.space<@ws>>) {
  return
}

// -----

memref_pool.pool @ws workspace

func.func @main() {
  // expected-error@+1 {{buffer 'buffer' is memref<4xindex, #memref_pool.space<@ws>>: elements of type index have no size}}
  %0 = memref_pool.alloc : memref<4xindex, #memref_pool.space<@ws>>
  return
}

// -----

memref_pool.pool @ws workspace

func.func @main() {
  // expected-error@+1 {{buffer 'buffer' is memref<0xi8, #memref_pool.space<@ws>>, which has no bytes; remove it}}
  %0 = memref_pool.alloc : memref<0xi8, #memref_pool.space<@ws>>
  return
}

// -----

// No candidate suits the host alone, who must not write there.

accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @act workspace read [@npu] write [@npu]
memref_pool.pool @half workspace read [@cpu] write [@npu]

func.func @main(%x: i8) {
  // expected-error@+1 {{buffer 'buffer' may live in @act, @half, but operand 1 of 'linalg.fill' can be in no pool; widen what they can reach, or let memref-pool-assign part them by a copy}}
  %0 = memref_pool.alloc : memref<4xi8, #memref_pool.space<[@act, @half]>>
  // expected-note@+1 {{operand 1 of 'linalg.fill' is here}}
  linalg.fill ins(%x : i8) outs(%0 : memref<4xi8, #memref_pool.space<[@act, @half]>>)
  return
}

// -----

// Two demands that exclude each other: the fetcher reads l2 only, the host writes act only.

#any = #memref_pool.space<[@l2, @act]>
accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @l2 workspace read [@cpu]  write []
memref_pool.pool @act workspace
accel.intrinsic @npu.fetch on @npu symbol "fetch"
  operands [#accel.operand<name = "from", access = in, pools = [@l2]>, #accel.operand<name = "to", access = out>]

func.func @main(%x: i8) {
  // expected-error@+1 {{buffer 'buffer' may live in @l2, @act, but operand 1 of 'linalg.fill' can be in @act and operand "from" of @npu.fetch can be in @l2; widen what they can reach, or let memref-pool-assign part them by a copy}}
  %a = memref_pool.alloc : memref<64xi8, #any>
  %b = memref_pool.alloc : memref<64xi8, #memref_pool.space<@act>>
  // expected-note@+1 {{operand 1 of 'linalg.fill' is here}}
  linalg.fill ins(%x : i8) outs(%a : memref<64xi8, #any>)
  // expected-note@+1 {{operand "from" of @npu.fetch is here}}
  accel.call @npu.fetch ins(%a : memref<64xi8, #any>) outs(%b : memref<64xi8, #memref_pool.space<@act>>)
  return
}

// -----

// The application fills inputs, so it must be able to.

accel.device @cpu kind "cpu" host
memref_pool.pool @act workspace read [@cpu] write []
// expected-error@+2 {{buffer 'arg0' may live in @act, but the application on @cpu, which writes it, can be in no pool; widen what they can reach, or let memref-pool-assign part them by a copy}}
// expected-note@+1 {{the application on @cpu, which writes it, is here}}
func.func @main(%in: memref<4xi8, #memref_pool.space<@act>>) {
  return
}

// -----

// An over-full pool: both buffers are alive at the call, and the intrinsic pins both.

#act = #memref_pool.space<[@l2, @act]>
accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @l2 workspace
memref_pool.pool @act workspace capacity 12815
accel.intrinsic @npu.conv2d on @npu symbol "accel_conv2d"
  operands [#accel.operand<name = "x", access = in, pools = [@act]>, #accel.operand<name = "y", access = out, pools = [@act]>]

func.func @main(%x: i8, %out: memref<8192xi8>) {
  // expected-note@+1 {{'buffer', 4,624 bytes, lives over [0, 2)}}
  %a = memref_pool.alloc : memref<4624xi8, #act>
  // expected-note@+1 {{'buffer_2', 8,192 bytes, lives over [1, 3)}}
  %b = memref_pool.alloc : memref<8192xi8, #act>
  linalg.fill ins(%x : i8) outs(%a : memref<4624xi8, #act>)
  // expected-error@+1 {{pool 'act' needs 12,816 bytes but has 12,815; live: 'buffer' (4,624, pinned by 'accel_conv2d'), 'buffer_2' (8,192, pinned by 'accel_conv2d'). Give the pool 1 byte more, or let a buffer live in another pool.}}
  accel.call @npu.conv2d ins(%a : memref<4624xi8, #act>) outs(%b : memref<8192xi8, #act>)
  memref.copy %b, %out : memref<8192xi8, #act> to memref<8192xi8>
  return
}

// -----

accel.device @npu kind "npu"
memref_pool.pool @rom constant read [@npu]

// expected-error@+1 {{buffer 'table' may live in @rom, but operand 0 of 'memref.copy' can be in no pool; widen what they can reach, or let memref-pool-assign part them by a copy}}
memref.global "private" constant @table : memref<4xi8, #memref_pool.space<@rom>> = dense<1>

func.func @main(%out: memref<4xi8>) {
  %0 = memref.get_global @table : memref<4xi8, #memref_pool.space<@rom>>
  // expected-note@+1 {{operand 0 of 'memref.copy' is here}}
  memref.copy %0, %out : memref<4xi8, #memref_pool.space<@rom>> to memref<4xi8>
  return
}

// -----

// A run's own buffer where bytes last from run to run.
memref_pool.pool @kept state
func.func @main(%x: i8) {
  // expected-error@+1 {{memref_pool.alloc makes a buffer in a pool of kind state, whose bytes last from run to run; make it a memref.global, or give it a workspace}}
  %a = memref_pool.alloc : memref<64xi8, #memref_pool.space<@kept>>
  linalg.fill ins(%x : i8) outs(%a : memref<64xi8, #memref_pool.space<@kept>>)
  return
}
