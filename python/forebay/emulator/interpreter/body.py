"""Blocks that are ready to run: actions in order, and the values whose last use is in each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from forebay.emulator.interpreter.registry import Action, Frame
from forebay.emulator.machine.machine import Machine
from forebay.emulator.memory.view import MemoryView

OpProgress = Callable[[int, int], None]
"""Called with the number of executed ops and the number of all ops."""


@dataclass(frozen=True)
class FrameSlot:
    """The slot of a value in a frame; `holds` if memory may still be accessed through the value."""

    number: int
    is_reference: bool


@dataclass(frozen=True, eq=False)
class BodyStep:
    """The action of an op, and the slots of the values that it uses last."""

    action: Action
    drops: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Body:
    """A block that is ready to run.

    `handed` are the slots of outer values that the block does not use; they are dropped when it
    begins.
    """

    machine: Machine
    arguments: tuple[FrameSlot, ...]
    steps: tuple[BodyStep, ...]
    yields: tuple[int, ...]
    """Slots of the terminator's operands."""
    last: tuple[int, ...]
    """Slots of the values that the terminator uses last."""
    handed: tuple[int, ...] = ()

    def run(self, frame: Frame) -> None:
        """Run all ops but the terminator."""
        for slot in self.handed:
            self.machine.drop_reference(frame[slot])
        for step in self.steps:
            step.action(frame)
            for slot in step.drops:
                self.machine.drop_reference(frame[slot])

    def run_with_progress(self, frame: Frame, progress: OpProgress) -> None:
        """Run all ops but the terminator, and call `progress` after each."""
        for slot in self.handed:
            self.machine.drop_reference(frame[slot])
        for done, step in enumerate(self.steps, 1):
            self._do(step, frame)
            progress(done, len(self.steps))

    def _do(self, step: BodyStep, frame: Frame) -> None:
        step.action(frame)
        for slot in step.drops:
            self.machine.drop_reference(frame[slot])

    def pass_values(
        self, frame: Frame, slots: Sequence[FrameSlot], into: Frame, *, skip: int = 0
    ) -> None:
        """Pass the terminator's operands, without the first `skip`, to slots of a frame."""
        values = [frame[slot] for slot in self.yields[skip:]]
        leaving = [frame[slot] for slot in self.last]
        bind(self.machine, slots, values, into)
        for view in leaving:
            self.machine.drop_reference(view)


def bind(
    machine: Machine, slots: Sequence[FrameSlot], values: Sequence[object], frame: Frame
) -> None:
    """Store values in a frame and hold the memory that they refer to."""
    for slot, value in zip(slots, values, strict=True):
        frame[slot.number] = value
        if slot.is_reference and isinstance(value, MemoryView):
            machine.add_reference(value)
