"""Compiled code inside of the machine: its calls of intrinsics come back and are checked."""

from __future__ import annotations

import ctypes
import tempfile
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from mlir import ir
from numpy.typing import NDArray

from forebay.codegen.build import CEngine
from forebay.codegen.engine import DeviceError
from forebay.codegen.intrinsics import Prototype, prototypes_of
from forebay.codegen.llvm_engine import LlvmEngine
from forebay.codegen.model import ModelInfo
from forebay.emulator.faults import Fault
from forebay.emulator.intrinsic import Intrinsic
from forebay.emulator.jit import Kernels
from forebay.emulator.pointers import Gate
from forebay.emulator.pools import rules_of
from forebay.emulator.report import Report
from forebay.ir.pools import pool_ops

Through = Literal["c", "llvm"]


class CheckedEngine:
    """The emitted code, compiled `through` C or LLVM; intrinsics run in the machine.

    Every pointer that an intrinsic gets is checked: in which pool, for which device, aligned, and
    what is reached from it inside of the pool. What the code does on the host is not seen.
    `report` counts calls by C symbol, and the MACs of devices.
    """

    def __init__(self, module: ir.Module, model: ModelInfo, *, through: Through = "c") -> None:
        self.model = model
        self.report = Report()
        self._fault: Fault | None = None
        kernels = Kernels(module.operation.location)
        prototypes = prototypes_of(module)
        gates = {
            prototype.symbol: Gate(
                prototype.symbol,
                [Intrinsic(op, kernels) for op in prototype.intrinsics],
                self.report,
            )
            for prototype in prototypes
        }
        kernels.compile()
        callbacks = {p.symbol: _signature(p)(self._entered(gates[p.symbol])) for p in prototypes}
        self._gates = list(gates.values())
        self._callbacks = callbacks  # C holds their addresses, Python nothing else
        self._engine = _ENGINES[through](module, model, prototypes, callbacks)
        rules = {op.sym_name.value: rules_of(op) for op in pool_ops(module.operation)}
        for gate in gates.values():
            gate.place(self._engine.memory, rules)

    def run(self, inputs: Sequence[NDArray[Any]]) -> tuple[NDArray[Any], ...]:
        """Run one inference; raises the first `Fault`, which has ended the run at once."""
        self.report.clear()
        for gate in self._gates:
            gate.begin_run()
        with self._faults():
            return self._engine.run(inputs)

    def reset(self) -> None:
        """Initialise the state."""
        with self._faults():
            self._engine.reset()

    @contextmanager
    def _faults(self) -> Generator[None]:
        """A device that returns an error has seen a fault: raise that instead."""
        self._fault = None
        try:
            yield
        except DeviceError:
            assert self._fault is not None  # devices here return no other errors
            raise self._fault from None

    def _entered(self, gate: Gate) -> Callable[..., int]:
        """What C calls; an exception cannot cross it, so a fault is the status 1."""

        def enter(*values: int | None) -> int:
            try:
                gate.call(*values)
            except Fault as fault:
                self._fault = fault
            return 0 if self._fault is None else 1

        return enter


def shim(prototypes: Sequence[Prototype]) -> str:
    """C that defines the intrinsics as calls through the pointers `machine_<symbol>`."""
    parts = ["/* Calls of intrinsics go to the machine. */", "#include <stdint.h>"]
    for prototype in prototypes:
        parameters = ", ".join(p.declaration for p in prototype.parameters) or "void"
        names = ", ".join(p.name for p in prototype.parameters)
        parts += [
            f"int32_t (*machine_{prototype.symbol})({parameters});",
            f"{prototype.declaration};",
            f"{prototype.declaration}\n{{\n    return machine_{prototype.symbol}({names});\n}}",
        ]
    return "\n\n".join(parts) + "\n"


def _signature(prototype: Prototype) -> Any:
    types = [ctypes.c_void_p if p.is_pointer else ctypes.c_int32 for p in prototype.parameters]
    return ctypes.CFUNCTYPE(ctypes.c_int32, *types)


def _through_c(
    module: ir.Module, model: ModelInfo, prototypes: Sequence[Prototype], callbacks: dict[str, Any]
) -> CEngine:
    with tempfile.TemporaryDirectory(prefix="forebay-") as directory:
        source = Path(directory) / "machine.c"
        source.write_text(shim(prototypes))
        engine = CEngine(module, model, intrinsics=[source])
    for symbol, callback in callbacks.items():
        pointer = ctypes.c_void_p.in_dll(engine.library, f"machine_{symbol}")
        pointer.value = ctypes.cast(callback, ctypes.c_void_p).value
    return engine


def _through_llvm(
    module: ir.Module, model: ModelInfo, _: Sequence[Prototype], callbacks: dict[str, Any]
) -> LlvmEngine:
    return LlvmEngine(module, model, intrinsics=callbacks)


_ENGINES = {"c": _through_c, "llvm": _through_llvm}
