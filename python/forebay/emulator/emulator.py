"""The engine that forgives nothing: runs a planned module and stops at the first wrong access."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from mlir import ir
from numpy.typing import NDArray

from forebay.emulator.commands.issue import finish_run
from forebay.emulator.interpreter.body import Progress
from forebay.emulator.interpreter.placed import place_of
from forebay.emulator.interpreter.pools import add_pools
from forebay.emulator.interpreter.ports import Ports
from forebay.emulator.interpreter.program import Program
from forebay.emulator.interpreter.unplaced import own_memory
from forebay.emulator.interpreter.value_check import ValueCheck
from forebay.emulator.kernels.jit import Kernels
from forebay.emulator.machine.machine import Machine
from forebay.emulator.machine.report import RunReport
from forebay.emulator.memory.faults import Fault
from forebay.emulator.memory.view import MemoryView
from forebay.errors import Error
from forebay.ir.machine.devices import host_of
from forebay.ir.problem.ports import EntryPort
from forebay.network.engine import FILL
from forebay.values.holders import holders_of
from forebay.values.tensors import NO_TENSORS, NO_VALUES, Tensor, Tensors, Values

Array = NDArray[Any]


class Emulator:
    """Runs the entry functions of a module as it is between planning and materialisation.

    `poison` is what unwritten and dead bytes hold. `by_element` interprets kernels one element at a
    time, which checks each access on its own and takes microseconds for each; it is for networks
    under a million MACs and for testing the emulator. `like` is an emulator of a module with the
    same kernels, in the same context, whose machine code is used again.

    With the `tensors` of its model, a run that is told what is `expected` compares them as soon as
    the program has them.

    Without `checks` the machine refuses nothing: it computes what the bytes give, and `noted` is
    the first fault that it passed over. What is started is then done at once or, with a seed for
    `disorder`, when somebody waits for it, in any order that queues and tokens allow.

    A program that is not `placed` runs with each buffer in memory of its own, where a plan would
    have put it or not, and nobody is asked for rights or pools. A run whose loops take more than
    `most_iterations` together ends with a `TooLongError`.

    Raises `NotEmulatedError` for a module that is to be placed and is not planned, and for ops
    without a rule. The module is not changed and must stay as it is.
    """

    def __init__(
        self,
        module: ir.Operation,
        *,
        poison: int = FILL,
        by_element: bool = False,
        like: Emulator | None = None,
        tensors: Tensors = NO_TENSORS,
        checks: bool = True,
        disorder: int | None = None,
        placed: bool = True,
        most_iterations: int | None = None,
    ) -> None:
        with module.context, module.location:
            seed = None if checks else disorder
            allocate = place_of if placed else own_memory(module)
            self._machine = Machine(
                host_of(module),
                poison,
                strict=checks,
                disorder=seed,
                allocate=allocate,
                most_iterations=most_iterations,
            )
            if placed:
                add_pools(module, self._machine)
            kernels = Kernels(module.location) if like is None else like._program.kernels
            self._check = ValueCheck(holders_of(module, tensors), self._machine)
            self._program = Program(
                module, self._machine, kernels, self._check, by_element=by_element
            )
            self._variables: dict[str, MemoryView] = {}
            self._ports = {
                name: Ports(function.op, module, self._machine, self._variables)
                for name, function in self._program.functions.items()
                if function.is_public and function.body is not None
            }

    @property
    def report(self) -> RunReport:
        """What the last run did."""
        return self._machine.report

    @property
    def noted(self) -> Fault | None:
        """The first fault that the last run passed over, without checks."""
        return self._machine.noted

    @property
    def entries(self) -> tuple[str, ...]:
        """The functions that can be called."""
        return tuple(self._ports)

    def inputs(self, entry: str) -> tuple[EntryPort, ...]:
        """What a call of an entry function takes an array for, in order."""
        return self._ports[entry].inputs

    def outputs(self, entry: str) -> tuple[EntryPort, ...]:
        """What a call of an entry function gives, in order."""
        return self._ports[entry].outputs

    @property
    def has_state(self) -> bool:
        """Whether anything that the program writes lasts from run to run."""
        return bool(self.state) or any(ports.has_state for ports in self._ports.values())

    @property
    def state(self) -> dict[str, Array]:
        """The bytes of each variable that lasts from run to run, by its name."""
        known = self._program.variables | self._variables
        return {name: self._machine.data_of(view).copy() for name, view in known.items()}

    @property
    def compared(self) -> frozenset[Tensor]:
        """The tensors of the model that the program holds somewhere where they can be compared."""
        return frozenset(holder.tensor for holder in self._check.holders)

    def call(
        self,
        entry: str,
        inputs: Sequence[Array] = (),
        *,
        progress: Progress | None = None,
        expected: Values = NO_VALUES,
    ) -> tuple[Array, ...]:
        """Run an entry function on one array per input, in order; the outputs, in order.

        `progress` is told after each op of the entry how many of how many have run; `expected` is
        what `@main` has to compute between its operators.

        Raises `Fault` at the first wrong access; what was in workspaces is lost then, and state is
        what the run has made of it.
        """
        if entry not in self._ports:
            raise Error(
                f"there is no entry function '{entry}'; there are: {', '.join(self._ports)}"
            )
        ports, function = self._ports[entry], self._program.functions[entry]
        self._machine.begin_run()
        self._check.expect(expected)
        try:
            views = ports.begin([np.asarray(value, order="C") for value in inputs])
            function.finish(function.enter(views), (), [], progress)
            finish_run(self._machine)
            outputs = tuple(ports.end(views))
            if entry == "main":
                self._check.outputs(ports.results(views), ports.site)
        except BaseException:
            self._abandon()
            raise
        return outputs

    def _abandon(self) -> None:
        """Nothing that was alive for this run or an earlier one is."""
        for ports in self._ports.values():
            ports.forget()
        for buffer in self._machine.buffers.living():
            self._machine.end(buffer)
