"""What a program does: outputs, state and faults of its runs on drawn inputs.

Every draw is run under several poisons. Bytes that differ between them come from memory that
nothing has written, so nobody may count on them; all others are what the program computes. Where
operations are started, runs in other orders, which queues and tokens allow, are compared, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from mlir import ir
from numpy.typing import NDArray

from forebay.dialects.accel import LaunchOp, StartOp
from forebay.emulator import Emulator, Fault
from forebay.emulator.machine.machine import TooLongError
from forebay.ir.nested import ops_nested_in
from forebay.validation.draws import Draw

Array = NDArray[Any]

POISONS = (0xA5, 0x3C)
STEPS = 3
"""Runs of a program with state, from reset; one without it runs once."""
ITERATIONS = 200_000
"""Of all loops of a run; a draw that takes more says nothing."""
TOLERANCE = 1e-5
"""By which floats may differ, relative to the largest magnitude in the array."""
RESET = "reset"


@dataclass(frozen=True)
class Setting:
    """What a run may not depend on: the poison, and the order of what is started."""

    poison: int
    disorder: int | None = None

    def __str__(self) -> str:
        order = "" if self.disorder is None else f", operations in order {self.disorder}"
        return f"poison {self.poison:#04x}{order}"


@dataclass(frozen=True, eq=False)
class Run:
    """What the steps of one draw have left, by what and where: `step 2, output 'y' of @main`.

    `noted` is the first fault; `stopped` says why there is nothing behind it.
    """

    left: Mapping[str, Array]
    noted: str | None = None
    stopped: str | None = None


@dataclass(frozen=True, eq=False)
class Behaviour:
    """The runs of a program by draw and setting, and its emulator, whose kernels others may use."""

    runs: Mapping[tuple[Draw, Setting], Run]
    emulator: Emulator


def behaviour_of(
    module: ir.Operation, draws: Sequence[Draw], *, placed: bool, like: Emulator | None = None
) -> Behaviour:
    """Run a module on every draw; raises `NotEmulatedError` where the emulator cannot."""
    runs: dict[tuple[Draw, Setting], Run] = {}
    for setting in _settings(module):
        like = emulator = Emulator(
            module,
            poison=setting.poison,
            disorder=setting.disorder,
            like=like,
            checks=False,
            placed=placed,
            most_iterations=ITERATIONS,
        )
        for draw in draws:
            runs[draw, setting] = _run(emulator, draw)
    assert like is not None
    return Behaviour(runs, like)


def _settings(module: ir.Operation) -> list[Setting]:
    plain = [Setting(poison) for poison in POISONS]
    if not any(isinstance(op, (StartOp, LaunchOp)) for op in ops_nested_in(module)):
        return plain
    return [*plain, *(Setting(POISONS[0], seed) for seed in (1, 2))]


def _run(emulator: Emulator, draw: Draw) -> Run:
    left: dict[str, Array] = {}
    noted: str | None = None
    try:
        for step, entry in _calls(emulator):
            outputs = emulator.call(entry, draw.inputs(emulator.inputs(entry), step))
            noted = noted or (None if emulator.noted is None else str(emulator.noted))
            for port, output in zip(emulator.outputs(entry), outputs, strict=True):
                left[f"output {port.index} ('{port.name}') of @{entry} in run {step}"] = output
            for name, value in emulator.state.items():
                left[f"state '{name}' behind @{entry} in run {step}"] = value
    except (Fault, TooLongError) as stopped:
        return Run(left, noted, str(stopped))
    return Run(left, noted)


def _calls(emulator: Emulator) -> list[tuple[int, str]]:
    """Numbers of runs and entry functions, in the order in which they are called."""
    others = [entry for entry in emulator.entries if entry != RESET]
    steps = STEPS if emulator.has_state else 1
    first = [(0, RESET)] if RESET in emulator.entries else []
    return [*first, *((step, entry) for step in range(1, steps + 1) for entry in others)]


def defined(before: Behaviour, draw: Draw, what: str) -> NDArray[np.bool_]:
    """Which elements of an array no poison and no order of operations changes."""
    first, *others = (run.left[what] for (d, _), run in before.runs.items() if d == draw)
    same = np.ones(first.shape, np.bool_)
    for other in others:
        same &= _bits(first) == _bits(other)
    return same


def differing(before: Array, after: Array) -> NDArray[np.bool_]:
    """Where two arrays of one type differ; floats by more than a change of their order does."""
    if before.dtype.kind != "f":
        return before != after
    bound = TOLERANCE * float(np.max(np.abs(before), initial=0.0, where=np.isfinite(before)))
    return ~np.isclose(after, before, rtol=0.0, atol=bound, equal_nan=True)


def _bits(array: Array) -> NDArray[Any]:
    """As unsigned integers: a NaN is what it is."""
    return np.ascontiguousarray(array).view(f"u{array.dtype.itemsize}").reshape(array.shape)
