"""Check a target as a whole."""

from __future__ import annotations

from collections.abc import Iterable

from mlir import ir

from forebay.pools import PoolKind
from forebay.targets.description.attach import attach
from forebay.targets.description.check_transfers import check_transfers
from forebay.targets.description.device import Device
from forebay.targets.description.errors import TargetError
from forebay.targets.description.intrinsic import Intrinsic, Operand
from forebay.targets.description.parts import TargetParts
from forebay.targets.description.pool import Pool
from forebay.targets.description.source_location import DescribedObject


def check_target(target: TargetParts) -> None:
    """Raise `TargetError` at the line of the first mistake."""
    _check_names(target)
    _check_host(target)
    for pool in target.memories:
        _check_rights(pool, target)
    for device in target.devices:
        for intrinsic in device.intrinsics:
            for operand in intrinsic.operands:
                _check_operand(operand, intrinsic, device, target)
    check_transfers(target)
    _check_patterns(target)
    _check_emissions(target)
    _check_as_mlir(target)


def _check_names(target: TargetParts) -> None:
    _refuse_duplicates((*target.devices, *target.pools), f"target '{target.name}'")
    for device in target.devices:
        offered = (*device.intrinsics, *device.transfers, *device.queues, *device.registers)
        _refuse_duplicates(offered, f"device '{device.name}'")
        memories = (*target.pools, *device.registers)
        _refuse_duplicates(memories, f"target '{target.name}' with its device '{device.name}'")
        _refuse_duplicates(
            (pattern for pattern in target.patterns if pattern.device == device.name),
            f"device '{device.name}'",
        )


def _refuse_duplicates(objects: Iterable[DescribedObject], owner: str) -> None:
    seen: set[str] = set()
    for object_ in objects:
        name: str = getattr(object_, "name")  # noqa: B009
        if name in seen:
            raise TargetError(f"{owner} has the name '{name}' twice", object_.place)
        seen.add(name)


def _check_host(target: TargetParts) -> None:
    hosts = [device for device in target.devices if device.host]
    if not hosts:
        raise TargetError(
            f"target '{target.name}' has no host; give one of its devices host=True", target.place
        )
    if len(hosts) > 1:
        raise TargetError(
            f"target '{target.name}' has two hosts, '{hosts[0].name}' and '{hosts[1].name}'; "
            "one device runs what no other device runs",
            hosts[1].place,
        )


def _check_rights(pool: Pool, target: TargetParts) -> None:
    known = [device.name for device in target.devices]
    for device in (*(pool.readers or ()), *(pool.writers or ())):
        if device not in known:
            raise TargetError(
                f"pool '{pool.name}' gives rights to '{device}', which is none of the devices "
                f"{', '.join(known)}",
                pool.place,
            )


def _check_operand(
    operand: Operand, intrinsic: Intrinsic, device: Device, target: TargetParts
) -> None:
    what = f"operand '{operand.name}' of '{device.name}.{intrinsic.name}'"
    pools = {pool.name: pool for pool in target.pools}
    pools |= {register.name: register.pool(device.name) for register in device.registers}
    for name in operand.pools or ():
        if name not in pools:
            raise TargetError(
                f"{what} must be in '{name}', which is none of the pools {', '.join(pools)}",
                operand.place,
            )
    if operand.pools is not None:
        named = [pools[name] for name in operand.pools]
        if not named:
            raise TargetError(f"{what} may be in no pool at all", operand.place)
        if operand.is_written and all(pool.kind is PoolKind.constant for pool in named):
            raise TargetError(
                f"{what} is written, but may only be in pools of constants: "
                f"{', '.join(operand.pools)}",
                operand.place,
            )
        return
    if operand.access != "out" and not any(p.lets_read(device.name) for p in target.pools):
        raise TargetError(f"{what} is read, but '{device.name}' may read no pool", operand.place)
    writable = [pool for pool in target.pools if pool.kind is not PoolKind.constant]
    if operand.is_written and not any(p.lets_write(device.name) for p in writable):
        raise TargetError(
            f"{what} is written, but '{device.name}' may write no pool", operand.place
        )


def _check_patterns(target: TargetParts) -> None:
    known = [device.name for device in target.devices if not device.host]
    for pattern in target.patterns:
        if pattern.device not in known:
            raise TargetError(
                f"pattern '{pattern.name}' is for '{pattern.device}', which is none of the "
                f"devices that take operators: {', '.join(known) or 'there is only the host'}",
                pattern.place,
            )


def _check_emissions(target: TargetParts) -> None:
    names = [emission.name for emission in target.emissions]
    for name in names:
        if names.count(name) > 1:
            raise TargetError(
                f"target '{target.name}' has the emission '{name}' twice", target.place
            )


def _check_as_mlir(target: TargetParts) -> None:
    """Run the verifiers of the dialects on the target's operations.

    A new context takes 7 ms, because it loads all dialects; a compilation has one.
    """
    with ir.Context.current or ir.Context(), ir.Location.unknown():
        module = ir.Module.create()
        try:
            with ir.InsertionPoint(module.body):
                attach(target)
            module.operation.verify()
        except ir.MLIRError as error:  # pyright: ignore[reportAttributeAccessIssue]
            diagnostic = error.error_diagnostics[0]
            where = diagnostic.location
            prefix = f"{where.filename}:{where.start_line}: " if where.is_a_file() else ""
            raise TargetError(f"{prefix}{diagnostic.message}") from error
