"""Read a target back from a module that it was attached to."""

from __future__ import annotations

from mlir import ir

from forebay.dialects import accel, memref_pool
from forebay.ir.machine.devices import has_handle
from forebay.targets.description.device import Device
from forebay.targets.description.intrinsic import Intrinsic, Operand
from forebay.targets.description.pool import Pool
from forebay.targets.description.reference import IntrinsicRegion, text_of
from forebay.targets.description.target import Target
from forebay.targets.description.transfer import Queue, Transfer


def read(module: ir.Operation, name: str) -> Target:
    """Return the devices and pools of a module as a target; a module holds no patterns.

    Raises `TargetError` when they do not form a valid target.
    """
    ops = list(module.regions[0].blocks[0].operations)
    return Target(
        name,
        tuple(_device(op, ops) for op in ops if isinstance(op, accel.DeviceOp)),
        tuple(_pool(op) for op in ops if isinstance(op, memref_pool.PoolOp)),
    )


def _device(op: accel.DeviceOp, ops: list[ir.OpView]) -> Device:
    name = op.sym_name.value
    offered = (accel.IntrinsicOp, accel.QueueOp, accel.TransferOp)
    own = [o for o in ops if isinstance(o, offered) and o.device.value == name]
    return Device(
        name,
        op.kind.value,
        host=op.host,
        base=_number(op.base),
        intrinsics=tuple(_intrinsic(o, name) for o in own if isinstance(o, accel.IntrinsicOp)),
        transfers=tuple(_transfer(o, name) for o in own if isinstance(o, accel.TransferOp)),
        queues=tuple(_queue(o, name) for o in own if isinstance(o, accel.QueueOp)),
        handle=has_handle(op),
    )


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
    )


def _intrinsic(op: accel.IntrinsicOp, device: str) -> Intrinsic:
    return Intrinsic(
        _short(op.sym_name.value, device),
        op.symbol.value,
        tuple(_operand(accel.OperandAttr(attribute)) for attribute in op.signature),
        tuple(ir.StringAttr(scalar).value for scalar in op.scalars),
        text_of(op, IntrinsicRegion.reference),
        queue=_queue_of(op, device),
        cycles=text_of(op, IntrinsicRegion.cycles),
    )


def _operand(attribute: accel.OperandAttr) -> Operand:
    access: dict[str, str] = {"in": "in", "out": "out", "inout": "inout"}
    return Operand(
        attribute.name,
        access[attribute.access],  # pyright: ignore[reportArgumentType]
        attribute.pools or None,
        attribute.align,
    )


def _pool(op: memref_pool.PoolOp) -> Pool:
    bounds = list(op.reserved or ())
    defaults = Pool("", "workspace")
    return Pool(
        op.sym_name.value,
        memref_pool.PoolKind(op.kind.value).name,  # pyright: ignore[reportArgumentType]
        capacity=_number(op.capacity),
        alignment=_number(op.alignment) or defaults.alignment,
        reserved=tuple(zip(bounds[::2], bounds[1::2], strict=True)),
        start=_number(op.start),
        base=_number(op.base),
        unit=_number(op.unit),
        banks=_number(op.banks),
        cost=_number(op.cost),
        weight=_number(op.weight),
        section=None if op.section is None else op.section.value,
        readers=_names(op.readers),
        writers=_names(op.writers),
        local=op.local,
        fill=None if op.fill is None else memref_pool.Fill(op.fill.value).name,  # pyright: ignore[reportArgumentType]
    )


def _number(attribute: ir.IntegerAttr | None) -> int | None:
    return None if attribute is None else attribute.value


def _names(names: ir.ArrayAttr | None) -> tuple[str, ...] | None:
    return None if names is None else tuple(ir.FlatSymbolRefAttr(name).value for name in names)
