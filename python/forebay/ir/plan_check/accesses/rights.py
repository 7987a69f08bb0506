"""Access rights: the rights of devices, and the pools that intrinsics allow for their operands."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from mlir import ir
from mlir.dialects.builtin import ModuleOp

from forebay.dialects.accel import (
    CallOp,
    DeviceOp,
    IntrinsicOp,
    LaunchOp,
    MoveOp,
    OperandAttr,
    StartOp,
    TransferOp,
)
from forebay.ir.identity import identity_of
from forebay.ir.machine.pools import pools_in
from forebay.ir.plan_check.accesses.operands import Accesses
from forebay.ir.plan_check.buffers.placed import PlacedBuffer
from forebay.ir.plan_check.integers.numbers import number
from forebay.ir.plan_check.memory.references import Reference
from forebay.ir.refused import RefusedError
from forebay.pools import PoolKind


class CheckedAccess(NamedTuple):
    """An access of an op to a value, with the facts that decide where the value may be.

    `pools`, if given, are the pools in which an intrinsic accepts the operand; otherwise the rights
    of `device` decide. `alignment` is what the intrinsic requires of the address.
    """

    value: ir.Value
    reads: bool
    writes: bool
    device: str
    what: str
    pools: tuple[str, ...] = ()
    alignment: int = 1


class AccessRights:
    """The rights of a module's devices: whether the operands of an op may be where they are."""

    def __init__(self, module: ModuleOp) -> None:
        self._pools = pools_in(module.operation)
        symbols = list(module.body.operations)
        self._transfers = {op.sym_name.value: op for op in symbols if isinstance(op, TransferOp)}
        self._intrinsics = {op.sym_name.value: op for op in symbols if isinstance(op, IntrinsicOp)}
        hosts = [op.sym_name.value for op in symbols if isinstance(op, DeviceOp) and op.host]
        self.host = hosts[0] if hosts else "host"
        self._around: dict[int, str] = {}
        """By op: the device of the ops in its regions."""

    def device(self, op: ir.OpView) -> str:
        """Return the device of an intrinsic or transfer, of the nearest `accel.on`, or the host."""
        if isinstance(op, (CallOp, LaunchOp)):
            return self._intrinsics[op.callee.value].device.value
        if isinstance(op, (MoveOp, StartOp)):
            return self._transfers[op.transfer.value].device.value
        return self._nearest(op.operation)

    def _nearest(self, op: ir.Operation) -> str:
        if "accel.on" in op.attributes:
            return ir.FlatSymbolRefAttr(op.attributes["accel.on"]).value
        if op.parent is None:
            return self.host
        parent = op.parent.operation
        key = identity_of(parent)
        if key not in self._around:
            self._around[key] = self._nearest(parent)
        return self._around[key]

    def accesses(
        self, op: ir.OpView, accesses_of: Callable[[ir.OpView], Accesses]
    ) -> Iterator[CheckedAccess]:
        """Yield the accesses of an op to its operands; intrinsics and transfers declare theirs."""
        if isinstance(op, (CallOp, LaunchOp)):
            yield from self._of_intrinsic(op)
            return
        if isinstance(op, (MoveOp, StartOp)):
            yield from self._of_transfer(op)
            return
        reads, writes = accesses_of(op)
        device = self.device(op)
        what = f"'{op.operation.name}'"
        yield from (CheckedAccess(value, True, False, device, what) for value in reads)
        yield from (CheckedAccess(value, False, True, device, what) for value in writes)

    def queue(self, op: StartOp | LaunchOp) -> str:
        """Return the queue that a started operation runs in."""
        if isinstance(op, LaunchOp):
            queue = self._intrinsics[op.callee.value].queue
        else:
            queue = self._transfers[op.transfer.value].queue
        assert queue is not None  # the verifier of the op ensures it
        return queue.value

    def check(
        self, op: ir.OpView, access: CheckedAccess, reference: Reference, buffer: PlacedBuffer
    ) -> None:
        """Raise `RefusedError` if the op must not access a buffer in this way at this place."""
        pool = self._pools[buffer.pool]
        where = f"buffer '{buffer.name}' in pool @{buffer.pool}"
        if access.writes and pool.kind is PoolKind.constant:
            raise RefusedError(op.location, f"{access.what} writes {where}, which holds constants")
        if pool.local and not isinstance(op, (CallOp, LaunchOp, MoveOp, StartOp)):
            raise RefusedError(
                op.location,
                f"{access.what} {'reads' if access.reads else 'writes'} {where}, which is inside "
                f"{_listed(pool.readers or pool.writers)}: nothing but its transfers and "
                "intrinsics can; move the bytes into a pool that the host can address",
                [(buffer.location, f"'{buffer.name}' is declared here")],
            )
        if access.pools:
            self._check_pools(op, access, where, buffer)
        elif access.reads and not pool.lets_read(access.device):
            raise RefusedError(
                op.location, f"{access.what} reads {where}, which @{access.device} must not read"
            )
        elif access.writes and not pool.lets_write(access.device):
            raise RefusedError(
                op.location, f"{access.what} writes {where}, which @{access.device} must not write"
            )
        self.check_address(op, access.what, reference, buffer, access.alignment)

    def check_outside(self, op: ir.OpView, access: CheckedAccess) -> None:
        """Raise `RefusedError` if a device would access memory of the caller; only the host may."""
        if access.device != self.host or access.pools:
            raise RefusedError(
                op.location,
                f"{access.what} is memory of the caller, in no pool that @{access.device} reaches",
            )

    def _of_transfer(self, op: MoveOp | StartOp) -> Iterator[CheckedAccess]:
        transfer = self._transfers[op.transfer.value]
        device, name = transfer.device.value, transfer.sym_name.value
        sources, targets = _names(transfer.sources), _names(transfer.targets)
        yield CheckedAccess(op.source, True, False, device, f"the source of @{name}", sources)
        yield CheckedAccess(op.target, False, True, device, f"the target of @{name}", targets)

    def _of_intrinsic(self, call: CallOp | LaunchOp) -> Iterator[CheckedAccess]:
        intrinsic = self._intrinsics[call.callee.value]
        ins, outs = iter(call.inputs), iter(call.outputs)
        for attribute in intrinsic.signature:
            operand = OperandAttr(attribute)
            yield CheckedAccess(
                next(ins if operand.access == "in" else outs),
                operand.access != "out",
                operand.access != "in",
                intrinsic.device.value,
                f'operand "{operand.name}" of @{intrinsic.sym_name.value}',
                tuple(operand.pools or ()),
                operand.align,
            )

    def _check_pools(
        self, op: ir.OpView, access: CheckedAccess, where: str, buffer: PlacedBuffer
    ) -> None:
        if buffer.pool not in access.pools:
            raise RefusedError(
                op.location,
                f"{access.what} is {where}, but must be in {_listed(access.pools)}",
                [(buffer.location, f"'{buffer.name}' is declared here")],
            )

    def check_address(
        self, op: ir.OpView, what: str, reference: Reference, buffer: PlacedBuffer, alignment: int
    ) -> None:
        """Raise `RefusedError` if the absolute address of the first byte is not aligned."""
        pool = self._pools[buffer.pool]
        begin = reference.begin.plus(number(buffer.start))
        base = (pool.base or 0) * (pool.unit if pool.local else 1)
        if begin.plus(number(base)).is_multiple_of(alignment):
            return
        constant = begin.constant
        if constant is None:
            raise RefusedError(
                op.location,
                f"{what} begins at an offset that is known at run time only, so its "
                f"alignment to {alignment} cannot be checked",
            )
        raise RefusedError(
            op.location,
            f"{what} begins at byte {constant:,} of pool @{buffer.pool}, which is not a "
            f"multiple of {alignment}",
            [(buffer.location, f"'{buffer.name}' is declared here")],
        )


def _names(pools: ir.ArrayAttr) -> tuple[str, ...]:
    return tuple(ir.FlatSymbolRefAttr(pool).value for pool in pools)


def _listed(names: Sequence[str] | None) -> str:
    return ", ".join(f"@{name}" for name in names or ()) or "a device"
