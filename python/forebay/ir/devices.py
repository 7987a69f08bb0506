"""Which device runs an op."""

from __future__ import annotations

from mlir import ir

from forebay.dialects.accel import (
    CallOp,
    DeviceOp,
    IntrinsicOp,
    LaunchOp,
    MoveOp,
    StartOp,
    TransferOp,
)
from forebay.ir.refused import RefusedError

ON = "accel.on"
"""Attribute of an op or a function: the device that runs it and what is inside of it."""

IMPLICIT_HOST = "host"
"""Name of the host in a module that declares none."""


def host_of(module: ir.Operation | ir.OpView) -> str:
    """Name of the device that runs whatever no other device claims."""
    block = module.operation.regions[0].blocks[0]
    hosts = (op.sym_name.value for op in block.operations if isinstance(op, DeviceOp) and op.host)
    return next(hosts, IMPLICIT_HOST)


def devices_in(module: ir.Operation | ir.OpView) -> list[DeviceOp]:
    """The devices of a module, in their order."""
    block = module.operation.regions[0].blocks[0]
    return [op for op in block.operations if isinstance(op, DeviceOp)]


def device_of(op: ir.OpView, host: str | None = None) -> str:
    """Name of the device that runs the op itself; `host` where the caller knows the module's.

    Of a call the device of its intrinsic, of a move that of its transfer; of any other op what
    `accel.on` says at it or at the nearest op around it; else the host. Raises `RefusedError` when
    that is no device of the module.
    """
    if isinstance(op, (CallOp, LaunchOp)):
        return intrinsic_of(op).device.value
    if isinstance(op, (MoveOp, StartOp)):
        transfer = ir.SymbolTable(module_around(op))[op.transfer.value]
        assert isinstance(transfer, TransferOp)
        return transfer.device.value
    around: ir.Operation | None = op.operation
    while around is not None:
        if ON in around.attributes:
            return _declared(around)
        around = None if around.parent is None else around.parent.operation
    return host_of(module_around(op)) if host is None else host


def intrinsic_of(call: CallOp | LaunchOp) -> IntrinsicOp:
    """What is called or launched; the verifier has made sure that there is one."""
    found = ir.SymbolTable(module_around(call))[call.callee.value]
    assert isinstance(found, IntrinsicOp)
    return found


def module_around(op: ir.OpView | ir.Operation) -> ir.Operation:
    """The outermost op around `op`, or itself."""
    around = op.operation
    while around.parent is not None:
        around = around.parent.operation
    return around


def _declared(op: ir.Operation) -> str:
    name = ir.FlatSymbolRefAttr(op.attributes[ON]).value
    known = [device.sym_name.value for device in devices_in(module_around(op))]
    if name not in known:
        listed = ", ".join(f"@{device}" for device in known) or "none"
        raise RefusedError(
            op.location, f"{ON} names @{name}, which is no device of the module; it has {listed}"
        )
    return name
