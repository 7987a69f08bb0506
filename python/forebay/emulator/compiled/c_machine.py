"""An engine that runs compiled code natively and checks the commands that it issues to devices."""

from __future__ import annotations

import ctypes
import tempfile
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from mlir import ir
from numpy.typing import NDArray

from forebay.codegen.project.devices.intrinsics import CDeclaration, prototypes_of
from forebay.codegen.project.devices.transfers import queue_functions_of, transfer_prototypes_of
from forebay.emulator.commands import issue
from forebay.emulator.compiled.driver_functions import IntrinsicDriver, TransferDriver
from forebay.emulator.compiled.entry_functions import DeviceEntry, EntryCalls, QueueEntry
from forebay.emulator.compiled.pool_addresses import PoolAddresses
from forebay.emulator.kernels.jit import Kernels
from forebay.emulator.machine.machine import Machine
from forebay.emulator.machine.report import RunReport
from forebay.emulator.memory.faults import Fault
from forebay.engines.c import CEngine
from forebay.engines.llvm import LlvmEngine
from forebay.ir.machine.devices import host_of
from forebay.lowering.device_calls.device_memory import handle_numbers
from forebay.network.engine import FILL, DeviceError
from forebay.network.model import ModelInfo

Through = Literal["c", "llvm"]


@dataclass(frozen=True)
class _Entry:
    """A C function of the machine; `act` returns a ticket or a status, or raises `Fault`."""

    declaration: CDeclaration
    act: Callable[..., int]


class CheckedEngine:
    """The emitted code, compiled `through` C or LLVM, with devices in the emulated machine.

    All commands to devices are checked: the pool, the access rights and the alignment of every
    pointer and address, the bytes that are accessed through it, operations in flight, and tickets.
    What the code does on the host is not checked. `report` counts calls, MACs and bytes; no time is
    modelled.
    """

    def __init__(self, module: ir.Module, model: ModelInfo, *, through: Through = "c") -> None:
        self.model = model
        self._fault: Fault | None = None
        self._machine = Machine(host_of(module.operation), FILL)
        entries = _entries(module, self._machine)
        callbacks = {
            entry.declaration.name: _signature(entry.declaration)(self._entered(entry))
            for entry in entries
        }
        self._callbacks = callbacks  # keeps the callbacks alive: C holds only their addresses
        declarations = [entry.declaration for entry in entries]
        self._engine = _ENGINES[through](module, model, declarations, callbacks)
        addresses = PoolAddresses(module.operation, self._engine.memory, self._machine)
        numbers = handle_numbers(module.operation)
        devices = {number: device for device, number in numbers.items()}
        self._run = EntryCalls(self._machine, addresses, devices=devices)

    @property
    def report(self) -> RunReport:
        """Return the counters of device commands in the last run."""
        return self._machine.report

    def run(self, inputs: Sequence[NDArray[Any]]) -> tuple[NDArray[Any], ...]:
        """Run one inference; raises the first `Fault`, which has ended the run at once."""
        with self._faults():
            return self._engine.run(inputs)

    def reset(self) -> None:
        """Initialise the state."""
        with self._faults():
            self._engine.reset()

    @contextmanager
    def _faults(self) -> Generator[None]:
        """Raise the `Fault` itself where a device function has returned its error code."""
        self._fault = None
        self._run.begin()
        try:
            yield
        except DeviceError:
            assert self._fault is not None  # devices here return no other errors
            raise self._fault from None
        finally:
            self.report.timeline.clear()
        if self._fault is not None:  # of a start without a wait, so no status reached C
            raise self._fault
        issue.finish_run(self._machine)

    def _entered(self, entry: _Entry) -> Callable[..., int]:
        """Return the function that C calls: it notes a fault and returns a failure status."""
        failed = 0 if entry.declaration.gives_ticket else 1

        def enter(*values: int | None) -> int:
            if self._fault is not None:
                return failed
            try:
                return entry.act(self._run, *(value or 0 for value in values))
            except Fault as fault:
                self._fault = fault
                return failed

        return enter


def _entries(module: ir.Module, machine: Machine) -> list[_Entry]:
    """Return the entries of all C functions of devices that the program uses."""
    kernels = Kernels(module.operation.location)
    entries: list[_Entry] = []
    for called in prototypes_of(module):
        functions = [IntrinsicDriver(op, called, kernels, machine) for op in called.intrinsics]
        entries += _of_entry(
            DeviceEntry(called.symbol, functions, takes_handle=bool(called.handle)),
            called.declarations,
        )
    for moved in transfer_prototypes_of(module):
        functions = [TransferDriver(op, moved, machine) for op in moved.transfers]
        entries += _of_entry(
            DeviceEntry(moved.symbol, functions, takes_handle=bool(moved.handle)),
            moved.declarations,
        )
    for queue_functions in queue_functions_of(module):
        queue_entry = QueueEntry(queue_functions)
        entries += [
            _Entry(it, queue_entry.wait if it.name.endswith("_wait") else queue_entry.after)
            for it in queue_functions.declarations
        ]
    kernels.compile()
    return entries


def _of_entry(entry: DeviceEntry, declarations: Sequence[CDeclaration]) -> list[_Entry]:
    return [_Entry(it, entry.start if it.gives_ticket else entry.call) for it in declarations]


def shim(declarations: Sequence[CDeclaration]) -> str:
    """Return C source that defines the functions as calls through the pointers `machine_<name>`."""
    structs = {p.ctype for d in declarations for p in d.parameters if p.ctype.startswith("struct ")}
    parts = ["/* Device commands go to the emulated machine. */", "#include <stdint.h>"]
    parts += [f"{struct};" for struct in sorted(structs)]
    for declaration in declarations:
        names = ", ".join(parameter.name for parameter in declaration.parameters)
        pointer = f"machine_{declaration.name}"
        through = declaration.text.replace(f" {declaration.name}(", f" (*{pointer})(", 1)
        parts += [
            f"{through};",
            f"{declaration.text};",
            f"{declaration.text}\n{{\n    return {pointer}({names});\n}}",
        ]
    return "\n\n".join(parts) + "\n"


def _signature(declaration: CDeclaration) -> Any:
    """Return the `ctypes` signature of a function; numbers arrive as unsigned 32-bit values."""
    types = [ctypes.c_void_p if p.is_pointer else ctypes.c_uint32 for p in declaration.parameters]
    result = ctypes.c_uint32 if declaration.gives_ticket else ctypes.c_int32
    return ctypes.CFUNCTYPE(result, *types)


def _through_c(
    module: ir.Module,
    model: ModelInfo,
    declarations: Sequence[CDeclaration],
    callbacks: dict[str, Any],
) -> CEngine:
    with tempfile.TemporaryDirectory(prefix="forebay-") as directory:
        source = Path(directory) / "machine.c"
        source.write_text(shim(declarations))
        engine = CEngine(module, model, intrinsics=[source])
    for name, callback in callbacks.items():
        pointer = ctypes.c_void_p.in_dll(engine.library, f"machine_{name}")
        pointer.value = ctypes.cast(callback, ctypes.c_void_p).value
    return engine


def _through_llvm(
    module: ir.Module, model: ModelInfo, _: Sequence[CDeclaration], callbacks: dict[str, Any]
) -> LlvmEngine:
    return LlvmEngine(module, model, intrinsics=callbacks)


_ENGINES = {"c": _through_c, "llvm": _through_llvm}
