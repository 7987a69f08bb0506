"""accel-pass-handles: pass device handles to the functions that issue commands to the devices."""

from typing import ClassVar

from mlir import ir
from mlir.dialects import func

from forebay.ir.machine.device_commands import commanded_devices
from forebay.ir.machine.devices import HANDLE, devices_with_handles
from forebay.ir.memory.underlying_buffers import functions_in
from forebay.ir.module import module_of
from forebay.ir.nested import ops_nested_in
from forebay.passes._pass import Pass


class AccelPassHandles(Pass):
    """Add handle arguments to functions that issue commands to devices with a handle.

    This includes functions that call such functions. The handles are arguments of type
    `!accel.handle` after all others, with the device's name in `accel.handle`, in the order in
    which the module declares the devices. The functions must be final: no later pass may outline,
    inline or add a call.
    """

    name: ClassVar[str] = "accel-pass-handles"
    dialects: ClassVar[tuple[str, ...]] = ("accel", "func")

    def run(self, op: ir.Operation) -> None:
        """Rewrite in place; do nothing if no device has a handle."""
        known = devices_with_handles(op)
        if not known:
            return
        commanded = commanded_devices(op)
        needed = {
            name: [device for device in devices if device in known]
            for name, devices in commanded.items()
        }
        functions = [f for f in functions_in(module_of(op)) if needed.get(f.sym_name.value)]
        handles = {f.sym_name.value: _add(f, needed[f.sym_name.value]) for f in functions}
        for function in functions:
            for inner in ops_nested_in(function):
                if isinstance(inner, func.CallOp) and needed.get(inner.callee.value):
                    own = handles[function.sym_name.value]
                    _pass_on(inner, [own[device] for device in needed[inner.callee.value]])


def _add(function: func.FuncOp, devices: list[str]) -> dict[str, ir.Value]:
    """Add handle arguments after all others, and return them by device."""
    handle = ir.Type.parse("!accel.handle")
    attributes = [ir.DictAttr(attribute) for attribute in function.arg_attrs]
    attributes += [ir.DictAttr.get({HANDLE: ir.FlatSymbolRefAttr.get(name)}) for name in devices]
    inputs = [*function.type.inputs, *[handle] * len(devices)]
    type_ = ir.FunctionType.get(inputs, function.type.results)
    function.attributes["function_type"] = ir.TypeAttr.get(type_)
    block = function.entry_block
    added = {name: block.add_argument(handle, function.location) for name in devices}
    function.arg_attrs = attributes
    return added


def _pass_on(call: func.CallOp, handles: list[ir.Value]) -> None:
    with ir.InsertionPoint(call), call.location:
        results = [result.type for result in call.results]
        new = func.CallOp(results, call.callee.value, [*call.operands, *handles])
    for before, after in zip(call.results, new.results, strict=True):
        before.replace_all_uses_with(after)
    call.operation.erase()
