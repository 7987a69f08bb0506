"""Devices of a module, and which device runs an op."""

from __future__ import annotations

from mlir import ir
from mlir.dialects import func

from forebay.dialects.accel import (
    CallOp,
    DeviceOp,
    IntrinsicOp,
    LaunchOp,
    MoveOp,
    StartOp,
    TransferOp,
)
from forebay.ir.module import module_around, ops_in_body, symbol_around
from forebay.ir.refused import RefusedError

ON = "accel.on"
"""Attribute of an op or a function: the device that runs it and the ops inside it."""

HANDLE = "accel.handle"
"""Attribute of a function argument: the device whose handle it is."""

IMPLICIT_HOST = "host"
"""Name of the host in a module that declares none."""


def host_of(module: ir.Operation | ir.OpView) -> str:
    """Return the name of the device that runs all ops that no other device claims."""
    hosts = (op.sym_name.value for op in devices_in(module) if op.host)
    return next(hosts, IMPLICIT_HOST)


def devices_in(module: ir.Operation | ir.OpView) -> list[DeviceOp]:
    """Return the devices of a module, in their order."""
    return ops_in_body(module, DeviceOp)


def peaks_of(module: ir.Operation | ir.OpView) -> dict[str, int]:
    """Return the MACs per cycle that devices can execute at most, of those that declare it."""
    return {
        device.sym_name.value: device.peak.value
        for device in devices_in(module)
        if device.peak is not None
    }


def has_handle(device: DeviceOp) -> bool:
    """Return whether the C functions of the device take a handle."""
    return "handle" in device.attributes


def devices_with_handles(module: ir.Operation | ir.OpView) -> dict[str, DeviceOp]:
    """Return the devices whose C functions take a handle, by name, in the order of the module."""
    return {op.sym_name.value: op for op in devices_in(module) if has_handle(op)}


def is_handle(type_: ir.Type) -> bool:
    """Return whether values of the type are handles."""
    if isinstance(type_, (ir.IntegerType, ir.IndexType, ir.FloatType, ir.MemRefType)):
        return False  # nearly all types; skips the parse
    return type_ == ir.Type.parse("!accel.handle", type_.context)


def handle_at(op: ir.OpView, device: str) -> ir.Value | None:
    """Return the handle of a device, an argument of the function around an op, or None."""
    function = op.operation
    while not isinstance(function.opview, func.FuncOp):
        assert function.parent is not None  # an op that issues a device command is in a function
        function = function.parent.operation
    return next(
        (
            argument
            for argument in function.opview.arguments
            if handle_of(function.opview, argument.arg_number) == device
        ),
        None,
    )


def handle_of(function: func.FuncOp, argument: int) -> str | None:
    """Return the device whose handle an argument is, or None for any other argument."""
    if not function.arg_attrs:
        return None
    attributes = ir.DictAttr(function.arg_attrs[argument])
    return ir.FlatSymbolRefAttr(attributes[HANDLE]).value if HANDLE in attributes else None


def device_of(op: ir.OpView, host: str | None = None) -> str:
    """Return the name of the device that runs the op itself.

    For a call this is the device of its intrinsic, for a move that of its transfer. For any other
    op it is the device that `accel.on` names at the op or at the nearest op around it, else the
    host. Pass `host` if the name of the module's host is known. Raises `RefusedError` when
    `accel.on` names no device of the module.
    """
    if isinstance(op, (CallOp, LaunchOp)):
        return intrinsic_of(op).device.value
    if isinstance(op, (MoveOp, StartOp)):
        transfer = symbol_around(op, op.transfer.value)
        assert isinstance(transfer, TransferOp)
        return transfer.device.value
    around: ir.Operation | None = op.operation
    while around is not None:
        if ON in around.attributes:
            return _declared(around)
        around = None if around.parent is None else around.parent.operation
    return host_of(module_around(op)) if host is None else host


def intrinsic_of(call: CallOp | LaunchOp) -> IntrinsicOp:
    """Return the intrinsic that is called or launched.

    Raises `RefusedError` if the module has none of this name, because no target is attached; a
    module with devices is verified.
    """
    name = call.callee.value
    found = symbol_around(call, name)
    if found is None:
        raise RefusedError(
            call.location, f"calls @{name}, but the module has no devices; give it its target"
        )
    assert isinstance(found, IntrinsicOp)
    return found


def _declared(op: ir.Operation) -> str:
    name = ir.FlatSymbolRefAttr(op.attributes[ON]).value
    known = [device.sym_name.value for device in devices_in(module_around(op))]
    if name not in known:
        listed = ", ".join(f"@{device}" for device in known) or "none"
        raise RefusedError(
            op.location, f"{ON} names @{name}, which is no device of the module; it has {listed}"
        )
    return name
