"""A planned module that is ready to run: its functions as actions, its constants and state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlir import ir
from mlir.dialects import func, memref

from forebay.dialects.accel import IntrinsicOp
from forebay.emulator.commands.intrinsic import EmulatedIntrinsic
from forebay.emulator.interpreter.body import (
    Body,
    FrameSlot,
    OpProgress,
    bind,
)
from forebay.emulator.interpreter.globals import lasting_views
from forebay.emulator.interpreter.registry import Frame
from forebay.emulator.interpreter.scope import FrameLayout
from forebay.emulator.interpreter.value_check import ValueCheck
from forebay.emulator.kernels.jit import Kernels
from forebay.emulator.machine.machine import Machine
from forebay.emulator.memory.faults import NotEmulatedError
from forebay.emulator.memory.view import MemoryView
from forebay.ir.state.carried_rows import carried_rows_of
from forebay.ir.state.ring_order import ring_order_of


class PreparedFunction:
    """A function of the module; `body` is None for a declaration."""

    def __init__(self, op: func.FuncOp, program: Program) -> None:
        self.op = op
        self.is_public = op.sym_visibility is None or op.sym_visibility.value == "public"
        scope = FrameLayout(program)
        self.body: Body | None = None if op.is_external else scope.body(op.body)
        self._machine = program.machine
        self._size = scope.size

    def enter(self, arguments: Sequence[object]) -> Frame:
        """Return a frame with the arguments bound, without running anything."""
        if self.body is None:
            raise NotEmulatedError(self.op, "has no body that could run")
        frame: Frame = [None] * self._size
        bind(self._machine, self.body.arguments, arguments, frame)
        return frame

    def finish(
        self,
        frame: Frame,
        results: Sequence[FrameSlot],
        into: Frame,
        progress: OpProgress | None = None,
    ) -> None:
        """Run the body and store the results in slots of another frame."""
        assert self.body is not None
        if progress is None:
            self.body.run(frame)
        else:
            self.body.run_with_progress(frame, progress)
        self.body.pass_values(frame, results, into)


class Program:
    """All functions by name; with `by_element`, kernels are interpreted instead of compiled."""

    def __init__(
        self,
        module: ir.Operation,
        machine: Machine,
        kernels: Kernels,
        check: ValueCheck,
        *,
        by_element: bool,
    ) -> None:
        self.module = module
        self.machine = machine
        self.by_element = by_element
        self.globals: dict[str, MemoryView] = lasting_views(module, machine)
        variables = [
            op
            for op in module.regions[0].blocks[0].operations
            if isinstance(op, memref.GlobalOp) and not op.constant
        ]
        self.variables = {op.sym_name.value: self.globals[op.sym_name.value] for op in variables}
        self.carried_rows = {op.sym_name.value: carried_rows_of(op) for op in variables}
        self.ring_orders = {op.sym_name.value: ring_order_of(op) for op in variables}
        self.kernels = kernels
        self.check = check
        self._intrinsics: dict[str, EmulatedIntrinsic] = {}
        ops: list[Any] = list(module.regions[0].blocks[0].operations)
        self.functions = {
            op.sym_name.value: PreparedFunction(op, self)
            for op in ops
            if isinstance(op, func.FuncOp)
        }
        self.kernels.compile()

    def intrinsic(self, op: IntrinsicOp) -> EmulatedIntrinsic:
        """Return the emulated intrinsic of a declaration; all calls of it share one object."""
        name = op.sym_name.value
        if name not in self._intrinsics:
            self._intrinsics[name] = EmulatedIntrinsic(op, self.kernels)
        return self._intrinsics[name]
