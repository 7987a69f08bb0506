"""A target as operations: devices, pools, and what the devices offer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mlir import ir

from forebay.dialects import accel, memref_pool
from forebay.targets.description import reference

if TYPE_CHECKING:
    from forebay.targets.description.intrinsic import Intrinsic, Operand
    from forebay.targets.description.target import Device, Pool, Target


def attach(target: Target) -> None:
    """Write devices, pools and intrinsics at the insertion point, each located at its line."""
    for device in target.devices:
        _declare_device(device)
    for pool in target.pools:
        _declare_pool(pool)
    for device in target.devices:
        for intrinsic in device.intrinsics:
            _declare_intrinsic(device, intrinsic)


def symbols(target: Target) -> list[str]:
    """The names that `attach` takes."""
    names = [entry.name for entry in (*target.devices, *target.pools)]
    for device in target.devices:
        names += [symbol_of(device.name, intrinsic.name) for intrinsic in device.intrinsics]
    return names


def symbol_of(device: str, intrinsic: str) -> str:
    """The name of an intrinsic of a device in a module."""
    return f"{device}.{intrinsic}"


def _declare_device(device: Device) -> None:
    accel.DeviceOp(
        device.name,
        device.kind,
        host=device.host or None,
        base=device.base,
        loc=device.location,
    )


def _declare_pool(pool: Pool) -> None:
    memref_pool.PoolOp(
        pool.name,
        memref_pool.PoolKind[pool.kind],
        capacity=pool.capacity,
        alignment=pool.alignment,
        base=pool.base,
        start=pool.start,
        unit=pool.unit,
        banks=pool.banks,
        cost=pool.cost,
        weight=pool.weight,
        reserved=[bound for reserved in pool.reserved for bound in reserved] or None,
        fill=None if pool.fill is None else memref_pool.Fill[pool.fill],
        section=pool.section,
        readers=pool.readers,
        writers=pool.writers,
        loc=pool.location,
    )


def _declare_intrinsic(device: Device, intrinsic: Intrinsic) -> None:
    op = accel.IntrinsicOp(
        symbol_of(device.name, intrinsic.name),
        device.name,
        intrinsic.symbol,
        ir.ArrayAttr.get([_operand(operand) for operand in intrinsic.operands]),
        scalars=intrinsic.scalars or None,
        loc=intrinsic.location,
    )
    if intrinsic.reference is not None:
        reference.fill(op, intrinsic.reference)


def _operand(operand: Operand) -> ir.Attribute:
    return accel.OperandAttr.get(
        operand.name, operand.access, operand.pools or (), operand.alignment
    )
