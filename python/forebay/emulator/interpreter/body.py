"""Blocks that are ready to run: actions in order, and the values that end with each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from forebay.emulator.interpreter.registry import Action, Frame
from forebay.emulator.machine.machine import Machine
from forebay.emulator.memory.view import MemoryView

Progress = Callable[[int, int], None]
"""Is told how many ops of how many have run."""


@dataclass(frozen=True)
class FrameSlot:
    """Where a frame keeps a value; `holds` if something may still reach memory through it."""

    number: int
    holds: bool


@dataclass(frozen=True, eq=False)
class BodyStep:
    """What an op does, and the values that it is the last to touch."""

    action: Action
    drops: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Body:
    """A block. `handed` are values from outside that end with this run, untouched by the block."""

    machine: Machine
    arguments: tuple[FrameSlot, ...]
    steps: tuple[BodyStep, ...]
    yields: tuple[int, ...]
    """What the terminator hands on."""
    last: tuple[int, ...]
    """Values that the terminator touches last."""
    handed: tuple[int, ...] = ()

    def run(self, frame: Frame) -> None:
        """Run all ops but the terminator."""
        for slot in self.handed:
            self.machine.drop(frame[slot])
        for step in self.steps:
            step.action(frame)
            for slot in step.drops:
                self.machine.drop(frame[slot])

    def run_with_progress(self, frame: Frame, progress: Progress) -> None:
        """The same; after each op it tells how many of how many are done."""
        for slot in self.handed:
            self.machine.drop(frame[slot])
        for done, step in enumerate(self.steps, 1):
            self._do(step, frame)
            progress(done, len(self.steps))

    def _do(self, step: BodyStep, frame: Frame) -> None:
        step.action(frame)
        for slot in step.drops:
            self.machine.drop(frame[slot])

    def hand_over(
        self, frame: Frame, slots: Sequence[FrameSlot], into: Frame, *, skip: int = 0
    ) -> None:
        """Give what the terminator hands on, but for the first `skip`, to slots of a frame."""
        values = [frame[slot] for slot in self.yields[skip:]]
        leaving = [frame[slot] for slot in self.last]
        bind(self.machine, slots, values, into)
        for view in leaving:
            self.machine.drop(view)


def bind(
    machine: Machine, slots: Sequence[FrameSlot], values: Sequence[object], frame: Frame
) -> None:
    """Put values into a frame and hold the memory that they lead to."""
    for slot, value in zip(slots, values, strict=True):
        frame[slot.number] = value
        if slot.holds and isinstance(value, MemoryView):
            machine.hold(value)
