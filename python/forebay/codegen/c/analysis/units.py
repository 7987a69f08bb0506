"""Translation units: the functions that a device runs are in a unit of their own."""

from __future__ import annotations

from collections.abc import Mapping

from mlir.dialects import func
from mlir.ir import FlatSymbolRefAttr, Module

from forebay.dialects.accel import WaitOp
from forebay.ir.machine.devices import ON, host_of
from forebay.ir.machine.transfers import INSTRUCTIONS
from forebay.ir.memory.underlying_buffers import is_private
from forebay.ir.nested import ops_of
from forebay.network.names import NameScope, identifier

FILES = {
    *("weights", "weights_incbin", "pools", "selftest", "parts"),
    *("intrinsics", "reference", "wrappers"),
}
"""The names of the project's other files, after the prefix."""


class Units:
    """The assignment of functions to translation units, one per device.

    `of`: the device by function name; the host for entry functions and functions without a device.
    `shared`: functions that another unit calls. `devices`: devices with a unit, the host first.
    `calling`: devices whose unit calls driver functions.
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
            if ops_of(function, *INSTRUCTIONS, WaitOp)
        }


def unit_names(devices: tuple[str, ...]) -> dict[str, str]:
    """Return the file name of each device's unit, after the prefix."""
    scope = NameScope([set(FILES)])
    return {device: scope.unique(identifier(device, "device").lower()) for device in devices}


def _device(function: func.FuncOp, host: str) -> str:
    on = function.attributes.get(ON) if is_private(function) else None
    return host if on is None else FlatSymbolRefAttr(on).value


def _callees(function: func.FuncOp) -> list[str]:
    return [FlatSymbolRefAttr(call.callee).value for call in ops_of(function, func.CallOp)]
