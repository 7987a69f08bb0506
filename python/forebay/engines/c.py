"""The engine that builds a project with the host's C compiler and calls it."""

from __future__ import annotations

import ctypes
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from mlir.ir import Module
from numpy.typing import NDArray

from forebay.codegen.project.build_files.cmake import library_sources
from forebay.codegen.project.devices.intrinsics import prototypes_of
from forebay.codegen.project.pools.weights_incbin import image_macros, incbin_name
from forebay.codegen.project.project import write_project
from forebay.engines.row_feed import RowFeed
from forebay.ir.machine.transfers import used_transfers
from forebay.lowering.device_calls.device_memory import handle_numbers
from forebay.network.engine import (
    DeviceError,
    NotResetError,
    fill_constants,
    pool_arrays,
)
from forebay.network.errors import CodegenError, CompilerError
from forebay.network.fixed_memory import FixedMemory
from forebay.network.model import ModelInfo, Port
from forebay.network.names import naming_of
from forebay.network.pool_images import pool_images
from forebay.network.port_arrays import checked_inputs, is_of_caller
from forebay.support.c_compiler import c_compiler_command

C_LIBRARY_FLAGS = (
    *("-std=c99", "-O2", "-ffp-contract=off"),
    "-Werror=implicit-function-declaration",  # C99 has none, but compilers only warn
)


def c_compiler() -> list[str]:
    """Return the command of the C compiler: CC, else cc, gcc or clang from PATH.

    Raises CompilerError when there is none.
    """
    command = c_compiler_command()
    if command is not None:
        return command
    raise CompilerError(
        "no C compiler: neither cc, gcc nor clang is in PATH; install one or set CC"
    )


def compile_c(arguments: Sequence[str], directory: Path) -> None:
    """Run the C compiler in `directory`; raise CompilerError with its messages if it fails."""
    command = [*c_compiler(), *arguments]
    try:
        done = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)
    except OSError as error:
        raise CompilerError(f"cannot run the C compiler '{command[0]}': {error}") from error
    if done.returncode != 0:
        raise CompilerError(f"'{' '.join(command)}' failed:\n{done.stderr}{done.stdout}")


def build_library(
    directory: Path, model: ModelInfo, intrinsics: Sequence[str], output: Path, flags: Sequence[str]
) -> None:
    """Compile a written project and the C files of its intrinsics into a shared library.

    The compiler's assembler includes the constants from files.
    """
    naming = naming_of(model)
    files = sorted(path.name for path in directory.iterdir())
    sources = [name for name in library_sources(files, naming) if "_pools.c" not in name]
    if model.image_pools and sys.byteorder == "little" and sys.platform == "linux":
        images = image_macros(model, naming)
        flags = [*flags, *(f'-D{macro}="{file}"' for macro, file in images.items())]
        sources.append(incbin_name(naming))
    inputs = [*sources, *intrinsics, "-lm"]
    compile_c([*flags, "-shared", "-fPIC", "-o", str(output), *inputs], directory)


def reference_sources(module: Module, model: ModelInfo) -> list[str]:
    """Return the file of a written project that defines its intrinsics, if it has any.

    Raises CodegenError when one of them has no reference.
    """
    prototypes = prototypes_of(module)
    for prototype in prototypes:
        if not prototype.has_reference:
            raise CodegenError(
                f"intrinsic '{prototype.symbol}' has no reference, so nothing on this host can "
                "run it; give its target a reference"
            )
    is_there = prototypes or used_transfers(module.operation)
    return [f"{naming_of(model).prefix}_reference.c"] if is_there else []


class _Error(ctypes.Structure):
    """The ctypes form of `<m>_device_error`."""

    _fields_ = (
        ("code", ctypes.c_int32),
        ("device", ctypes.c_char_p),
        ("where", ctypes.c_char_p),
    )


class CEngine:
    """The emitted C, built into a shared library and called through ctypes.

    `intrinsics` are C files that define the driver functions instead of the references. The handle
    of a device is then a number: its position among the devices with handles, counted from 1.
    """

    def __init__(
        self,
        module: Module,
        model: ModelInfo,
        flags: Sequence[str] = C_LIBRARY_FLAGS,
        intrinsics: Sequence[Path] | None = None,
    ) -> None:
        self.model = model
        self._temporary = tempfile.TemporaryDirectory(prefix="forebay-")
        directory = write_project(module, model, Path(self._temporary.name) / "project")
        library = Path(self._temporary.name) / "network.so"
        provided = (
            reference_sources(module, model) if intrinsics is None else list(map(str, intrinsics))
        )
        build_library(directory, model, provided, library, flags)
        self._library = ctypes.CDLL(str(library))
        self._naming = naming_of(model)
        self._fixed = FixedMemory(model.mapped_pools)
        self._pools = pool_arrays(model) | self._fixed.arrays
        places = [(self._pools[p.name].ctypes.data, p.size) for p in model.handed_pools]
        words = [word for place in places for word in place]
        self._struct = (ctypes.c_size_t * max(1, len(words)))(*words)
        self._devices = self._handles(handle_numbers(module.operation), intrinsics is None)
        self._fill(module)

    def run(self, inputs: Sequence[NDArray[Any]]) -> tuple[NDArray[Any], ...]:
        """Run one inference and return its outputs in the model's order."""
        values = checked_inputs(self.model, inputs)
        outputs = [np.zeros(port.shape, port.dtype) for port in self.model.outputs]
        for port, value in zip(self.model.inputs, values, strict=True):
            if port.pool is not None:
                self._pooled(port)[...] = value
        arrays = is_of_caller(self.model, [*values, *outputs])
        feeds = [
            RowFeed(port, array) if port.by_rows else None
            for port, array in zip(self.model.caller_ports, arrays, strict=True)
        ]
        parameters = [
            ctypes.c_void_p(array.ctypes.data if feed is None else feed.address)
            for array, feed in zip(arrays, feeds, strict=True)
        ]
        self._call("run", parameters, "main")
        for feed in filter(None, feeds):
            feed.require_all_read()
        for port, output in zip(self.model.outputs, outputs, strict=True):
            if port.pool is not None:
                output[...] = self._pooled(port)
        return tuple(outputs)

    def reset(self) -> None:
        """Initialise the state."""
        if self.model.state_pools:
            self._call("reset", [], "reset")

    @property
    def library(self) -> ctypes.CDLL:
        """Return the shared library of the project."""
        return self._library

    @property
    def memory(self) -> dict[str, tuple[int, int]]:
        """Return address and size of each pool as the code sees them, including image pools."""
        found = {name: (array.ctypes.data, array.size) for name, array in self._pools.items()}
        found |= {pool.name: (pool.base or 0, pool.size) for pool in self.model.mapped_pools}
        for pool in self.model.image_pools:
            if pool.is_rom:
                symbol = f"{self._naming.prefix}_{self._naming.pools[pool.name]}"
                image = (ctypes.c_uint8 * pool.size).in_dll(self._library, symbol)
                found[pool.name] = (ctypes.addressof(image), pool.size)
        return found

    def _fill(self, module: Module) -> None:
        """Load and fill the constants, as an application does before the first run."""
        for pool in self.model.at_init_pools:
            self._call(f"load_{self._naming.pools[pool.name]}", [])
        images = pool_images(module, self.model)
        fill_constants(self._pools, {p.name: images[p.name] for p in self.model.outside_pools})

    def _handles(self, numbers: Mapping[str, int], is_reference: bool) -> Any:
        """Return the `<m>_devices`: the reference's, else the devices' numbers as handles."""
        words = ctypes.c_size_t * max(1, len(self.model.handles))
        if is_reference and self.model.handles:
            return words.in_dll(self._library, f"{self._naming.prefix}_default_devices")
        return words(*(numbers[device.name] for device in self.model.handles))

    def _pools_argument(self) -> list[Any]:
        return [ctypes.byref(self._struct)] if self.model.handed_pools else []

    def _pooled(self, port: Port) -> NDArray[Any]:
        if self.model.internal_pools and not self.model.pool(str(port.pool)).is_mapped:
            return self._inside(port)
        bytes_ = self._pools[str(port.pool)][port.offset : port.offset + port.size]
        return bytes_.view(port.dtype).reshape(port.shape)

    def _inside(self, port: Port) -> NDArray[Any]:
        """Return the array of a port in an internal pool of the library."""
        accessor = self._library[f"{self._naming.prefix}_{self._naming.ports[port.name]}"]
        accessor.restype = ctypes.c_void_p
        place = (ctypes.c_uint8 * port.size).from_address(accessor())
        return np.ctypeslib.as_array(place).view(port.dtype).reshape(port.shape)

    def _call(self, name: str, arguments: list[ctypes.c_void_p], entry: str = "") -> None:
        function = self._library[f"{self._naming.prefix}_{name}"]
        error = _Error()
        errors = [ctypes.byref(error)] if self.model.devices_commanded_by(entry) else []
        devices = [ctypes.byref(self._devices)] if self.model.handed_to(entry) else []
        with self._fixed.mapped():
            status = function(*self._pools_argument(), *devices, *arguments, *errors)
        if status == 0:
            return
        names = self._library[f"{self._naming.prefix}_status_name"]
        names.restype = ctypes.c_char_p
        text = names(status).decode()
        if text == "ERROR_NOT_RESET":
            raise NotResetError(f"'{self.model.name}' keeps state: reset it before the first run")
        if text == "ERROR_DEVICE":
            raise DeviceError(
                self.model.name, error.code, error.device.decode(), error.where.decode()
            )
        raise CodegenError(f"'{self.model.name}': {name} returned {text}")
