"""Turn the ops of a function into actions on a frame, once, before anything runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from mlir import ir

from forebay.dialects.accel import IntrinsicOp
from forebay.emulator.commands.intrinsic import EmulatedIntrinsic
from forebay.emulator.interpreter.body import Body, BodyStep, FrameSlot
from forebay.emulator.interpreter.last_uses import LastUses
from forebay.emulator.interpreter.registry import Action, rule_of
from forebay.emulator.kernels.jit import Kernels
from forebay.emulator.machine.machine import Machine
from forebay.emulator.memory.faults import NotEmulatedError
from forebay.emulator.memory.program_point import ProgramPoint
from forebay.emulator.memory.view import MemoryView
from forebay.errors import Error
from forebay.ir.locations import describe_location
from forebay.ir.machine.devices import device_of
from forebay.ir.refused import RefusedError

_Values = Sequence[ir.Value]


class Observer(Protocol):
    """An object that may add checks to the action of an op."""

    def behind(self, op: ir.OpView, action: Action, scope: Any) -> Action:
        """Return the action that runs instead of `action`."""
        ...


class Resources(Protocol):
    """The tables that all functions of a program share, and that rules need to prepare ops."""

    machine: Machine
    kernels: Kernels
    by_element: bool

    @property
    def check(self) -> Observer:
        """The observer of all ops."""
        ...

    @property
    def globals(self) -> Mapping[str, MemoryView]:
        """The memory of the globals by name."""
        ...

    @property
    def functions(self) -> Mapping[str, Any]:
        """The prepared functions by name."""
        ...

    def intrinsic(self, op: IntrinsicOp) -> EmulatedIntrinsic:
        """Return the emulated intrinsic of a declaration."""
        ...


class FrameLayout:
    """The slots of one function's values, and the facts that rules need to prepare its ops."""

    def __init__(self, program: Resources) -> None:
        self.program = program
        self.machine = program.machine
        self._slots: dict[ir.Value, int] = {}
        self._points: dict[ir.OpView, int] = {}
        self._last_uses = LastUses()
        self._expiring: list[list[ir.Value]] = []
        self.size = 0

    def apart(self) -> FrameLayout:
        """Return a layout for a region that is not part of the function."""
        return FrameLayout(self.program)

    def slot(self, value: ir.Value) -> int:
        """Return the slot of the value in a frame."""
        if value not in self._slots:
            self._slots[value] = self._new()
        return self._slots[value]

    def point_slot(self, kernel: ir.OpView) -> int:
        """Return the slot of the indices of the point for which a kernel's region runs."""
        if kernel not in self._points:
            self._points[kernel] = self._new()
        return self._points[kernel]

    def reference_slot(self, value: ir.Value) -> FrameSlot:
        """Return the slot of the value, with whether a binding must hold its memory."""
        owner: Any = value.owner
        block = owner if isinstance(owner, ir.Block) else owner.operation.block
        is_memory = isinstance(value.type, ir.MemRefType)
        holds = is_memory and self._last_uses.position(value, block) is not None
        return FrameSlot(self.slot(value), holds)

    def reference_slots(self, values: _Values) -> tuple[FrameSlot, ...]:
        """Return the slots of several values, as `reference_slot` does."""
        return tuple(self.reference_slot(value) for value in values)

    def point(self, op: ir.OpView) -> ProgramPoint:
        """Return the program point of the op; raises `Error` if `accel.on` names no device."""
        try:
            return self.machine.points.of_op(op, device_of(op, self.machine.points.host))
        except RefusedError as refused:
            raise Error(f"{describe_location(refused.location)}: {refused}") from refused

    def take_expiring(self) -> list[ir.Value]:
        """Return the values that the op being prepared uses last; the rule ends them itself."""
        taken, self._expiring[-1] = self._expiring[-1], []
        return taken

    def is_used_in(self, value: ir.Value, op: ir.OpView) -> bool:
        """Return whether a region of the op accesses memory through the value."""
        blocks = [block for region in op.regions for block in region.blocks]
        return any(self._last_uses.position(value, block) is not None for block in blocks)

    def body(self, region: ir.Region, handed: _Values = ()) -> Body:
        """Prepare a region of one block; values in `handed` end at their last use in it."""
        if len(region.blocks) != 1:
            owner: Any = region.owner
            raise NotEmulatedError(owner, "has a region with jumps between blocks")
        block = region.blocks[0]
        ends = self._ends(block, handed)
        ops = list(block.operations)
        steps = [self._step(op, ends.get(number, [])) for number, op in enumerate(ops[:-1])]
        return Body(
            self.machine,
            self.reference_slots(list(block.arguments)),
            tuple(steps),
            tuple(self.slot(value) for value in ops[-1].operands),
            self._slots_of(ends.get(len(ops) - 1, [])),
            self._slots_of(ends.get(-1, [])),
        )

    def _ends(self, block: ir.Block, handed: _Values) -> dict[int, list[ir.Value]]:
        """Return the values by the position of their last use; -1 for `handed` ones without use."""
        defined = [*block.arguments, *(result for op in block.operations for result in op.results)]
        ends: dict[int, list[ir.Value]] = {}
        for value in (*defined, *handed):
            if not isinstance(value.type, ir.MemRefType):
                continue
            position = self._last_uses.position(value, block)
            if position is not None or value in handed:
                ends.setdefault(-1 if position is None else position, []).append(value)
        return ends

    def _step(self, op: ir.OpView, expiring: list[ir.Value]) -> BodyStep:
        rule = rule_of(op)
        if rule is None:
            raise NotEmulatedError(op, "is no op that the emulator runs; lower it first")
        self._expiring.append(expiring)
        action = self.program.check.behind(op, rule(op, self), self)
        return BodyStep(action, self._slots_of(self._expiring.pop()))

    def _slots_of(self, values: _Values) -> tuple[int, ...]:
        return tuple(self.slot(value) for value in values)

    def _new(self) -> int:
        self.size += 1
        return self.size - 1
