"""Write a target into a module: devices, pools, queues, transfers and intrinsics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mlir import ir

from forebay.dialects import accel, memref_pool
from forebay.ir.machine.wrappers import attach_wrapper
from forebay.pools import Fill, PoolKind
from forebay.targets.description.reference import IntrinsicRegion, fill, located_text
from forebay.targets.description.symbol_names import symbol_of

if TYPE_CHECKING:
    from forebay.targets.description.device import Device
    from forebay.targets.description.intrinsic import Intrinsic, Operand
    from forebay.targets.description.parts import TargetParts
    from forebay.targets.description.pool import Pool
    from forebay.targets.description.transfer import Queue, Transfer


def attach(target: TargetParts) -> None:
    """Write devices and pools, and each device's queues, transfers and intrinsics, as operations.

    Each operation has the location of the line that describes it.
    """
    for device in target.devices:
        _declare_device(device)
    for pool in target.memories:
        _declare_pool(pool)
    for device in target.devices:
        for queue in device.queues:
            _declare_queue(device, queue)
        for transfer in device.transfers:
            _declare_transfer(device, transfer)
        for intrinsic in device.intrinsics:
            _declare_intrinsic(device, intrinsic)


def symbols(target: TargetParts) -> list[str]:
    """Return the symbol names that `attach` defines."""
    names = [entry.name for entry in (*target.devices, *target.memories)]
    for device in target.devices:
        offered = (*device.queues, *device.transfers, *device.intrinsics)
        names += [symbol_of(device.name, thing.name) for thing in offered]
    return names


def _queue_of(device: Device, queue: str | None) -> str | None:
    return None if queue is None else symbol_of(device.name, queue)


def _declare_device(device: Device) -> None:
    op = accel.DeviceOp(
        device.name,
        device.kind,
        host=device.host or None,
        base=device.base,
        peak=device.peak,
        loc=device.location,
    )
    if device.handle:
        op.attributes["handle"] = ir.UnitAttr.get()


def _declare_pool(pool: Pool) -> None:
    memref_pool.PoolOp(
        pool.name,
        PoolKind(pool.kind),
        capacity=pool.capacity,
        alignment=pool.alignment,
        base=pool.base,
        start=pool.start or None,
        unit=None if pool.unit == 1 or pool.is_register else pool.unit,
        banks=None if pool.banks == 1 else pool.banks,
        cost=pool.cost,
        weight=None if pool.weight == 1 else pool.weight,
        reserved=[bound for reserved in pool.reserved for bound in reserved] or None,
        fill=None if pool.fill is Fill.rom else Fill(pool.fill),
        section=pool.section,
        readers=pool.readers,
        writers=pool.writers,
        local=pool.local or None,
        is_register=pool.is_register or None,
        loc=pool.location,
    )


def _declare_queue(device: Device, queue: Queue) -> None:
    name = symbol_of(device.name, queue.name)
    accel.QueueOp(name, device.name, queue.symbol, queue.depth, loc=queue.location)


def _declare_transfer(device: Device, transfer: Transfer) -> None:
    accel.TransferOp(
        symbol_of(device.name, transfer.name),
        device.name,
        transfer.symbol,
        transfer.sources,
        transfer.targets,
        rank=transfer.rank,
        queue=_queue_of(device, transfer.queue),
        granule=transfer.granule,
        limits=_limits(transfer),
        source_flags=transfer.source_flags or None,
        target_flags=transfer.target_flags or None,
        latency=transfer.latency,
        bandwidth=transfer.bandwidth,
        loc=transfer.location,
    )


def _limits(transfer: Transfer) -> dict[str, ir.Attribute] | None:
    word = ir.IntegerType.get_signless(64)
    limits: dict[str, ir.Attribute] = {
        name: ir.IntegerAttr.get(word, most) for name, most in transfer.limits.items()
    }
    return limits or None


def _declare_intrinsic(device: Device, intrinsic: Intrinsic) -> None:
    op = accel.IntrinsicOp(
        symbol_of(device.name, intrinsic.name),
        device.name,
        intrinsic.symbol,
        ir.ArrayAttr.get([_operand(operand, device) for operand in intrinsic.operands]),
        scalars=intrinsic.scalars or None,
        queue=_queue_of(device, intrinsic.queue),
        loc=intrinsic.location,
    )
    if intrinsic.wrapper is not None:
        attach_wrapper(op, intrinsic.wrapper)
    for region in IntrinsicRegion:
        text: str | None = getattr(intrinsic, region.name)
        trace = intrinsic.traces.get(region)
        if trace is not None:
            text = located_text(trace)
        if text is not None:
            fill(op, region, text)


def _operand(operand: Operand, device: Device) -> ir.Attribute:
    registers = [register.name for register in device.registers]
    pools = [symbol_of(device.name, p) if p in registers else p for p in operand.pools or ()]
    return accel.OperandAttr.get(
        operand.name, operand.access, pools, operand.alignment, operand.flags
    )
