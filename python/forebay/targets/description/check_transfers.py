"""Check the queues and transfers of devices, and the pools that are inside devices."""

from __future__ import annotations

from forebay.pools import PoolKind
from forebay.targets.description.device import Device
from forebay.targets.description.errors import TargetError
from forebay.targets.description.parts import TargetParts
from forebay.targets.description.pool import Pool
from forebay.targets.description.transfer import Transfer


def check_transfers(target: TargetParts) -> None:
    """Raise `TargetError` at the line of the first mistake."""
    for pool in target.pools:
        if pool.local:
            _check_inside(pool, target)
    for device in target.devices:
        for intrinsic in device.intrinsics:
            _check_queue(intrinsic.queue, f"'{device.name}.{intrinsic.name}'", device, intrinsic)
        for transfer in device.transfers:
            what = f"'{device.name}.{transfer.name}'"
            _check_queue(transfer.queue, what, device, transfer)
            _check_pools(transfer, what, target)


def _check_inside(pool: Pool, target: TargetParts) -> None:
    """Refuse a pool without lists of access rights: it would be accessible to every device."""
    named = (pool.readers or ()) + (pool.writers or ())
    if pool.readers is None or pool.writers is None or target.host.name in named:
        others = ", ".join(f'"{d.name}"' for d in target.devices if not d.host)
        raise TargetError(
            f"pool '{pool.name}' is inside a device, where the host '{target.host.name}' can "
            f"neither read nor write; list who can: readers=({others},), writers=({others},)",
            pool.place,
        )


def _check_queue(queue: str | None, what: str, device: Device, user: object) -> None:
    known = [known.name for known in device.queues]
    if queue is not None and queue not in known:
        raise TargetError(
            f"{what} runs in the queue '{queue}', which is none of those of '{device.name}': "
            f"{', '.join(known) or 'it has none'}",
            getattr(user, "place"),  # noqa: B009
        )


def _check_pools(transfer: Transfer, what: str, target: TargetParts) -> None:
    pools = {pool.name: pool for pool in target.pools}
    for name in (*transfer.sources, *transfer.targets):
        if name not in pools:
            raise TargetError(
                f"{what} moves between '{name}' and another pool, but the pools are "
                f"{', '.join(pools)}",
                transfer.place,
            )
    for name in transfer.targets:
        if pools[name].kind is PoolKind.constant:
            raise TargetError(
                f"{what} writes '{name}', a pool of constants; make it a workspace, into which "
                "constants are copied before they are used",
                transfer.place,
            )
