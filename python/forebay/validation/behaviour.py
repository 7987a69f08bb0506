"""The observable behaviour of a program: outputs, state and faults of its runs on drawn inputs.

Every draw is run under several poisons. Bytes that differ between poisons come from memory that was
never written, so their values are undefined; all others are computed by the program. If operations
are started, the runs also use other execution orders that queues and tokens allow.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from mlir import ir
from numpy.typing import NDArray

from forebay.dialects.accel import LaunchOp, StartOp
from forebay.emulator import Emulator, Fault
from forebay.emulator.machine.machine import TooLongError
from forebay.ir.nested import ops_of
from forebay.support.arrays import Array
from forebay.validation.draws import Draw

POISONS = (0xA5, 0x3C)
STEPS = 3
"""The number of runs of a program with state, from reset; one without state runs once."""
ITERATIONS = 200_000
"""The limit of loop iterations in a run; a draw that exceeds it is not compared."""
_TOLERANCE = 1e-5
"""The allowed difference of floats, relative to the largest magnitude in the array."""
_RESET = "reset"


@dataclass(frozen=True)
class Setting:
    """The conditions that must not change a result: poison, and order of started operations."""

    poison: int
    disorder: int | None = None

    def __str__(self) -> str:
        order = "" if self.disorder is None else f", operations in order {self.disorder}"
        return f"poison {self.poison:#04x}{order}"


@dataclass(frozen=True, eq=False)
class ObservedRun:
    """The arrays that the steps of one draw leave, by name: `state 's' behind @main in run 2`.

    `noted` is the first fault; `stopped` is the reason why the run ended early.
    """

    left: Mapping[str, Array]
    noted: str | None = None
    stopped: str | None = None


@dataclass(frozen=True, eq=False)
class Behaviour:
    """The runs of a program by draw and setting, and its emulator, whose kernels can be reused."""

    runs: Mapping[tuple[Draw, Setting], ObservedRun]
    emulator: Emulator


def behaviour_of(
    module: ir.Operation,
    draws: Sequence[Draw],
    *,
    placed: bool,
    assigned: bool = True,
    like: Emulator | None = None,
) -> Behaviour:
    """Run a module on every draw.

    Without a plan (`placed`) each buffer has memory of its own; before its buffers are `assigned`
    to pools, devices reach all of them. Raises `NotEmulatedError` where the emulator cannot run it.
    """
    runs: dict[tuple[Draw, Setting], ObservedRun] = {}
    for setting in _settings(module):
        like = emulator = Emulator(
            module,
            poison=setting.poison,
            disorder=setting.disorder,
            like=like,
            checks=False,
            placed=placed,
            assigned=assigned,
            most_iterations=ITERATIONS,
        )
        for draw in draws:
            run = _run(emulator, draw)
            # Bufferization without an analysis copies tensors without content, too: no fault.
            runs[draw, setting] = run if assigned else replace(run, noted=None)
    assert like is not None
    return Behaviour(runs, like)


def _settings(module: ir.Operation) -> list[Setting]:
    plain = [Setting(poison) for poison in POISONS]
    if not ops_of(module, StartOp, LaunchOp):
        return plain
    return [*plain, *(Setting(POISONS[0], seed) for seed in (1, 2))]


def _run(emulator: Emulator, draw: Draw) -> ObservedRun:
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
        return ObservedRun(left, noted, str(stopped))
    return ObservedRun(left, noted)


def _calls(emulator: Emulator) -> list[tuple[int, str]]:
    """Return pairs of run number and entry function, in call order."""
    others = [entry for entry in emulator.entries if entry != _RESET]
    steps = STEPS if emulator.has_state else 1
    first = [(0, _RESET)] if _RESET in emulator.entries else []
    return [*first, *((step, entry) for step in range(1, steps + 1) for entry in others)]


def defined(before: Behaviour, draw: Draw, what: str) -> NDArray[np.bool_]:
    """Return which elements of an array are the same under all poisons and execution orders."""
    first, *others = (run.left[what] for (d, _), run in before.runs.items() if d == draw)
    same = np.ones(first.shape, np.bool_)
    for other in others:
        same &= _bits(first) == _bits(other)
    return same


def differing_runs(before: Array, after: Array) -> NDArray[np.bool_]:
    """Return where two arrays of one type differ.

    Floats differ if a change in the order of their operations cannot explain the difference.
    """
    if before.dtype.kind != "f":
        return before != after
    bound = _TOLERANCE * float(np.max(np.abs(before), initial=0.0, where=np.isfinite(before)))
    return ~np.isclose(after, before, rtol=0.0, atol=bound, equal_nan=True)


def _bits(array: Array) -> NDArray[Any]:
    """Return the elements as unsigned integers, so that equal NaNs compare equal."""
    return np.ascontiguousarray(array).view(f"u{array.dtype.itemsize}").reshape(array.shape)
