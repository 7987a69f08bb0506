"""Translation units: the functions that a device runs have one of their own."""

from __future__ import annotations

from collections.abc import Mapping

from mlir.dialects import func
from mlir.ir import FlatSymbolRefAttr, Module

from forebay.dialects.accel import WaitOp
from forebay.ir.machine.devices import ON, host_of
from forebay.ir.machine.transfers import INSTRUCTIONS
from forebay.ir.memory.roots import is_private
from forebay.ir.nested import ops_in
from forebay.network.names import NameScope, identifier

FILES = {"weights", "pools", "selftest", "intrinsics", "reference", "parts"}
"""What the project's other files are called, behind the prefix."""


class Units:
    """Which device's unit a function belongs to.

    `of`: the device by function; entry functions and those that name no device are the host's.
    `shared`: functions that another unit calls. `devices`: those with a unit, the host first;
    `calling`: those whose unit calls intrinsics.
    """

    def __init__(self, module: Module, functions: Mapping[str, func.FuncOp]) -> None:
        host = host_of(module.operation)
        self.of = {name: _device(function, host) for name, function in functions.items()}
        self.devices = (host, *sorted({*self.of.values()} - {host}))
        self.shared = {
            callee
            for name, function in functions.items()
            for callee in _callees(function)
            if self.of.get(callee) != self.of[name]
        }
        self.calling = {
            self.of[name]
            for name, function in functions.items()
            if any(isinstance(op, (*INSTRUCTIONS, WaitOp)) for op in ops_in(function.operation))
        }


def unit_names(devices: tuple[str, ...]) -> dict[str, str]:
    """Return what the files of devices are called behind the prefix."""
    scope = NameScope([set(FILES)])
    return {device: scope.unique(identifier(device, "device").lower()) for device in devices}


def _device(function: func.FuncOp, host: str) -> str:
    on = function.attributes.get(ON) if is_private(function) else None
    return host if on is None else FlatSymbolRefAttr(on).value


def _callees(function: func.FuncOp) -> list[str]:
    views = [operation.opview for operation in ops_in(function.operation)]
    return [FlatSymbolRefAttr(v.callee).value for v in views if isinstance(v, func.CallOp)]
