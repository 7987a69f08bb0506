"""Read a target back from a module that it was attached to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mlir import ir

from forebay import pools
from forebay.dialects import accel, memref_pool
from forebay.ir.machine.devices import has_handle
from forebay.ir.machine.pools import pool_of
from forebay.ir.machine.transfers import limits_of
from forebay.ir.machine.wrappers import wrapper_of
from forebay.targets.complete.target import Target
from forebay.targets.description.device import Device
from forebay.targets.description.intrinsic import Intrinsic, Operand
from forebay.targets.description.pool import Pool, Register
from forebay.targets.description.reference import IntrinsicRegion, reference_text
from forebay.targets.description.transfer import Queue, Transfer


def read(module: ir.Operation, name: str) -> Target:
    """Return the devices and pools of a module as a target; a module holds no patterns.

    Raises `TargetError` when they do not form a valid target.
    """
    ops = list(module.regions[0].blocks[0].operations)
    return Target(
        name,
        tuple(_device(op, ops) for op in ops if isinstance(op, accel.DeviceOp)),
        tuple(Pool(**vars(pool)) for pool in _pools(ops) if not pool.is_register),
    )


def _pools(ops: list[ir.OpView]) -> list[pools.Pool]:
    return [pool_of(op) for op in ops if isinstance(op, memref_pool.PoolOp)]


def _device(op: accel.DeviceOp, ops: list[ir.OpView]) -> Device:
    name = op.sym_name.value
    offered = (accel.IntrinsicOp, accel.QueueOp, accel.TransferOp)
    commands = [o for o in ops if isinstance(o, offered) and o.device.value == name]
    registers = dict(_registers(name, ops))
    short = {pool: register.name for pool, register in registers.items()}
    return Device(
        name,
        op.kind.value,
        host=op.host,
        base=_number(op.base),
        intrinsics=tuple(
            _intrinsic(o, name, short) for o in commands if isinstance(o, accel.IntrinsicOp)
        ),
        transfers=tuple(_transfer(o, name) for o in commands if isinstance(o, accel.TransferOp)),
        queues=tuple(_queue(o, name) for o in commands if isinstance(o, accel.QueueOp)),
        handle=has_handle(op),
        peak=_number(op.peak),
        registers=tuple(registers.values()),
    )


def _registers(device: str, ops: list[ir.OpView]) -> Iterator[tuple[str, Register]]:
    """Yield the registers that the device reads or writes, with the names of their pools."""
    for pool in _pools(ops):
        if pool.is_register and (pool.lets_read(device) or pool.lets_write(device)):
            assert pool.capacity is not None  # the op's verifier ensures it
            yield pool.name, Register(_short(pool.name, device), pool.capacity)


def _short(symbol: str, device: str) -> str:
    return symbol.removeprefix(f"{device}.")


def _queue(op: accel.QueueOp, device: str) -> Queue:
    return Queue(_short(op.sym_name.value, device), op.symbol.value, op.depth.value)


def _queue_of(op: accel.IntrinsicOp | accel.TransferOp, device: str) -> str | None:
    return None if op.queue is None else _short(op.queue.value, device)


def _transfer(op: accel.TransferOp, device: str) -> Transfer:
    return Transfer(
        _short(op.sym_name.value, device),
        op.symbol.value,
        _names(op.sources) or (),
        _names(op.targets) or (),
        rank=op.rank.value,
        queue=_queue_of(op, device),
        granule=_number(op.granule),
        latency=_number(op.latency),
        bandwidth=_number(op.bandwidth),
        limits=limits_of(op),
        source_flags=_number(op.source_flags) or 0,
        target_flags=_number(op.target_flags) or 0,
    )


def _intrinsic(op: accel.IntrinsicOp, device: str, registers: Mapping[str, str]) -> Intrinsic:
    return Intrinsic(
        _short(op.sym_name.value, device),
        op.symbol.value,
        tuple(_operand(accel.OperandAttr(attribute), registers) for attribute in op.signature),
        tuple(ir.StringAttr(scalar).value for scalar in op.scalars),
        reference_text(op, IntrinsicRegion.reference),
        queue=_queue_of(op, device),
        cycles=reference_text(op, IntrinsicRegion.cycles),
        wrapper=wrapper_of(op),
    )


def _operand(attribute: accel.OperandAttr, registers: Mapping[str, str]) -> Operand:
    access: dict[str, str] = {"in": "in", "out": "out", "inout": "inout"}
    return Operand(
        attribute.name,
        access[attribute.access],  # pyright: ignore[reportArgumentType]
        tuple(registers.get(pool, pool) for pool in attribute.pools) or None,
        attribute.align,
        attribute.flags,
    )


def _number(attribute: ir.IntegerAttr | None) -> int | None:
    return None if attribute is None else attribute.value


def _names(names: ir.ArrayAttr | None) -> tuple[str, ...] | None:
    return None if names is None else tuple(ir.FlatSymbolRefAttr(name).value for name in names)
