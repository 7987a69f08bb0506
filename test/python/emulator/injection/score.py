"""Judges mutants: does it matter, and does the emulator tell."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from mlir import ir
from numpy.typing import NDArray

from forebay.emulator import Emulator, Fault
from injection.mutants import Mutant, Right, mutants
from injection.plan import Planned, others, resize

Arrays = Sequence[NDArray[Any]]
POISONS = (0xA5, 0x3C)
DISORDERS = (None, 1, 2, 3)
"""Orders in which started operations are done: at once, and three drawn ones."""


@dataclass
class Score:
    """What became of the mutants of a module; `missed` matter and were not caught."""

    name: str
    total: Counter[str] = field(default_factory=Counter[str])
    matter: Counter[str] = field(default_factory=Counter[str])
    caught: Counter[str] = field(default_factory=Counter[str])
    faults: Counter[str] = field(default_factory=Counter[str])
    missed: list[Mutant] = field(default_factory=list[Mutant])
    harmless: list[Mutant] = field(default_factory=list[Mutant])
    replans: int = 0
    alarms: list[str] = field(default_factory=list[str])

    @property
    def is_perfect(self) -> bool:
        """Whether nothing was missed or invented, and half of the mutants were worth it."""
        is_hard = 2 * self.matter.total() >= self.total.total()
        return is_hard and not self.missed and not self.alarms


class Judge:
    """A right module, its inputs, and what it answers."""

    def __init__(self, name: str, module: ir.Operation, inputs: Sequence[Arrays]) -> None:
        self.score = Score(name)
        self._inputs = inputs
        self._right = Right(module, Planned.of(module))
        self._emulator = Emulator(module)
        self._expected = [self._emulator.call("main", arrays) for arrays in inputs]
        self._is_async = any(op.operation.name == "accel.wait" for op in self._right.ops)

    def try_mutants(self, count: int, seed: int = 0, tell: Callable[[int], None] = id) -> None:
        """Run so many mutants with checks and without."""
        for number, mutant in enumerate(mutants(self._right, count, random.Random(seed))):
            self._try(mutant)
            tell(number)

    def try_replans(self, count: int, seed: int = 0) -> None:
        """Run so many other plans that are right; none may raise an alarm or change a bit."""
        planned = self._right.planned
        for what, places in others(planned, random.Random(seed), count):
            clone = self._right.module.clone().operation
            planned.put(clone, places)
            resize(clone, planned.peaks(places))
            self.score.replans += 1
            try:
                outputs = Emulator(clone, like=self._emulator).call("main", self._inputs[0])
            except Fault as fault:
                self.score.alarms.append(f"{what}: {fault}")
                continue
            if not _equal(outputs, self._expected[0]):
                self.score.alarms.append(f"{what}: other outputs")

    def _try(self, mutant: Mutant) -> None:
        clone = self._right.module.clone().operation
        with clone.context:
            mutant.change(clone)
        fault, does_matter = self._fault(clone), self._matters(clone)
        score = self.score
        score.total[mutant.kind] += 1
        score.matter[mutant.kind] += does_matter
        score.caught[mutant.kind] += fault is not None
        if fault is not None:
            score.faults[type(fault).__name__] += 1
        elif does_matter:
            score.missed.append(mutant)
        else:
            score.harmless.append(mutant)

    def _fault(self, clone: ir.Operation) -> Fault | None:
        try:
            machine = Emulator(clone, like=self._emulator)
            for arrays in self._inputs:
                machine.call("main", arrays)
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
