"""The emulator as one of the engines that run a compiled network."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlir import ir
from numpy.typing import NDArray

from forebay.codegen.engine import FILL, NotResetError, checked_inputs
from forebay.codegen.model import ModelInfo
from forebay.emulator.body import Progress
from forebay.emulator.emulator import Emulator
from forebay.emulator.report import Report


class EmulatorEngine:
    """Runs `@main` and `@reset` of the planned module, every access checked.

    `poison` and `by_element` are the `Emulator`'s.
    """

    def __init__(
        self,
        planned: ir.Operation,
        model: ModelInfo,
        *,
        poison: int = FILL,
        by_element: bool = False,
    ) -> None:
        self.model = model
        self._emulator = Emulator(planned, poison=poison, by_element=by_element)
        self._is_reset = not model.state_pools

    @property
    def report(self) -> Report:
        """What the last run did."""
        return self._emulator.report

    def run(
        self, inputs: Sequence[NDArray[Any]], *, progress: Progress | None = None
    ) -> tuple[NDArray[Any], ...]:
        """Run one inference; raises `Fault` at the first wrong access."""
        if not self._is_reset:
            raise NotResetError(f"'{self.model.name}' keeps state: reset it before the first run")
        arrays = checked_inputs(self.model, inputs)
        return self._emulator.call("main", arrays, progress=progress)

    def reset(self) -> None:
        """Initialise the state."""
        if self.model.state_pools and "reset" in self._emulator.entries:
            self._emulator.call("reset")
        self._is_reset = True
