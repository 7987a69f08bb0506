"""An engine that runs a planned module and stops at the first wrong access."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from mlir import ir

from forebay.emulator.commands.issue import finish_run
from forebay.emulator.interpreter.body import OpProgress
from forebay.emulator.interpreter.pools import add_pools
from forebay.emulator.interpreter.ports import Ports
from forebay.emulator.interpreter.program import Program
from forebay.emulator.interpreter.unplaced import own_memory, planned_memory
from forebay.emulator.interpreter.value_check import ValueCheck
from forebay.emulator.kernels.jit import Kernels
from forebay.emulator.machine.machine import Machine
from forebay.emulator.machine.report import RunReport
from forebay.emulator.memory.faults import Fault
from forebay.emulator.memory.view import MemoryView
from forebay.errors import Error
from forebay.ir.machine.devices import host_of, peaks_of
from forebay.ir.problem.ports import EntryPort
from forebay.network.engine import FILL
from forebay.support.arrays import Array
from forebay.values.holders import holders_of
from forebay.values.tensors import NO_TENSORS, NO_VALUES, Tensor, Tensors, Values


class Emulator:
    """A machine that runs the entry functions of a module between planning and materialisation.

    `poison` is the value of bytes that are unwritten or whose lifetime has ended. `by_element`
    interprets kernels one element at a time: each access is checked on its own, which takes
    microseconds per access. It is meant for networks under a million MACs and for testing the
    emulator. `like` is an emulator of a module with the same kernels in the same context; its
    machine code is reused.

    `tensors` are the tensors of the model. A run that gets their `expected` values compares them as
    soon as the program has computed them.

    Without `checks` the machine refuses nothing: it computes with the bytes as they are, and
    `noted` is the first fault that it ignored. A started operation is then executed at once. With
    a seed for `disorder` it is executed when the program waits for it, in any order that queues and
    tokens allow.

    If the program is not `placed`, each buffer gets memory of its own, whether or not it has a
    placement, and access rights and pools are not checked. A run whose loops take more than
    `most_iterations` iterations in total raises `TooLongError`.

    `host_rate` is the number of operations of kernels and copies that the host executes per cycle
    of the timing model; without it the host's work takes no time.

    Raises `NotEmulatedError` for ops without a rule, and for a module without a plan if it is
    `placed`. The emulator does not change the module, and the caller must not change it either.
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
        assigned: bool = True,
        host_rate: Fraction | None = None,
    ) -> None:
        with module.context, module.location:
            seed = None if checks else disorder
            allocate = planned_memory(module) if placed else own_memory(module)
            self._machine = Machine(
                host_of(module),
                poison,
                strict=checks,
                disorder=seed,
                allocate=allocate,
                most_iterations=most_iterations,
                assigned=assigned,
                host_rate=host_rate,
                peaks=peaks_of(module),
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
        """Return the counters of the last run."""
        return self._machine.report

    @property
    def noted(self) -> Fault | None:
        """Return the first fault that the last run ignored because checks are off."""
        return self._machine.first_fault

    @property
    def entries(self) -> tuple[str, ...]:
        """Return the names of the functions that can be called."""
        return tuple(self._ports)

    def inputs(self, entry: str) -> tuple[EntryPort, ...]:
        """Return the ports for which a call of an entry function takes one array each, in order."""
        return self._ports[entry].inputs

    def outputs(self, entry: str) -> tuple[EntryPort, ...]:
        """Return the ports for which a call of an entry function returns an array, in order."""
        return self._ports[entry].outputs

    @property
    def has_state(self) -> bool:
        """Return whether data that the program writes persists from run to run."""
        return bool(self.state) or any(ports.has_state for ports in self._ports.values())

    @property
    def state(self) -> dict[str, Array]:
        """Return a copy of what persists of each variable from run to run, by its name.

        The rows of a ring are in the order of the model, the oldest one first.
        """
        known = self._program.variables | self._variables
        data = {name: self._machine.data_of(view) for name, view in known.items()}
        rows, rings = self._program.carried_rows, self._program.ring_orders
        found: dict[str, Array] = {}
        for name, values in data.items():
            carried, ring = rows.get(name), rings.get(name)
            if ring is not None:
                (position,) = data[ring.position].view(np.uint32)
                found[name] = ring.oldest_first(values, int(position))
            else:
                found[name] = values[carried.indices if carried else ...].copy()
        return found

    @property
    def compared(self) -> frozenset[Tensor]:
        """Return the tensors of the model that the program stores where they can be compared."""
        return frozenset(holder.tensor for holder in self._check.holders)

    def call(
        self,
        entry: str,
        inputs: Sequence[Array] = (),
        *,
        progress: OpProgress | None = None,
        expected: Values = NO_VALUES,
    ) -> tuple[Array, ...]:
        """Run an entry function on one array per input and return its outputs, both in order.

        `progress` is called after each op of the entry function with the number of executed ops and
        the number of all ops. `expected` are the values that `@main` has to compute between its
        operators.

        Raises `Fault` at the first wrong access. The contents of workspaces are then lost, and the
        state is as the aborted run left it.
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
                self._check.outputs(ports.results(views), ports.point)
        except BaseException:
            self._abandon()
            raise
        return outputs

    def _abandon(self) -> None:
        """End the lifetime of all buffers that are not lasting, of this run and of earlier ones."""
        for ports in self._ports.values():
            ports.forget()
        for buffer in self._machine.buffers.temporaries_alive():
            self._machine.end(buffer)
