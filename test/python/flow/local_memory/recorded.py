"""The device calls of a run in order: the same functions, from C and from LLVM.

A call is a line such as `npu_mvin dram+16 0x20 1 0 0 128`: pointers into memory of the application
are a pool and an offset, all else is a number.
"""

from __future__ import annotations

import ctypes
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from mlir import ir
from numpy.typing import NDArray

import forebay
from forebay.codegen.project.project import project_files
from forebay.engines.c import CEngine
from forebay.engines.llvm import LlvmEngine
from forebay.network.model import ModelInfo
from forebay.network.names import naming_of

PROTOTYPE = re.compile(r"^(int32_t|uint32_t) (\w+)\(([^)]*)\);$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class DeviceFunction:
    """A C function of the device: what it gives, its name, and which parameters are pointers."""

    gives_ticket: bool
    name: str
    text: str
    pointers: tuple[bool, ...]

    @property
    def signature(self) -> Any:
        """Its type for ctypes."""
        kinds = [ctypes.c_void_p if pointer else ctypes.c_uint32 for pointer in self.pointers]
        return ctypes.CFUNCTYPE(ctypes.c_uint32, *kinds)


def recorded(
    compiled: forebay.Compiled, inputs: list[NDArray[Any]], through: Literal["c", "llvm"]
) -> list[str]:
    """The calls of one run, in which no function of the device does anything.

    Tickets count from 1, over all queues.
    """
    module = ir.Module.parse(compiled.ir, ir.Context())
    with module.context, ir.Location.unknown():
        naming = naming_of(compiled.info)
        header = project_files(module, compiled.info)[f"{naming.prefix}_intrinsics.h"]
        functions = [_device_function(match) for match in PROTOTYPE.finditer(header)]
        log: list[tuple[DeviceFunction, tuple[int, ...]]] = []
        callbacks = {f.name: f.signature(_logging(f, log)) for f in functions}
        engine = (
            _through_c(module, compiled.info, functions, callbacks)
            if through == "c"
            else LlvmEngine(module, compiled.info, intrinsics=callbacks)
        )
        engine.run(inputs)
    has_address = {pool.name for pool in compiled.info.pools if pool.base is not None}
    memory = {name: place for name, place in engine.memory.items() if name not in has_address}
    return [_line(function, values, memory) for function, values in log]


def _device_function(match: re.Match[str]) -> DeviceFunction:
    result, name, parameters = match.groups()
    listed = [] if parameters == "void" else parameters.split(",")
    text = " ".join(match.group(0).split()).rstrip(";")
    return DeviceFunction(
        result == "uint32_t", name, text, tuple("*" in parameter for parameter in listed)
    )


def _logging(function: DeviceFunction, log: list[tuple[DeviceFunction, tuple[int, ...]]]) -> Any:
    def called(*values: int | None) -> int:
        log.append((function, tuple(value or 0 for value in values)))
        return sum(known.gives_ticket for known, _ in log) if function.gives_ticket else 0

    return called


def _through_c(
    module: ir.Module, info: ModelInfo, functions: list[DeviceFunction], callbacks: dict[str, Any]
) -> CEngine:
    with tempfile.TemporaryDirectory() as directory:
        source = Path(directory) / "recorded.c"
        source.write_text(_shim(functions), encoding="utf-8")
        engine = CEngine(module, info, intrinsics=[source])
    for name, callback in callbacks.items():
        pointer = ctypes.c_void_p.in_dll(engine.library, f"to_{name}")
        pointer.value = ctypes.cast(callback, ctypes.c_void_p).value
    return engine


def _shim(functions: list[DeviceFunction]) -> str:
    """C that hands each call on through a pointer."""
    parts = ["#include <stdint.h>"]
    for function in functions:
        head, parameters = function.text.split("(", 1)
        names = ", ".join(re.findall(r"(\w+)(?=[,)])", parameters)) if function.pointers else ""
        parts.append(f"{head.replace(function.name, f'(*to_{function.name})')}({parameters};")
        parts.append(f"{function.text}\n{{\n    return to_{function.name}({names});\n}}")
    return "\n\n".join(parts) + "\n"


def _line(
    function: DeviceFunction, values: tuple[int, ...], memory: dict[str, tuple[int, int]]
) -> str:
    shown = [
        _place(value, memory) if pointer else f"{value:#x}" if value >= 1 << 16 else str(value)
        for value, pointer in zip(values, function.pointers, strict=True)
    ]
    return " ".join([function.name, *shown])


def _place(pointer: int, memory: dict[str, tuple[int, int]]) -> str:
    """A pool of the application and an offset; constant addresses as they are.

    Memory of the application has low addresses, too, if the interpreter is no PIE.
    """
    for name, (address, size) in memory.items():
        if address <= pointer < address + size:
            return f"{name}+{pointer - address}"
    return f"{pointer:#x}" if pointer < 1 << 32 else "outside"


def arange(*shape: int) -> NDArray[np.int8]:
    """Numbers from -64 up."""
    return (np.arange(np.prod(shape)) % 128 - 64).astype(np.int8).reshape(shape)
