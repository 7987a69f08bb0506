"""Queries on intrinsics: which are called, the order of their operands, what they compute."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count

from mlir import ir
from mlir.dialects import func

from forebay.dialects.accel import (
    CallOp,
    IntrinsicOp,
    LaunchOp,
    MoveOp,
    OperandAttr,
    StartOp,
)
from forebay.dialects.memref_pool import PoolOp
from forebay.ir.machine.devices import intrinsic_of
from forebay.ir.machine.transfers import transfer_of
from forebay.ir.module import module_around, ops_in_body, symbol_around
from forebay.ir.nested import ops_of


def called_intrinsics(module: ir.Operation | ir.OpView) -> list[IntrinsicOp]:
    """Return the intrinsics that the program calls or launches, in the module's order."""
    called = {op.callee.value for op in ops_of(module, CallOp, LaunchOp)}
    return [op for op in ops_in_body(module, IntrinsicOp) if op.sym_name.value in called]


def operands_in_order(call: CallOp | LaunchOp) -> list[int]:
    """Return for each operand in the intrinsic's order its index among the operands of the call."""
    return [index for index, _ in _operands(call)]


def _operands(call: CallOp | LaunchOp) -> list[tuple[int, OperandAttr]]:
    """Return the operands in the intrinsic's order, with their indices among those of the call."""
    ins, outs = count(), count(len(call.inputs))
    signature = map(OperandAttr, intrinsic_of(call).signature)
    return [(next(ins if operand.access == "in" else outs), operand) for operand in signature]


def passed_operands(call: CallOp | LaunchOp) -> list[int]:
    """Return the indices of `operands_in_order` without operands in registers.

    These are the operands that the C function gets.
    """
    module = module_around(call)
    return [index for index, operand in _operands(call) if register_of(operand, module) is None]


def flags_of(op: CallOp | LaunchOp | MoveOp | StartOp) -> dict[int, int]:
    """Return the flags that the C function gets with addresses, by the index of the operand."""
    if isinstance(op, (MoveOp, StartOp)):
        transfer = transfer_of(op)
        sides = enumerate((transfer.source_flags, transfer.target_flags))
        return {index: flags.value for index, flags in sides if flags is not None}
    return {index: operand.flags for index, operand in _operands(op) if operand.flags}


def register_of(operand: OperandAttr, module: ir.Operation) -> str | None:
    """Return the register that an operand of an intrinsic is in, or None if it has an address."""
    if len(operand.pools or ()) != 1:
        return None
    pool = symbol_around(module, operand.pools[0])
    return pool.sym_name.value if isinstance(pool, PoolOp) and pool.is_register else None


def has_reference(intrinsic: IntrinsicOp) -> bool:
    """Return whether the intrinsic has a reference, which defines what it computes."""
    return len(intrinsic.reference.blocks) > 0


def add_references(intrinsics: Iterable[IntrinsicOp], block: ir.Block) -> dict[str, func.FuncOp]:
    """Append one function per C symbol: `@symbol(memref<?xT>..., i32...)`, operands in order.

    Intrinsics with the same C symbol share a function. Intrinsics without a reference get none.
    """
    functions: dict[str, func.FuncOp] = {}
    for intrinsic in intrinsics:
        symbol = intrinsic.symbol.value
        if symbol not in functions and has_reference(intrinsic):
            functions[symbol] = _function(intrinsic, symbol, block)
    return functions


def _function(intrinsic: IntrinsicOp, symbol: str, block: ir.Block) -> func.FuncOp:
    with ir.InsertionPoint(block), intrinsic.location:
        clone = intrinsic.operation.clone()
        body = clone.regions[0].blocks[0]
        function = func.FuncOp(symbol, ([argument.type for argument in body.arguments], []))
        body.append_to(function.body)
        body.operations[len(body.operations) - 1].operation.erase()
    with ir.InsertionPoint(body), intrinsic.location:
        func.ReturnOp([])
    clone.operation.erase()
    return function
