"""Lower device commands to calls of C functions: addresses, then 32-bit numbers."""

from __future__ import annotations

from typing import Any

from mlir import ir
from mlir.dialects import arith, func, memref

from forebay.dialects.accel import CallOp, LaunchOp, MoveOp, StartOp, WaitOp
from forebay.dialects.memref_pool import AddressOp
from forebay.ir.interfaces import is_view
from forebay.ir.machine.devices import device_of, handle_at, intrinsic_of
from forebay.ir.machine.intrinsics import flags_of, passed_operands
from forebay.ir.machine.move_arguments import numbers_of
from forebay.ir.machine.pools import Pools, element_bytes
from forebay.ir.machine.tokens import queue_of_token
from forebay.ir.machine.transfers import queue_of, transfer_of
from forebay.ir.memory.addresses import address_of, buffer_inside
from forebay.ir.nested import memory_ops_in, ops_of
from forebay.ir.views.layouts import offset_of


def call_symbols(module: ir.Operation, pools: Pools) -> None:
    """Replace all device commands in a module by calls of their C functions.

    Waits are replaced first, because the queue of a wait is found by the op that defines its token.
    """
    addresses = [op for op in memory_ops_in(module) if isinstance(op, AddressOp) or is_view(op)]
    commands = ops_of(module, CallOp, LaunchOp, MoveOp, StartOp)
    for wait in ops_of(module, WaitOp):
        _wait(wait)
    for command in commands:
        _call(command, pools)
    for op in reversed(addresses):
        if buffer_inside(op.results[0]) is not None:
            op.operation.erase()


def _wait(op: WaitOp) -> None:
    with ir.InsertionPoint(op), op.location:
        for token in op.tokens:
            queue = queue_of_token(token, op)
            arguments = [*_handle(op, queue.device.value), token]
            func.CallOp([_i32()], f"{queue.symbol.value}_wait", arguments)
    op.operation.erase()


def _call(op: CallOp | LaunchOp | MoveOp | StartOp, pools: Pools) -> None:
    is_move = isinstance(op, (MoveOp, StartOp))
    symbol = (transfer_of(op) if is_move else intrinsic_of(op)).symbol.value
    with ir.InsertionPoint(op), op.location:
        arguments = _move_arguments(op, pools) if is_move else _call_arguments(op, pools)
        arguments = [*_handle(op, device_of(op)), *arguments]
        if isinstance(op, (CallOp, MoveOp)):
            func.CallOp([_i32()], symbol, arguments)
        else:
            _call_after(op)
            ticket = func.CallOp([_i32()], f"{symbol}_start", arguments)
            op.token.replace_all_uses_with(ticket.results[0])
    op.operation.erase()


def _call_after(op: LaunchOp | StartOp) -> None:
    queue = queue_of(transfer_of(op) if isinstance(op, StartOp) else intrinsic_of(op))
    assert queue is not None
    for token in op.after:
        arguments = [*_handle(op, queue.device.value), token]
        func.CallOp([_i32()], f"{queue.symbol.value}_after", arguments)


def _handle(op: ir.OpView, device: str) -> list[ir.Value]:
    """Return the handle of the device as a list; empty where its functions take no handle."""
    handle = handle_at(op, device)
    return [] if handle is None else [handle]


def _call_arguments(op: CallOp | LaunchOp, pools: Pools) -> list[ir.Value]:
    config: Any = {} if op.config is None else op.config
    flags = flags_of(op)
    operands = [_address(op.operands[n], pools, flags.get(n, 0)) for n in passed_operands(op)]
    scalars = intrinsic_of(op).scalars
    return [*operands, *(_number(config[ir.StringAttr(name).value].value) for name in scalars)]


def _move_arguments(op: MoveOp | StartOp, pools: Pools) -> list[ir.Value]:
    flags = flags_of(op)
    addresses = [_address(op.operands[n], pools, flags.get(n, 0)) for n in (0, 1)]
    return [*addresses, *map(_number, numbers_of(op, pools))]


def _address(value: ir.Value, pools: Pools, flags: int) -> ir.Value:
    """Return the operand's pointer, or its address with flags as a number inside a device."""
    found = address_of(value, pools, flags)
    return _pointer(value) if found is None else _number(found.word)


def _number(value: int) -> ir.Value:
    """Return an i32 with the value's 32 bits."""
    signed = value - (1 << 32) if value >= 1 << 31 else value
    return arith.constant(_i32(), signed)


def _i32() -> ir.Type:
    return ir.IntegerType.get_signless(32)


def _pointer(value: ir.Value) -> ir.Value:
    """Return the address of the first element, with the memref's offset added."""
    from mlir.dialects import llvm  # noqa: PLC0415  (loads in 11 ms)

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
