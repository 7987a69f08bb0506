"""Judges mutants: does it matter, and does the emulator report it, by memory or by values alone."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from mlir import ir
from numpy.typing import NDArray

from common.injection.mutants import Mutant, mutants
from common.injection.plan import Planned, others, resize
from common.injection.right import Right
from forebay.emulator import Emulator, Fault
from forebay.emulator.memory.faults import WrongValue
from forebay.values.tensors import NO_TENSORS, NO_VALUES, Tensors, Values

Arrays = Sequence[NDArray[Any]]
Report = Callable[[str], None]
POISONS = (0xA5, 0x3C)
DISORDERS = (None, 1, 2, 3)
"""Orders in which started operations are done: at once, and three drawn ones."""


class Model(Protocol):
    """What knows the values of a program's tensors."""

    @property
    def tensors(self) -> Tensors:
        """The tensors, and how devices hold them."""
        ...

    def run(self, inputs: Arrays) -> Values:
        """Their elements for these inputs."""
        ...


def _ignore(_: str) -> None:
    """Discard a report."""


@dataclass
class Score:
    """What became of the mutants of a module, by kind.

    Of those that `matter`, `by_memory` were caught by the checks of memory, `by_value` only by the
    model's values, and `missed` not at all. `idle` matter not, and some check refuses them all the
    same: what is wrong in them does not reach an output.
    """

    name: str
    drawn: Counter[str] = field(default_factory=Counter[str])
    matter: Counter[str] = field(default_factory=Counter[str])
    by_memory: Counter[str] = field(default_factory=Counter[str])
    by_value: Counter[str] = field(default_factory=Counter[str])
    idle: Counter[str] = field(default_factory=Counter[str])
    faults: Counter[str] = field(default_factory=Counter[str])
    missed: list[Mutant] = field(default_factory=list[Mutant])
    replans: int = 0
    alarms: list[str] = field(default_factory=list[str])

    @property
    def is_perfect(self) -> bool:
        """Whether nothing was missed or invented, and half of the mutants were worth it."""
        is_hard = 2 * self.matter.total() >= self.drawn.total()
        return is_hard and not self.missed and not self.alarms

    def note(self, mutant: Mutant, fault: Fault | None, *, does_matter: bool) -> None:
        """Count one mutant."""
        kind = mutant.kind
        self.drawn[kind] += 1
        self.matter[kind] += does_matter
        if fault is not None:
            self.faults[type(fault).__name__] += 1
        if not does_matter:
            self.idle[kind] += fault is not None
        elif fault is None:
            self.missed.append(mutant)
        elif isinstance(fault, WrongValue):
            self.by_value[kind] += 1
        else:
            self.by_memory[kind] += 1


class Judge:
    """A right module, its inputs, and what it answers; with `model`, what its operators compute."""

    def __init__(
        self,
        name: str,
        module: ir.Operation,
        inputs: Sequence[Arrays],
        model: Model | None = None,
    ) -> None:
        self.score = Score(name)
        self._inputs = inputs
        self._right = Right(module, Planned.of(module))
        self._tensors = NO_TENSORS if model is None else model.tensors
        self._values = [NO_VALUES if model is None else model.run(arrays) for arrays in inputs]
        self._emulator = Emulator(module, tensors=self._tensors)
        self._expected = [
            self._emulator.call("main", arrays, expected=values)
            for arrays, values in zip(inputs, self._values, strict=True)
        ]
        self._is_async = any(op.operation.name == "accel.wait" for op in self._right.ops)

    def try_mutants(self, count: int, seed: int = 0, report: Report = _ignore) -> None:
        """Run so many mutants with checks and without."""
        for number, mutant in enumerate(mutants(self._right, count, random.Random(seed)), 1):
            report(f"mutant {number} of {count}: {mutant.kind}")
            self._try(mutant)

    def try_replans(self, count: int, seed: int = 0, report: Report = _ignore) -> None:
        """Run so many other plans that are right; none may raise an alarm or change a bit."""
        planned = self._right.planned
        for what, places in others(planned, random.Random(seed), count):
            report(f"right plan {self.score.replans + 1} of {count}: {what}")
            clone = self._right.module.clone().operation
            planned.put(clone, places)
            resize(clone, planned.peaks(places))
            self.score.replans += 1
            machine = Emulator(clone, like=self._emulator, tensors=self._tensors)
            try:
                outputs = machine.call("main", self._inputs[0], expected=self._values[0])
            except Fault as fault:
                self.score.alarms.append(f"{what}: {fault}")
                continue
            if not _equal(outputs, self._expected[0]):
                self.score.alarms.append(f"{what}: other outputs")

    def _try(self, mutant: Mutant) -> None:
        clone = self._right.module.clone().operation
        with clone.context:
            mutant.change(clone)
        fault = self._by_memory(clone) or self._by_value(clone)
        self.score.note(mutant, fault, does_matter=self._matters(clone))

    def _by_memory(self, clone: ir.Operation) -> Fault | None:
        machine = Emulator(clone, like=self._emulator)
        return self._first_fault(machine, [NO_VALUES] * len(self._inputs))

    def _by_value(self, clone: ir.Operation) -> Fault | None:
        if self._tensors is NO_TENSORS:
            return None
        machine = Emulator(clone, like=self._emulator, tensors=self._tensors)
        return self._first_fault(machine, self._values)

    def _first_fault(self, machine: Emulator, values: Sequence[Values]) -> Fault | None:
        try:
            for arrays, expected in zip(self._inputs, values, strict=True):
                machine.call("main", arrays, expected=expected)
        except Fault as fault:
            return fault
        return None

    def _matters(self, clone: ir.Operation) -> bool:
        """Whether any input, poison, or order in which operations end, shows another output."""
        for disorder in DISORDERS if self._is_async else (None,):
            for poison in POISONS:
                machine = Emulator(
                    clone, like=self._emulator, poison=poison, checks=False, disorder=disorder
                )
                for arrays, expected in zip(self._inputs, self._expected, strict=True):
                    try:
                        outputs = machine.call("main", arrays)
                    except Fault:
                        return True  # bytes that no memory has
                    if not _equal(outputs, expected):
                        return True
        return False


def _equal(outputs: Arrays, expected: Arrays) -> bool:
    return all(np.array_equal(*pair) for pair in zip(outputs, expected, strict=True))
