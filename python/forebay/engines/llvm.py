"""The engine that compiles a module through upstream's lowering to LLVM, to check the C."""

from __future__ import annotations

import ctypes
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from mlir.dialects import func
from mlir.ir import Module, UnitAttr
from numpy.typing import NDArray

from forebay.engines.jit_code import JitCode
from forebay.engines.llvm_lowering import clone_of, lower_to_llvm, pass_pointers
from forebay.ir.machine.devices import handle_of
from forebay.ir.nested import ops_of
from forebay.lowering.device_calls.device_memory import handle_numbers
from forebay.network.engine import (
    DeviceError,
    NotResetError,
    aligned_bytes,
    fill_constants,
)
from forebay.network.errors import EmissionError
from forebay.network.fixed_memory import FixedMemory
from forebay.network.model import ModelInfo, Port
from forebay.network.pool_arguments import pool_name
from forebay.network.pool_images import pool_images
from forebay.network.port_arrays import checked_inputs, is_of_caller


class LlvmEngine:
    """The module compiled in this process by LLVM; the given module is not changed.

    `intrinsics` are ctypes functions by C symbol, which replace the references. `callbacks` are
    functions that the module itself declares and calls. The handle of a device is a number here:
    its position among the devices with handles, counted from 1. `optimized` says whether
    LLVM optimises before the first run, see `JitCode`.
    """

    def __init__(
        self,
        module: Module,
        model: ModelInfo,
        intrinsics: Mapping[str, Any] | None = None,
        callbacks: Mapping[str, Any] | None = None,
        *,
        optimized: bool = False,
    ) -> None:
        self.model = model
        self._fixed = FixedMemory(model.mapped_pools)
        self._pools = {
            p.name: aligned_bytes(p.size, p.alignment) for p in model.pools if not p.is_mapped
        } | self._fixed.arrays
        fill_constants(self._pools, pool_images(module, model))
        self._is_reset = not model.state_pools
        functions = {
            op.name.value: op for op in module.body.operations if isinstance(op, func.FuncOp)
        }
        self._entries = {
            name: tuple(
                pool_name(argument)
                for number, argument in enumerate(functions[name].arguments)
                if handle_of(functions[name], number) is None
            )
            for name in ("main", "reset")
            if name in functions
        }
        self._numbers = handle_numbers(module.operation)
        _check_bodies(module, functions, {*(intrinsics or {}), *(callbacks or {})})
        # ctypes callbacks must be referenced as long as they can be called
        self._external = dict(intrinsics or {}) | dict(callbacks or {})
        symbols = {
            symbol: ctypes.cast(function, ctypes.c_void_p)
            for symbol, function in self._external.items()
        }
        with module.context, module.operation.location:
            lowered = _lowered(module, tuple(self._entries), is_extern=intrinsics is not None)
            self._code = JitCode(lowered, symbols, optimized=optimized)

    def run(self, inputs: Sequence[NDArray[Any]]) -> tuple[NDArray[Any], ...]:
        """Run one inference and return its outputs in the model's order."""
        if not self._is_reset:
            raise NotResetError(f"'{self.model.name}' keeps state: reset it before the first run")
        values = [value.copy() for value in checked_inputs(self.model, inputs)]
        outputs = [np.zeros(port.shape, port.dtype) for port in self.model.outputs]
        for port, value in zip(self.model.inputs, values, strict=True):
            if port.pool is not None:
                self._pooled(port)[...] = value
        self._call("main", is_of_caller(self.model, [*values, *outputs]))
        for port, output in zip(self.model.outputs, outputs, strict=True):
            if port.pool is not None:
                output[...] = self._pooled(port)
        return tuple(outputs)

    def reset(self) -> None:
        """Initialise the state."""
        if "reset" in self._entries:
            self._call("reset", [])
        self._is_reset = True

    @property
    def pools(self) -> Mapping[str, NDArray[np.uint8]]:
        """Return the bytes of each pool of the host."""
        return self._pools

    @property
    def memory(self) -> dict[str, tuple[int, int]]:
        """Return address and size of each pool as the code sees them."""
        found = {name: (array.ctypes.data, array.size) for name, array in self._pools.items()}
        return found | {p.name: (p.base or 0, p.size) for p in self.model.mapped_pools}

    def _pooled(self, port: Port) -> NDArray[Any]:
        bytes_ = self._pools[str(port.pool)][port.offset : port.offset + port.size]
        return bytes_.view(port.dtype).reshape(port.shape)

    def _call(self, entry: str, ports: list[NDArray[Any]]) -> None:
        waiting = iter(ports)
        arrays = [
            self._pools[pool] if pool is not None else _signless(next(waiting))
            for pool in self._entries[entry]
        ]
        descriptors = [_descriptor(array) for array in arrays]
        status = ctypes.c_int32(0)
        results = [ctypes.pointer(status)] if self.model.devices_commanded_by(entry) else []
        arguments: list[Any] = [ctypes.pointer(ctypes.pointer(d)) for d in descriptors]
        for device in self.model.handed_to(entry):  # after all other arguments, as numbers
            arguments.append(ctypes.pointer(ctypes.c_void_p(self._numbers[device.name])))
        with self._fixed.mapped():
            self._invoke(entry, [*arguments, *results])
        if status.value != 0:
            self._is_reset = not self.model.state_pools
            raise DeviceError(self.model.name, status.value)

    def _invoke(self, entry: str, arguments: Sequence[Any]) -> None:
        pointers = [ctypes.cast(argument, ctypes.c_void_p) for argument in arguments]
        self._code.call(f"_mlir_ciface_{entry}", (ctypes.c_void_p * len(pointers))(*pointers))


def _check_bodies(
    module: Module, functions: Mapping[str, func.FuncOp], given: Collection[str]
) -> None:
    """Raise `EmissionError` for a call of a function that is neither in the module nor given."""
    for call in ops_of(module.operation, func.CallOp):
        name = call.callee.value
        if functions[name].is_external and name not in given:
            raise EmissionError(call.location, f"function '{name}' has no body")


def _descriptor(array: NDArray[Any]) -> ctypes.Array[ctypes.c_int64]:
    """Return the array as MLIR's C interface takes a memref, in words of 64 bits.

    They are the address of the allocation and of the elements, the offset, sizes and strides in
    elements. `mlir.runtime` has the same for all element types, and takes long to import.
    """
    strides = [stride // array.itemsize for stride in array.strides]
    words = [array.ctypes.data, array.ctypes.data, 0, *array.shape, *strides]
    return (ctypes.c_int64 * len(words))(*words)


def _lowered(module: Module, entries: tuple[str, ...], *, is_extern: bool) -> Module:
    """Return the module in LLVM's dialect, with functions of C's convention for the entries."""
    copy = clone_of(module)
    for op in copy.body.operations:
        if isinstance(op, func.FuncOp) and op.name.value in entries:
            op.attributes["llvm.emit_c_interface"] = UnitAttr.get()
    pass_pointers(copy)
    lower_to_llvm(copy, "extern" if is_extern else "reference")
    return copy


def _signless(array: NDArray[Any]) -> NDArray[Any]:
    return array.view(np.int8) if array.dtype == np.bool_ else array
