"""A host, and a device with memories of its own: a scratchpad and sums, both addressed in rows.

The host's `dram` is all that both sides reach, by the device's transfers `mvin` and `mvout`; what
is computed in between sees numbers only.
"""

from __future__ import annotations

DEVICE = """
accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @dram workspace read [@cpu] write [@cpu]
memref_pool.pool @spad workspace local capacity 262144 base 0 unit 16 read [@npu] write [@npu]
memref_pool.pool @acc workspace local capacity 65536 align 64 base 2147483648 unit 64
  read [@npu] write [@npu]
accel.queue @npu.load on @npu symbol "npu_load" depth 4
accel.transfer @npu.mvin on @npu symbol "npu_mvin" from [@dram] to [@spad] rank 2 queue @npu.load
accel.transfer @npu.mvout on @npu symbol "npu_mvout" from [@acc] to [@dram] rank 1
accel.intrinsic @npu.widen on @npu symbol "npu_widen"
  operands [#accel.operand<name = "x", access = in, pools = [@spad]>,
            #accel.operand<name = "y", access = out, pools = [@acc]>] scalars ["n"] {
^bb0(%x: memref<?xi8>, %y: memref<?xi32>, %n: i32):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = arith.index_cast %n : i32 to index
  scf.for %i = %c0 to %m step %c1 {
    %v = memref.load %x[%i] : memref<?xi8>
    %w = arith.extsi %v : i8 to i32
    memref.store %w, %y[%i] : memref<?xi32>
  }
  accel.yield
}
#dram = #memref_pool.space<@dram>
#spad = #memref_pool.space<@spad>
#acc = #memref_pool.space<@acc>
"""

WHOLE = """
func.func @main(%a: tensor<4x4x1x8xi8> {accel.name = "a", accel.dtype = "int8"})
    -> (tensor<4x4x1x8xi32> {accel.name = "out", accel.dtype = "int32"}) {
  %e = tensor.empty() : tensor<4x4x1x8xi32>
  %r = accel.call @npu.widen ins(%a : tensor<4x4x1x8xi8>) outs(%e : tensor<4x4x1x8xi32>)
    config {n = 128 : i64} -> tensor<4x4x1x8xi32>
  return %r : tensor<4x4x1x8xi32>
}
"""
"""The image is moved in, widened, and moved out."""


def in_turn(size: int, *, together: bool) -> str:
    """Two images of `size` bytes; `together`, both are in the device before either is used."""
    one, two = f"memref<{size}xi8, #dram>", f"memref<{size}xi8, #spad>"
    sums = f"memref<{size // 16}xi32, #acc>"
    moves = [f"accel.move @npu.mvin %a{i} into %s{i} : {one}, {two}" for i in (0, 1)]
    uses = [
        f"%v{i} = memref.subview %s{i}[0] [{size // 16}] [1] : {two} to "
        f"memref<{size // 16}xi8, strided<[1]>, #spad>\n"
        f"accel.call @npu.widen ins(%v{i} : memref<{size // 16}xi8, strided<[1]>, #spad>) "
        f"outs(%r{i} : {sums}) config {{n = {size // 16} : i64}}"
        for i in (0, 1)
    ]
    order = [*moves, *uses] if together else [moves[0], uses[0], moves[1], uses[1]]
    body = "\n".join(order)
    return f"""
func.func @main(%a0: {one} {{accel.name = "a0"}}, %a1: {one} {{accel.name = "a1"}}) {{
  %s0 = memref_pool.alloc : {two}
  %s1 = memref_pool.alloc : {two}
  %r0 = memref_pool.alloc : {sums}
  %r1 = memref_pool.alloc : {sums}
{body}
  return
}}
"""
