"""Calls of intrinsics as calls of C functions: pointers to first elements, then 32-bit numbers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from mlir import ir
from mlir.dialects import arith, builtin, func, llvm, memref

from forebay.dialects.accel import CallOp, IntrinsicOp
from forebay.ir.devices import intrinsic_of
from forebay.ir.intrinsics import add_references, operands_in_order
from forebay.ir.layouts import offset_of
from forebay.ir.pools import element_bytes
from forebay.ir.refused import RefusedError

_DESCRIPTOR = "!llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>"
"""A memref of rank 1 in LLVM: allocated and aligned pointer, offset, size, stride."""


def declare(intrinsics: Iterable[IntrinsicOp], block: ir.Block) -> None:
    """Declare the C functions; whoever runs the program provides them."""
    declared: set[str] = set()
    for intrinsic in intrinsics:
        symbol = intrinsic.symbol.value
        if symbol not in declared:
            declared.add(symbol)
            with ir.InsertionPoint.at_block_begin(block), intrinsic.location:
                func.FuncOp(symbol, (_inputs(intrinsic), []), visibility="private")


def define(intrinsics: Iterable[IntrinsicOp], block: ir.Block) -> None:
    """Define the C functions by the references.

    Raises `RefusedError` where an intrinsic has no reference, or one that asks for a size.
    """
    functions = add_references(intrinsics, block)
    for intrinsic in intrinsics:
        if intrinsic.symbol.value not in functions:
            raise RefusedError(
                intrinsic.location,
                f"intrinsic @{intrinsic.sym_name.value} has no reference, so nothing on this host "
                "can run it; give it one, or link its symbol with intrinsics=extern",
            )
    for function in functions.values():
        _take_pointers(function)


def call_symbol(op: CallOp) -> None:
    """Replace an `accel.call` by a call of its C function."""
    intrinsic = intrinsic_of(op)
    config: Any = {} if op.config is None else op.config
    i32 = ir.IntegerType.get_signless(32)
    with ir.InsertionPoint(op), op.location:
        pointers = [_pointer(op.operands[index]) for index in operands_in_order(op)]
        scalars = [
            arith.constant(i32, config[ir.StringAttr(name).value].value)
            for name in intrinsic.scalars
        ]
        func.CallOp([], intrinsic.symbol.value, [*pointers, *scalars])
    op.operation.erase()


def _inputs(intrinsic: IntrinsicOp) -> list[ir.Type]:
    i32 = ir.IntegerType.get_signless(32)
    return [ir.Type.parse("!llvm.ptr")] * len(intrinsic.signature) + [i32] * len(intrinsic.scalars)


def _pointer(value: ir.Value) -> ir.Value:
    """The address of the first element, behind the memref's offset."""
    type_ = ir.MemRefType(value.type)
    i64 = ir.IntegerType.get_signless(64)
    address = memref.extract_aligned_pointer_as_index(value)
    offset = offset_of(type_)
    if offset != 0:
        index = ir.IndexType.get()
        elements = (
            memref.ExtractStridedMetadataOp(value).offset
            if offset is None
            else arith.constant(index, offset)
        )
        size = arith.constant(index, element_bytes(type_.element_type))
        address = arith.addi(address, arith.muli(elements, size))
    return llvm.inttoptr(ir.Type.parse("!llvm.ptr"), arith.index_cast(i64, address))


def _take_pointers(reference: func.FuncOp) -> None:
    """Replace a reference by a function with the C signature, which makes memrefs of pointers."""
    old = reference.entry_block
    pointer = ir.Type.parse("!llvm.ptr")
    inputs = [pointer if _is_memref(a.type) else a.type for a in old.arguments]
    with ir.InsertionPoint(reference), reference.location:
        function = func.FuncOp(reference.sym_name.value, (inputs, []))
    block = function.add_entry_block()
    for before, given in zip(old.arguments, block.arguments, strict=True):
        _refuse_sizes(before)
        with ir.InsertionPoint(block), reference.location:
            after = _memref_at(given, before.type) if _is_memref(before.type) else given
        before.replace_all_uses_with(after)
    for op in list(old.operations):
        block.append(op)
    reference.erase()


def _memref_at(pointer: ir.Value, type_: ir.Type) -> ir.Value:
    """A memref whose first element is at a pointer, of a size that nobody asks for."""
    descriptor: ir.Value = llvm.PoisonOp(ir.Type.parse(_DESCRIPTOR)).result
    i64 = ir.IntegerType.get_signless(64)
    zero, one = arith.constant(i64, 0), arith.constant(i64, 1)
    parts = ((pointer, [0]), (pointer, [1]), (zero, [2]), (zero, [3, 0]), (one, [4, 0]))
    for value, position in parts:
        descriptor = llvm.InsertValueOp(descriptor, value, position).result
    return builtin.UnrealizedConversionCastOp([type_], [descriptor]).results[0]


def _is_memref(type_: ir.Type) -> bool:
    return isinstance(type_, ir.MemRefType)


def _refuse_sizes(argument: ir.Value) -> None:
    for use in argument.uses:
        if isinstance(use.owner.opview, memref.DimOp | memref.CopyOp):
            raise RefusedError(
                use.owner.location,
                "a reference gets pointers, which have no size; take it from a scalar",
            )
