"""A memref for the memory at a pointer, in the form of upstream's lowering to LLVM."""

from __future__ import annotations

from mlir import ir
from mlir.dialects import arith, builtin

_DESCRIPTOR = "!llvm.struct<(ptr, ptr, i{0}, array<1 x i{0}>, array<1 x i{0}>)>"
"""A memref of rank 1 in LLVM: allocated and aligned pointer, offset, size, stride."""


def memref_at(pointer: ir.Value, type_: ir.Type, size: int = 0, index_bits: int = 64) -> ir.Value:
    """Return a rank-1 memref that begins at a pointer; with size 0, its size must not be read."""
    from mlir.dialects import llvm  # noqa: PLC0415  (loads in 11 ms)

    descriptor: ir.Value = llvm.PoisonOp(ir.Type.parse(_DESCRIPTOR.format(index_bits))).result
    index = ir.IntegerType.get_signless(index_bits)
    zero, one = arith.constant(index, 0), arith.constant(index, 1)
    length = arith.constant(index, size)
    parts = ((pointer, [0]), (pointer, [1]), (zero, [2]), (length, [3, 0]), (one, [4, 0]))
    for value, position in parts:
        descriptor = llvm.InsertValueOp(descriptor, value, position).result
    return builtin.UnrealizedConversionCastOp([type_], [descriptor]).results[0]
