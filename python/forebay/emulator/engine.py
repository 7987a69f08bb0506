"""The emulator as one of the engines that run a compiled network."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from mlir import ir
from numpy.typing import NDArray

from forebay.emulator.emulator import Emulator
from forebay.emulator.interpreter.body import OpProgress
from forebay.emulator.machine.report import RunReport
from forebay.network.engine import FILL, NotResetError
from forebay.network.model import ModelInfo
from forebay.network.port_arrays import checked_inputs
from forebay.values.model import ModelValues
from forebay.values.tensors import NO_TENSORS, NO_VALUES, Tensor


class EmulatorEngine:
    """An engine that runs `@main` and `@reset` of the planned module and checks every access.

    `poison`, `by_element` and `host_rate` are passed to the `Emulator`. With `values`, the tensors
    between operators are compared with the model's, too.
    """

    def __init__(
        self,
        planned: ir.Operation,
        model: ModelInfo,
        *,
        poison: int = FILL,
        by_element: bool = False,
        values: ModelValues | None = None,
        host_rate: Fraction | None = None,
    ) -> None:
        self.model = model
        self._values = values
        tensors = NO_TENSORS if values is None else values.tensors
        self._all = tensors.all
        self._emulator = Emulator(
            planned, poison=poison, by_element=by_element, tensors=tensors, host_rate=host_rate
        )
        self._is_reset = not model.state_pools

    @property
    def report(self) -> RunReport:
        """Return the counters of the last run."""
        return self._emulator.report

    @property
    def compared(self) -> tuple[Tensor, ...]:
        """Return the tensors of the model that a run compares."""
        known = self._emulator.compared
        return tuple(tensor for tensor in self._all if tensor in known)

    @property
    def not_compared(self) -> tuple[Tensor, ...]:
        """Return the tensors that the program does not store, or stores in an unknown layout."""
        known = self._emulator.compared
        return tuple(tensor for tensor in self._all if tensor not in known)

    def run(
        self, inputs: Sequence[NDArray[Any]], *, progress: OpProgress | None = None
    ) -> tuple[NDArray[Any], ...]:
        """Run one inference.

        Raises `Fault` at the first wrong access, `NotResetError` if there is state without a reset.
        """
        if not self._is_reset:
            raise NotResetError(f"'{self.model.name}' keeps state: reset it before the first run")
        arrays = checked_inputs(self.model, inputs)
        expected = NO_VALUES if self._values is None else self._values.run(arrays)
        return self._emulator.call("main", arrays, progress=progress, expected=expected)

    def reset(self) -> None:
        """Initialise the state."""
        if self.model.state_pools and "reset" in self._emulator.entries:
            self._emulator.call("reset")
        if self._values is not None:
            self._values.reset()
        self._is_reset = True
