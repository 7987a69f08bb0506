"""Abstract interpreter on shadow memory: ops in order, calls inlined, loops to a fixed point."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from mlir import ir
from mlir.dialects import arith, func, memref, scf
from mlir.dialects.builtin import ModuleOp

from forebay.dialects.accel import LaunchOp, StartOp, TokenType, WaitOp
from forebay.dialects.memref_pool import AddressOp, AllocOp, RowOp
from forebay.ir.interfaces import view_ends_of
from forebay.ir.nested import ops_of
from forebay.ir.plan_check.accesses.uses import Uses, is_without_memory
from forebay.ir.plan_check.buffers.placed import PlacedBuffers, Role
from forebay.ir.plan_check.integers.arithmetic import is_integer
from forebay.ir.plan_check.integers.needed_numbers import needed_numbers
from forebay.ir.plan_check.integers.numbers import LinearForm
from forebay.ir.plan_check.integers.numbers import number as constant
from forebay.ir.plan_check.memory.path_state import (
    AbstractValue,
    PathState,
    join,
)
from forebay.ir.plan_check.memory.references import (
    References,
    is_known_view,
    metadata,
    of_caller,
    viewed,
    whole_buffer,
)
from forebay.ir.plan_check.program.iterations import CarriedTickets, LoopRun, iteration_heads
from forebay.ir.plan_check.program.numbered_loops import NumberedLoops
from forebay.ir.plan_check.program.runner import Step, is_memref, last_op, only_block
from forebay.ir.plan_check.program.simple_loops import SimpleLoops
from forebay.ir.plan_check.rows.row_loops import ConstantTables, counters_of_rows
from forebay.ir.refused import RefusedError


def execute(module: ModuleOp, placing: PlacedBuffers) -> None:
    """Run every entry function.

    Raises `RefusedError` at the first op that uses bytes which another buffer has overwritten or
    which an in-flight operation uses, and at a view that exceeds its buffer.
    """
    execution = _Execution(module, placing)
    for function in execution.functions.values():
        if len(function.body.blocks) and not _is_private(function):
            execution.run_entry(function)


class _Execution:
    def __init__(self, module: ModuleOp, placing: PlacedBuffers) -> None:
        self.functions = {
            op.sym_name.value: op for op in module.body.operations if isinstance(op, func.FuncOp)
        }
        self._placing = placing
        self._uses = Uses(module, placing)
        self._shadow = self._uses.shadow
        self._values = self._uses.values
        self._tickets = self._uses.operations.tickets
        self._run = self._uses.run
        self._numbers = self._run.numbers
        self._needed = needed_numbers(module, with_indices=self._uses.sees_elements)
        self._instances = 0
        row_counters = counters_of_rows(module)
        self._has_rows = bool(row_counters)
        self._numbered = NumberedLoops(self, self._run, row_counters)
        self._simple = SimpleLoops(self, self._uses, placing, _RULES.keys())
        self._tables = ConstantTables(module)
        self._starting: dict[ir.OpView, bool] = {}
        self._steps: dict[ir.Block, list[Step]] = {}
        self._calls: list[str] = []
        self._addresses: list[dict[tuple[str, int, int], References]] = []
        """Per active call: the instances of buffers inside devices that it has created."""

    def run_entry(self, function: func.FuncOp) -> None:
        """Run an entry function.

        Its inputs are written at the beginning. Lasting buffers and the arguments of other
        functions are in use all the time.
        """
        name = function.sym_name.value
        self._shadow.restore({})
        self._uses.begin()
        kept: list[int] = []
        for number, buffer in enumerate(self._placing.buffers):
            if buffer.role is Role.TEMPORARY:
                continue
            for cell in self._uses.cells.of_buffer(number):
                self._shadow.allocate(cell)
                if buffer.entry != name:
                    self._shadow.define(cell)
            if buffer.entry != name or buffer.role is Role.OUTPUT:
                kept.append(number)
        for number, buffer in enumerate(self._placing.buffers):
            if buffer.entry == name and buffer.role is Role.INPUT:
                for cell in self._uses.cells.of_buffer(number):
                    self._shadow.write(cell, function.location)
        self._call(function, [self._argument(a) for a in function.arguments], function.location)
        for number in kept:
            self._uses.check_intact(number, function)
        self._uses.operations.check_ended(function)

    def _argument(self, argument: ir.BlockArgument) -> AbstractValue:
        if not is_memref(argument):
            return self._run.of(argument) if is_integer(argument.type) else None
        number = self._placing.arguments.get(argument)
        if number is not None:
            return self._lasting(number, argument)
        type_ = argument.type
        is_plain = isinstance(type_, ir.MemRefType) and type_.has_static_shape
        if not is_plain or argument in self._placing.bases:
            return frozenset()
        return frozenset({of_caller(argument.arg_number, ir.MemRefType(type_))})

    def _lasting(self, number: int, value: ir.Value) -> References:
        """Return a reference to a buffer that is never allocated again."""
        return self._all_of(number, 0, value)

    def _all_of(self, number: int, instance: int, value: ir.Value) -> References:
        buffers = [self._placing.buffers[n] for n in self._placing.numbers_of(number)]
        size = sum(buffer.end - buffer.start for buffer in buffers)
        return frozenset({whole_buffer(number, instance, ir.MemRefType(value.type), size)})

    def run_block(self, block: ir.Block) -> None:
        """Run the ops of a block; what runs an op is decided once, though loops run it again."""
        steps = self._steps.get(block)
        if steps is None:
            found = (self.step_of(op) for op in block.operations)
            steps = self._steps[block] = [step for step in found if step is not None]
        for step in steps:
            step()

    def step_of(self, op: ir.OpView) -> Step | None:
        """Return what runs an op, or None for an op that does nothing by itself."""
        if isinstance(op, (scf.YieldOp, scf.ConditionOp, func.ReturnOp)):
            return None
        if isinstance(op, (memref.LoadOp, memref.StoreOp)) and not self._uses.sees_elements:
            return self._whole_access(op)
        rule = _RULES.get(type(op))
        if rule is None or self._is_declared(op) or _chooses_number(op):
            return self._view_or_use(op)
        return partial(rule, self, op)

    def _whole_access(self, op: memref.LoadOp | memref.StoreOp) -> Step:
        """Return what runs a load or a store whose indices do not matter."""
        if isinstance(op, memref.LoadOp) and op.result in self._needed:
            return partial(self.load, op)
        return partial(self._uses.check_alike, op, self._uses.likeness_of(op))

    def _is_declared(self, op: ir.OpView) -> bool:
        """Return whether the op calls a function without a body."""
        is_call = isinstance(op, func.CallOp)
        return is_call and not len(self.functions[op.callee.value].body.blocks)

    def _view_or_use(self, op: ir.OpView) -> Step | None:
        compute = self._run.step_of(op) if any(r in self._needed for r in op.results) else None
        if is_without_memory(op):
            return compute
        if is_known_view(op):
            return partial(self._view, op, op.operands[0], op.results[0])
        view = view_ends_of(op)
        if view is not None:
            return partial(self._view, op, op.operands[view.source], op.results[view.result])
        return partial(self._use, op, compute)

    def _use(self, op: ir.OpView, compute: Step | None) -> None:
        self._uses.check(op)
        if compute is not None:
            compute()

    def load(self, op: memref.LoadOp) -> None:
        """Run a load; an entry of a constant table is a number, if its index is."""
        self._uses.check(op)
        if not is_integer(op.result.type) or op.result not in self._needed:
            return
        indices = [self._run.of(index).constant for index in op.indices]
        entry = None if None in indices else self._tables.entry(op.memref, indices)
        if entry is not None:
            self._run.known[op.result] = constant(entry)
        else:
            self._run.forget(op.result)

    def start(self, op: StartOp | LaunchOp) -> None:
        """Start an operation of a device."""
        self._instances += 1
        self._uses.start(op, self._instances)

    def wait(self, op: WaitOp) -> None:
        """Wait for operations."""
        self._uses.operations.wait(op)

    def call(self, op: func.CallOp) -> None:
        """Run a call of a function with a body."""
        callee = self.functions[op.callee.value]
        found = self._call(callee, self.values_of(op.operands), op.location)
        self.bind(op.results, found)

    def select(self, op: arith.SelectOp) -> None:
        """Join what both operands refer to."""
        chosen = (op.true_value, op.false_value)
        self._join([self._state(self.values_of([value])) for value in chosen], op.results)

    def distinct(self, op: memref.DistinctObjectsOp) -> None:
        """Pass memrefs on."""
        self.bind(op.results, self.values_of(op.operands))

    def buffer(self, op: AllocOp | AddressOp | memref.GetGlobalOp) -> None:
        """Begin a buffer, or bind a constant, a variable or a buffer of the caller."""
        if isinstance(op, AllocOp):
            self._allocate(op.memref)
        elif isinstance(op, AddressOp):
            if op.memref not in self._placing.bases:
                self._at_address(op.memref)
        else:
            number = self._placing.globals.get(op.name.value)
            type_ = ir.MemRefType(op.result.type)
            outside = frozenset({of_caller(0, type_)})
            self._values[op.result] = (
                outside if number is None else self._lasting(number, op.result)
            )

    def _allocate(self, value: ir.Value) -> None:
        """Allocate a new instance of a buffer."""
        self._instances += 1
        number = self._placing.values[value]
        for buffer in self._placing.numbers_of(number):
            for cell in self._uses.cells.of_buffer(buffer):
                self._shadow.allocate(cell)
        self._values[value] = self._all_of(number, self._instances, value)

    def _at_address(self, value: ir.Value) -> None:
        """Bind a buffer at a constant address: a callee uses the instance of its caller.

        The callee's type of these bytes may be another one.
        """
        place = self._placing.buffers[self._placing.values[value]].address_range
        type_ = ir.MemRefType(value.type)
        for made in reversed(self._addresses[:-1]):
            if place in made:
                self._values[value] = frozenset(
                    whole_buffer(it.buffer, it.instance, type_, it.size) for it in made[place]
                )
                self._uses.numbers.add(value)
                return
        self._allocate(value)
        self._addresses[-1][place] = self._values[value]

    def _view(self, op: ir.OpView, source: ir.Value, result: ir.Value) -> None:
        """Run a view; a view of a pool's base is the alloc of a buffer, or a lasting buffer."""
        number = self._placing.values.get(result)
        if number is None and isinstance(op, memref.ViewOp) and source in self._placing.bases:
            self._values[result] = self._uses.row_view(op, self._placing.bases[source])
        elif number is None:
            self._view_of(op, self._values.get(source, frozenset()), result)
        elif self._placing.buffers[number].role is Role.LASTING:
            self._values[result] = self._lasting(number, result)
        elif isinstance(source, ir.BlockArgument):
            self._allocate(result)
        else:
            self._at_address(result)

    def _view_of(self, op: ir.OpView, references: References, result: ir.Value) -> None:
        found = [viewed(op, reference, self._run) for reference in references]
        for reference in sorted(found):
            self._uses.check_view(op, reference)
        self._values[result] = frozenset(found)
        if isinstance(op, memref.ExtractStridedMetadataOp):
            known = [metadata(op, reference) for reference in references]
            for numbers in zip(op.results[1:], *known, strict=True):
                self._learn(numbers[0], numbers[1:])
        elif isinstance(op, memref.ReshapeOp):
            self._uses.check_shape(op)

    def dim(self, op: memref.DimOp) -> None:
        """Record a size, which a view has besides its bytes."""
        axis = self._run.of(op.index).constant
        references = self._values.get(op.source, frozenset())
        is_known = axis is not None and all(0 <= axis < len(r.shape) for r in references)
        self._learn(op.result, [r.shape[axis or 0] for r in references] if is_known else ())

    def _learn(self, value: ir.Value, forms: Sequence[LinearForm | None]) -> None:
        """Record that a value is one of several numbers."""
        known = [form for form in forms if form is not None]
        if len(known) < max(len(forms), 1):
            known = [self._numbers.unknown()]
        form = known[0]
        for other in known[1:]:
            form = self._numbers.either(form, other)
        self._run.known[value] = form

    def _call(
        self, callee: func.FuncOp, arguments: Sequence[AbstractValue], where: ir.Location
    ) -> list[AbstractValue]:
        name = callee.sym_name.value
        if name in self._calls:
            raise RefusedError(where, f"the plan cannot be checked, since @{name} calls itself")
        self._calls.append(name)
        self._addresses.append({})
        self.bind(callee.arguments, arguments)
        block = only_block(callee.body, where)
        self.run_block(block)
        self._addresses.pop()
        self._calls.pop()
        return self.values_of(last_op(block).operands)

    def branch(self, op: ir.OpView) -> None:
        """Run every region from the same state; continue with the join of their ends."""
        if isinstance(op, scf.IfOp):
            condition = self._run.of(op.condition).constant
            if condition is not None:
                self._take(op, op.thenRegion if condition else op.elseRegion)
                return
        before = self._state([])
        states: list[PathState] = []
        for region in op.regions:
            self._restore(before)
            if not len(region.blocks):
                states.append(before)
                continue
            block = only_block(region, op.location)
            self.run_block(block)
            states.append(self._state(self.values_of(last_op(block).operands)))
        self._join(states, op.results)

    def row(self, op: RowOp) -> None:
        """Run a view of a row."""
        self._values[op.row] = self._uses.row_of(op)

    def _take(self, op: scf.IfOp, region: ir.Region) -> None:
        """Run the branch that a known condition takes."""
        if len(region.blocks):
            block = only_block(region, op.location)
            self.run_block(block)
            self.bind(op.results, self.values_of(last_op(block).operands))

    def for_(self, op: scf.ForOp) -> None:
        """Run a counted loop."""
        counts = self._numbered.counts(op)
        if counts is not None:
            self._numbered.run(op, counts)
            return
        body = only_block(op.region, op.location)
        counter, *carried = body.arguments
        first, end, step = map(self._run.of, (op.lowerBound, op.upperBound, op.step))
        fewest, most = self._numbers.trips(first, end, step)
        if most <= 0:
            self.bind(op.results, self.values_of(op.initArgs))
            return
        if self._has_rows and self._simple.has(op):
            self._simple.run(op, body, (first, end, step))
            return
        unknowns = self._numbers.count
        self._run.known[counter], trip = self._numbers.counter(first, end, step)
        counts = step.constant is not None and step.constant > 0
        is_peeled = counts and self._starts_something(op)
        if counts:
            self._numbers.limit(trip, 0, most - 1)

        def once(number: int) -> list[AbstractValue]:
            if is_peeled:
                self._numbers.limit(trip, *((0, 0) if number == 0 else (1, most - 1)))
            self.run_block(body)
            return self.values_of(last_op(body).operands)

        loop = LoopRun(once, unknowns, trip if is_peeled else None, most)
        heads = self._repeat(carried, self.values_of(op.initArgs), loop)
        self._numbers.settle(trip, fewest, most)
        self._join(heads[1:] if fewest > 0 else heads, op.results)

    def _starts_something(self, op: ir.OpView) -> bool:
        """Return whether an op, or a function that it calls, starts operations."""
        if op not in self._starting:
            self._starting[op] = False  # for a recursive function, which is refused where it runs
            self._starting[op] = any(
                not isinstance(inner, func.CallOp)
                or self._starts_something(self.functions[inner.callee.value])
                for inner in ops_of(op, StartOp, LaunchOp, func.CallOp)
            )
        return self._starting[op]

    def while_(self, op: scf.WhileOp) -> None:
        """Run a loop that exits from its first region."""
        before = only_block(op.before, op.location)
        after = only_block(op.after, op.location)
        forwarded = list(last_op(before).operands)[1:]
        ends: list[PathState] = []

        def once(_: int) -> list[AbstractValue]:
            self.run_block(before)
            ends.append(self._state(self.values_of(forwarded)))
            self.bind(after.arguments, ends[-1].values)
            self.run_block(after)
            return self.values_of(last_op(after).operands)

        loop = LoopRun(once, self._numbers.count, None, math.inf)
        self._repeat(list(before.arguments), self.values_of(op.inits), loop)
        self._join(ends, op.results)

    def _repeat(
        self, carried: Sequence[ir.Value], initial: list[AbstractValue], loop: LoopRun
    ) -> list[PathState]:
        """Run iterations until one begins like an earlier one; return the state before each."""
        youngest = self._instances + 1
        tickets = [
            youngest + index if isinstance(value.type, TokenType) else None
            for index, value in enumerate(carried)
        ]
        self._instances += len(carried)

        def run(head: PathState, number: int) -> PathState:
            self._restore(head)
            self.bind(carried, head.values)
            return self._state(loop.once(number))

        names = CarriedTickets(tickets, youngest)
        return iteration_heads(self._state(initial), names, loop, run, self._numbers)

    def _state(self, values: Sequence[AbstractValue]) -> PathState:
        """Return the current state, with values that are passed on."""
        return PathState(self._shadow.copy_marks(), self._uses.operations.in_flight, values)

    def _restore(self, state: PathState) -> None:
        self._shadow.restore(state.marks)
        self._uses.operations.in_flight = state.in_flight

    def _join(self, states: Sequence[PathState], results: Sequence[ir.Value]) -> None:
        """Continue where paths join; `results` are the values that they pass on."""
        state = join(states, self._numbers, self._instances + 1)
        self._instances += len(state.values)
        self._restore(state)
        self.bind(results, state.values)

    def values_of(self, values: Iterable[ir.Value]) -> list[AbstractValue]:
        return [self._value_of(value) for value in values]

    def _value_of(self, value: ir.Value) -> AbstractValue:
        if is_integer(value.type):
            return self._run.of(value) if value in self._needed else None
        if isinstance(value.type, TokenType):
            return self._tickets.get(value)
        return self._values.get(value)

    def bind(self, values: Iterable[ir.Value], contents: Iterable[AbstractValue]) -> None:
        for value, content in zip(values, contents, strict=True):
            if isinstance(content, LinearForm):
                self._run.known[value] = content
            elif isinstance(content, frozenset):
                self._values[value] = content
            elif content is not None:
                self._tickets[value] = content
            else:
                self._tickets.pop(value, None)


_RULES: dict[type, Callable[[_Execution, Any], None]] = {
    AddressOp: _Execution.buffer,
    AllocOp: _Execution.buffer,
    LaunchOp: _Execution.start,
    RowOp: _Execution.row,
    StartOp: _Execution.start,
    WaitOp: _Execution.wait,
    arith.SelectOp: _Execution.select,
    func.CallOp: _Execution.call,
    memref.DimOp: _Execution.dim,
    memref.DistinctObjectsOp: _Execution.distinct,
    memref.GetGlobalOp: _Execution.buffer,
    memref.LoadOp: _Execution.load,
    scf.ExecuteRegionOp: _Execution.branch,
    scf.ForOp: _Execution.for_,
    scf.IfOp: _Execution.branch,
    scf.IndexSwitchOp: _Execution.branch,
    scf.WhileOp: _Execution.while_,
}


def _chooses_number(op: ir.OpView) -> bool:
    return isinstance(op, arith.SelectOp) and is_integer(op.result.type)


def _is_private(function: func.FuncOp) -> bool:
    visibility = function.sym_visibility
    return visibility is not None and visibility.value == "private"
