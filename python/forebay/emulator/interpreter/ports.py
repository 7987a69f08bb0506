"""Inputs and outputs of an entry function: memory of the caller, or buffers in pools."""

from __future__ import annotations

import math

import numpy as np
from mlir import ir
from mlir.dialects import func

from forebay.dialects.memref_pool import SpaceAttr
from forebay.emulator.interpreter.row_loops import is_accessed_by_rows
from forebay.emulator.machine.buffer_placement import BufferPlacement
from forebay.emulator.machine.machine import Machine
from forebay.emulator.memory.buffers import EmulatedBuffer
from forebay.emulator.memory.faults import NeverWritten, NotEmulatedError, Where
from forebay.emulator.memory.memory import EmulatedMemory, MemoryRules
from forebay.emulator.memory.types import dtype_of
from forebay.emulator.memory.view import MemoryView, row_major
from forebay.ir.attributes import named_attributes
from forebay.ir.machine.pools import candidates_of, pools_in
from forebay.ir.module import module_of
from forebay.ir.problem.ports import EntryPort, ports_of
from forebay.ir.problem.problem import PLACEMENT
from forebay.pools import PoolKind
from forebay.support.arrays import Array


class Ports:
    """The memref arguments of one entry function, and their buffers from one run to the next.

    Outputs stay alive after a run, because the caller has not read them yet. State that several
    entry functions take under one name is one of the `variables`.
    """

    def __init__(
        self,
        function: func.FuncOp,
        module: ir.Operation,
        machine: Machine,
        variables: dict[str, MemoryView],
    ) -> None:
        self._function = function
        self._machine = machine
        self.point = machine.points.outside("the caller")
        ports = ports_of(module_of(module))
        self._ports = [port for port in ports if port.function == function.sym_name.value]
        self._state = {
            name for name, pool in pools_in(module).items() if pool.kind is PoolKind.state
        }
        self._variables = variables
        self._lasting: dict[int, MemoryView] = {}
        self._own: dict[int, EmulatedMemory] = {}
        self._left: list[EmulatedBuffer] = []

    @property
    def inputs(self) -> tuple[EntryPort, ...]:
        """Return the ports for which a run takes arrays."""
        return tuple(p for p in self._ports if not p.is_result and not self._is_state(p))

    @property
    def has_state(self) -> bool:
        """Return whether one of the ports is a variable."""
        return any(self._is_state(port) for port in self._ports)

    @property
    def outputs(self) -> tuple[EntryPort, ...]:
        """Return the ports for which a run returns arrays."""
        return tuple(port for port in self._ports if port.is_result)

    def begin(self, inputs: list[Array]) -> list[MemoryView]:
        """Return the arguments of a run with inputs written; ends the outputs of the last run."""
        self.forget()
        views = [self._view(port) for port in self._ports]
        waiting = iter(inputs)
        for port, view in zip(self._ports, views, strict=True):
            if not port.is_result and port.index not in self._lasting:
                data = self._machine.data_of(view)
                data[...] = next(waiting).view(view.dtype).reshape(view.shape)
                self._machine.fill(view, self.point)
        return views

    def end(self, views: list[MemoryView]) -> list[Array]:
        """Return the outputs; refuses outputs with a byte that the run has not written."""
        outputs: list[Array] = []
        for port, view in zip(self._ports, views, strict=True):
            if port.is_result:
                self._require_written(view)
                outputs.append(self._machine.data_of(view).view(port.dtype).copy())
        return outputs

    def results(self, views: list[MemoryView]) -> list[tuple[str, MemoryView]]:
        """Return the views of the outputs with their names."""
        pairs = zip(self._ports, views, strict=True)
        return [(port.name, view) for port, view in pairs if port.is_result]

    def forget(self) -> None:
        """End the lifetimes of the outputs that the last run left."""
        for buffer in self._left:
            self._machine.end(buffer)
        self._left.clear()

    def _view(self, port: EntryPort) -> MemoryView:
        if port.index in self._lasting:
            return self._lasting[port.index]
        argument = self._function.arguments[port.index]
        type_ = ir.MemRefType(argument.type)
        if not isinstance(type_.memory_space, SpaceAttr):
            view = self._callers(port, type_)
        else:
            view = self._planned(port, argument, type_)
        if port.is_result and port.index not in self._lasting:
            self._machine.add_reference(view)
            self._left.append(view.buffer)
        return view

    def _planned(
        self, port: EntryPort, argument: ir.BlockArgument, type_: ir.MemRefType
    ) -> MemoryView:
        is_lasting = self._is_state(port)
        if is_lasting and port.name in self._variables:
            view = self._variables[port.name]
        else:
            placement = named_attributes(self._function.arg_attrs[port.index]).get(PLACEMENT)
            facts = BufferPlacement(
                port.name,
                type_,
                placement,
                lasting=is_lasting,
                by_rows=not is_lasting and is_accessed_by_rows(argument),
            )
            view = self._machine.allocate(facts, self._function, self.point)
            assert isinstance(view, MemoryView), "a port is in one piece"
        if is_lasting:
            self._lasting[port.index] = self._variables[port.name] = view
        return view

    def _is_state(self, port: EntryPort) -> bool:
        """Return whether the port is a variable: all of its candidate pools are for state."""
        pools = candidates_of(self._function.arguments[port.index].type)
        return bool(pools) and set(pools) <= self._state

    def _callers(self, port: EntryPort, type_: ir.MemRefType) -> MemoryView:
        """Return memory of the caller, unwritten at the start of a run; inputs are read-only."""
        dtype = dtype_of(type_.element_type, self._function)
        if not type_.has_static_shape:
            raise NotEmulatedError(self._function, f"takes {type_}, whose shape is not known")
        shape = tuple(type_.shape)
        size = math.prod(shape) * dtype.itemsize
        name = f"the caller's '{port.name}'"
        rules = MemoryRules(dtype.itemsize, is_read_only=not port.is_result)
        if port.index not in self._own:
            self._own[port.index] = self._machine.add_memory(name, size, rules)
        memory = self._own[port.index]
        memory.clear(self._machine.poison)
        buffer = self._machine.add_buffer(
            memory, port.name, (0, size), self.point, alignment=dtype.itemsize
        )
        return MemoryView(buffer, 0, shape, row_major(shape, dtype.itemsize), dtype, 0)

    def _require_written(self, view: MemoryView) -> None:
        memory = self._machine.memories[view.buffer.memory]
        missing = view.whole.take(memory.owner, view.at) != view.buffer.number
        if np.any(missing):
            offset = view.at + view.whole.offset_of(int(missing.argmax()))
            where = Where(
                f"@{self._function.sym_name.value}",
                "the program",
                memory.name,
                memory.rules.address(offset),
                view.buffer.name,
            )
            reason = f"returns without having written {memory.place(offset)}"
            self._machine.refuse(NeverWritten(where, f"{reason}, of output '{view.buffer.name}'"))
