"""Run pipelines pass by pass, and the program before and after each pass."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from mlir import ir
from numpy.typing import NDArray

from forebay.emulator.memory.faults import NotEmulatedError
from forebay.errors import Error
from forebay.pipelines.runner import run_pipeline
from forebay.support.arrays import Array
from forebay.validation.behaviour import Behaviour, behaviour_of, defined, differing_runs
from forebay.validation.draws import DRAWS, Draw
from forebay.validation.executable import executable, is_on_tensors

_PLAN = "memref-pool-plan"
"""The pass after which buffers are at their planned placements."""


class ValidationError(Error):
    """Raised when a pass has changed what the program computes; `name` is the pass."""

    def __init__(self, name: str, difference: str) -> None:
        super().__init__(
            f"'{name}' has changed what the program computes: {difference}. Correct the pass, or "
            "report it with this model if it is not your own"
        )
        self.name = name


@dataclass(frozen=True)
class _Snapshot:
    digest: bytes
    behaviour: Behaviour | None


class Validator:
    """A validator of all passes that transform an executable program into another one.

    These are all passes from the imported model to the plan, including passes of the user.
    `checked` lists the names of the validated passes, `unchecked` those of passes where one side
    could not be run.
    """

    def __init__(self, draws: Sequence[Draw] = DRAWS) -> None:
        self._draws = draws
        self._placed = False
        self._last: _Snapshot | None = None
        self.checked: list[str] = []
        self.unchecked: list[str] = []

    def run(self, module: ir.Module, passes: Sequence[str]) -> None:
        """Run passes, each given as the text of a pipeline on modules.

        Raises `ValidationError` at the first pass that changes what the program computes, and
        `PipelineError` if a pass fails.
        """
        for text in passes:
            self.run_one(module, text, partial(run_pipeline, pipeline=f"builtin.module({text})"))

    def run_one(self, module: ir.Module, text: str, change: Callable[[ir.Module], None]) -> None:
        """Apply `change` to the module and validate it; the pass's name is the start of `text`."""
        before = self._last or self._snapshot(module)
        change(module)
        name = _name(text)
        self._placed = self._placed or name == _PLAN
        self._last = after = self._snapshot(module, before)
        if before.behaviour is None or after.behaviour is None:
            self.unchecked.append(name)
            return
        self.checked.append(name)
        difference = difference_of(before.behaviour, after.behaviour)
        if difference is not None:
            raise ValidationError(name, difference)

    def _snapshot(self, module: ir.Module, before: _Snapshot | None = None) -> _Snapshot:
        digest = _digest(module)
        if before is not None and digest == before.digest:
            return before
        known = None if before is None or before.behaviour is None else before.behaviour.emulator
        program = executable(module)
        if program is None:
            return _Snapshot(digest, None)
        try:
            found = behaviour_of(
                program,
                self._draws,
                placed=self._placed,
                assigned=not is_on_tensors(module),
                like=known,
            )
        except NotEmulatedError:
            return _Snapshot(digest, None)
        return _Snapshot(digest, found)


def difference_of(before: Behaviour, after: Behaviour) -> str | None:
    """Return the first difference in the behaviour of two programs, or None.

    Draws that the first program does not finish are skipped. Bytes that depend on the poison or on
    the order of operations in the first program are ignored. A fault is a difference if the first
    program has none.
    """
    for (draw, setting), run_ in after.runs.items():
        others = [other for (d, _), other in before.runs.items() if d == draw]
        if any(other.stopped is not None for other in others):
            continue
        where = f"on {draw}, {setting}"
        if run_.stopped is not None:
            return f"{where}, it stops now: {run_.stopped}"
        expected = others[0].left
        for what in expected:
            if what not in run_.left:
                if what.startswith("output"):
                    return f"{where}, there is no {what} any more"
                continue
            found = _difference(expected[what], run_.left[what], defined(before, draw, what))
            if found is not None:
                return f"{what} {found} ({where})"
        if setting.disorder is None and run_.noted and not any(o.noted for o in others):
            return f"{where}, {run_.noted}"
    return None


def _difference(before: Array, after: Array, known: NDArray[np.bool_]) -> str | None:
    if before.shape != after.shape or before.dtype != after.dtype:
        return f"is {after.dtype}{list(after.shape)} and was {before.dtype}{list(before.shape)}"
    wrong = differing_runs(before, after) & known
    if not wrong.any():
        return None
    first = tuple(int(i) for i in np.argwhere(wrong)[0])
    return (
        f"is {after[first]} instead of {before[first]} at {list(first)}; "
        f"{int(wrong.sum()):,} of {wrong.size:,} elements differ"
    )


def _digest(module: ir.Module) -> bytes:
    written = io.BytesIO()
    module.operation.write_bytecode(written)
    return hashlib.sha256(written.getvalue()).digest()


def _name(text: str) -> str:
    """Return the pass's name without its options."""
    return text.split("{", 1)[0]
