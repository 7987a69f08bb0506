"""Abstract interpreter on shadow memory: ops in order, calls inlined, loops to a fixed point."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from mlir import ir
from mlir.dialects import arith, func, memref, scf
from mlir.dialects.builtin import ModuleOp

from forebay.dialects.accel import LaunchOp, StartOp, TokenType, WaitOp
from forebay.ir.interfaces import view_ends_of
from forebay.ir.machine.devices import ON
from forebay.ir.nested import ops_but_computations, ops_of
from forebay.ir.plan_check.accesses.elements import LOADS, ElementAccess, Load, memory_of
from forebay.ir.plan_check.accesses.uses import CheckedElement, Uses, is_without_memory
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
    is_known_view,
)
from forebay.ir.plan_check.program.iterations import CarriedTickets, LoopRun, iteration_heads
from forebay.ir.plan_check.program.memref_values import (
    MEMREF_RULES,
    InstanceNumbers,
    MemrefValues,
)
from forebay.ir.plan_check.program.numbered_loops import NumberedLoops
from forebay.ir.plan_check.program.runner import Step, last_op, only_block
from forebay.ir.plan_check.program.simple_loops import SimpleLoops
from forebay.ir.plan_check.rows.row_loops import (
    ConstantTables,
    counters_of_rows,
    row_buffers_of,
)
from forebay.ir.refused import RefusedError
from forebay.ir.state.ring_order import POSITION


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
        self._computing = _blocks_of_computed(self._needed)
        """Blocks with ops whose results the check has to compute."""
        self._instances = InstanceNumbers()
        self._memrefs = MemrefValues(placing, self._uses, self._instances)
        row_counters = counters_of_rows(module)
        self._has_rows = bool(row_counters)
        self._numbered = NumberedLoops(self, self._run, row_counters)
        self._simple = SimpleLoops(self, self._uses, placing, {*_RULES, *MEMREF_RULES})
        self._tables = ConstantTables(module)
        self._has_starts = bool(ops_of(module, StartOp, LaunchOp))
        self._starting: dict[ir.OpView, bool] = {}
        self._steps: dict[ir.Block, list[Step]] = {}
        self._calls: list[str] = []

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
        self._call(
            function, [self._memrefs.argument(a) for a in function.arguments], function.location
        )
        for number in kept:
            self._uses.check_intact(number, function)
        self._uses.operations.check_ended(function)

    def run_block(self, block: ir.Block) -> None:
        """Run the ops of a block; what runs an op is decided once, though loops run it again."""
        steps = self._steps.get(block)
        if steps is None:
            is_needed = block in self._computing
            ops = block.operations if is_needed else ops_but_computations(block)
            steps = self._steps[block] = list(self._steps_of(ops))
        for step in steps:
            step()

    def _steps_of(self, ops: Iterable[ir.OpView]) -> Iterator[Step]:
        """Yield what runs the ops; of a series of loads, only the first one from each memref.

        An unrolled kernel has hundreds of them. A load breaks no buffer, and the next one from the
        same memref finds what the first one found.
        """
        loaded: set[tuple[type, ir.Value]] = set()
        for op in ops:
            if isinstance(op, LOADS) and self._is_only_checked(op):
                likeness = type(op), memory_of(op)
                if likeness in loaded:
                    continue
                loaded.add(likeness)
            else:
                loaded.clear()
            step = self.step_of(op)
            if step is not None:
                yield step

    def _is_only_checked(self, op: Load) -> bool:
        """Return whether neither the element that a load reads nor its own device matters."""
        is_known = op.operation.results[0] in self._needed
        return not (self._uses.sees_elements or is_known or ON in op.operation.attributes)

    def step_of(self, op: ir.OpView) -> Step | None:
        """Return what runs an op, or None for an op that does nothing by itself."""
        if isinstance(op, (scf.YieldOp, scf.ConditionOp, func.ReturnOp)):
            return None
        if isinstance(op, ElementAccess):
            return self._element_access(op)
        of_memref = MEMREF_RULES.get(type(op))
        if of_memref is not None:
            return partial(of_memref, self._memrefs, op)
        rule = _RULES.get(type(op))
        if rule is None or self._is_declared(op) or _chooses_number(op):
            return self._view_or_use(op)
        return partial(rule, self, op)

    def _element_access(self, op: ElementAccess) -> Step:
        """Return what runs a load or a store of elements."""
        uses = self._uses
        check = uses.check_element if uses.sees_elements else uses.check_alike
        element = uses.element_of(op)
        is_number = isinstance(op, memref.LoadOp) and is_integer(op.result.type)
        if is_number and op.result in self._needed:
            return partial(self._load, op, element)
        return partial(check, element)

    def _is_declared(self, op: ir.OpView) -> bool:
        """Return whether the op calls a function without a body."""
        is_call = isinstance(op, func.CallOp)
        return is_call and not len(self.functions[op.callee.value].body.blocks)

    def _view_or_use(self, op: ir.OpView) -> Step | None:
        compute = self._run.step_of(op) if any(r in self._needed for r in op.results) else None
        if is_without_memory(op):
            return compute
        if is_known_view(op):
            return partial(self._memrefs.view, op, op.operands[0], op.results[0])
        view = view_ends_of(op)
        if view is not None:
            return partial(
                self._memrefs.view, op, op.operands[view.source], op.results[view.result]
            )
        return partial(self._use, op, compute)

    def _use(self, op: ir.OpView, compute: Step | None) -> None:
        self._uses.check(op)
        if compute is not None:
            compute()

    def _load(self, op: memref.LoadOp, element: CheckedElement) -> None:
        """Run a load of a number that matters; an entry of a constant table is known."""
        self._uses.check_element(element)
        indices = [self._run.of(index).constant for index in op.indices]
        entry = None if None in indices else self._tables.entry(op.memref, indices)
        if entry is not None:
            self._run.known[op.result] = constant(entry)
        else:
            self._run.forget(op.result, is_data=POSITION not in op.operation.attributes)

    def start(self, op: StartOp | LaunchOp) -> None:
        """Start an operation of a device."""
        self._uses.start(op, self._instances.take())

    def wait(self, op: WaitOp) -> None:
        """Wait for operations."""
        self._uses.operations.wait(op)

    def call(self, op: func.CallOp) -> None:
        """Run a call of a function with a body."""
        callee = self.functions[op.callee.value]
        if self._placing.shows_rows:
            self._tables.call(op.operands, callee.arguments)
        found = self._call(callee, self.values_of(op.operands), op.location, row_buffers_of(op))
        self.bind(op.results, found)

    def select(self, op: arith.SelectOp) -> None:
        """Join what both operands refer to."""
        chosen = (op.true_value, op.false_value)
        self._join([self._state(self.values_of([value])) for value in chosen], op.results)

    def distinct(self, op: memref.DistinctObjectsOp) -> None:
        """Pass memrefs on."""
        self.bind(op.results, self.values_of(op.operands))

    def _call(
        self,
        callee: func.FuncOp,
        arguments: Sequence[AbstractValue],
        where: ir.Location,
        row_buffers: Sequence[str] = (),
    ) -> list[AbstractValue]:
        name = callee.sym_name.value
        if name in self._calls:
            raise RefusedError(where, f"the plan cannot be checked, since @{name} calls itself")
        self._calls.append(name)
        self._memrefs.begin_call(row_buffers)
        self.bind(callee.arguments, arguments)
        block = only_block(callee.body, where)
        self.run_block(block)
        self._memrefs.end_call()
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
        if not self._has_starts:
            return False
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
        youngest = self._instances.take(len(carried))
        tickets = [
            youngest + index if isinstance(value.type, TokenType) else None
            for index, value in enumerate(carried)
        ]

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
        state = join(states, self._numbers, self._instances.next)
        self._instances.take(len(state.values))
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
    LaunchOp: _Execution.start,
    StartOp: _Execution.start,
    WaitOp: _Execution.wait,
    arith.SelectOp: _Execution.select,
    func.CallOp: _Execution.call,
    memref.DistinctObjectsOp: _Execution.distinct,
    scf.ExecuteRegionOp: _Execution.branch,
    scf.ForOp: _Execution.for_,
    scf.IfOp: _Execution.branch,
    scf.IndexSwitchOp: _Execution.branch,
    scf.WhileOp: _Execution.while_,
}


def _blocks_of_computed(needed: Iterable[ir.Value]) -> set[ir.Block]:
    """Return the blocks of the ops that make these values, without those that make memrefs."""
    makers: Iterable[Any] = (
        value.owner
        for value in needed
        if isinstance(value, ir.OpResult) and not isinstance(value.type, ir.MemRefType)
    )
    return {maker.operation.block for maker in makers}


def _chooses_number(op: ir.OpView) -> bool:
    return isinstance(op, arith.SelectOp) and is_integer(op.result.type)


def _is_private(function: func.FuncOp) -> bool:
    visibility = function.sym_visibility
    return visibility is not None and visibility.value == "private"
