"""A memref for the memory at a pointer, in the form of upstream's lowering to LLVM."""

from __future__ import annotations

from mlir import ir
from mlir.dialects import arith, builtin

_DESCRIPTOR = "!llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>"
"""A memref of rank 1 in LLVM: allocated and aligned pointer, offset, size, stride."""


def memref_at(pointer: ir.Value, type_: ir.Type, size: int = 0) -> ir.Value:
    """Return a rank-1 memref that begins at a pointer; with size 0, its size must not be read."""
    from mlir.dialects import llvm  # noqa: PLC0415  (loads in 11 ms)

    descriptor: ir.Value = llvm.PoisonOp(ir.Type.parse(_DESCRIPTOR)).result
    i64 = ir.IntegerType.get_signless(64)
    zero, one = arith.constant(i64, 0), arith.constant(i64, 1)
    length = arith.constant(i64, size)
    parts = ((pointer, [0]), (pointer, [1]), (zero, [2]), (length, [3, 0]), (one, [4, 0]))
    for value, position in parts:
        descriptor = llvm.InsertValueOp(descriptor, value, position).result
    return builtin.UnrealizedConversionCastOp([type_], [descriptor]).results[0]
