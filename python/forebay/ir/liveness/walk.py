"""The walk over a program in execution order; it records which op accesses which buffers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from mlir import ir
from mlir.dialects import func, memref
from mlir.dialects.builtin import ModuleOp

from forebay.dialects.memref_pool import AllocOp
from forebay.ir.liveness import outstanding
from forebay.ir.liveness.clock import LifetimeClock, Loop
from forebay.ir.liveness.outstanding import OutstandingOperations
from forebay.ir.liveness.schedule_step import (
    NO_BUFFERS,
    BufferSet,
    OperandBuffers,
    ScheduleStep,
)
from forebay.ir.machine.pools import candidates_of, pools_in
from forebay.ir.memory.underlying_buffers import UnderlyingBuffers, functions_in
from forebay.ir.nested import ops_but_computations
from forebay.ir.refused import RefusedError
from forebay.planning import Interval

BufferSetOrNone = BufferSet | None
"""The buffers of a memref, or of a token's operation; None for values that are neither."""

WalkRule = Callable[["ProgramWalk", ir.OpView], None]
"""The handler for one class of op."""

_MEMREFS = (ir.MemRefType, ir.UnrankedMemRefType)

_ROUNDS = 6
"""Iterations that are distinguished by their outstanding operations; later ones are joined."""


class ProgramWalk:
    """The state of the walk: the clock, and the buffers of every memref in the current context."""

    def __init__(
        self,
        module: ModuleOp,
        rules: Mapping[type, WalkRule],
        otherwise: WalkRule,
        *,
        tokens: bool = True,
    ) -> None:
        self.clock: LifetimeClock[ScheduleStep] = LifetimeClock()
        self.table = UnderlyingBuffers(pools_in(module.operation))
        self.aliases: dict[ir.Value, BufferSet] = {}
        self.functions = {f.sym_name.value: f for f in functions_in(module)}
        self.walked: set[str] = set()
        self.tokens = tokens
        self.outstanding: OutstandingOperations = {}
        self.beside: set[tuple[int, int]] = set()
        """Started operations that may not have been waited for on some path to this point."""
        self._rules = rules
        self._otherwise = otherwise
        self._callers: list[str] = []
        self._buffers: dict[ir.Value, BufferSet] = {}
        self._numbers: dict[ir.Value | str, int] = {}
        self._globals = {
            op.sym_name.value: op
            for op in module.body.operations
            if isinstance(op, memref.GlobalOp)
        }

    def enter(self, function: func.FuncOp) -> Interval:
        """Walk an entry function and return the interval of its ticks."""
        start = self.clock.now
        buffer_sets: list[BufferSetOrNone] = [
            NO_BUFFERS if is_memref(a) else None for a in function.arguments
        ]
        for number, root in enumerate(self.table.buffers):
            for argument in root.arguments:
                if argument.function == function:
                    buffer_sets[argument.index] = frozenset((number,))
                    self.clock.allocated(number)
        self.outstanding = {}
        self.call(function, buffer_sets, function.location)
        self._refuse_outstanding()
        return Interval(start, self.clock.now)

    def block(self, block: ir.Block) -> None:
        """Walk the ops of a block in order."""
        for op in ops_but_computations(block):
            self._rules.get(type(op), self._otherwise)(self, op)

    def body(self, region: ir.Region) -> ir.Block:
        """Return the only block of a region.

        Raises `RefusedError` for a region of several blocks.
        """
        if len(region.blocks) != 1:
            raise RefusedError(
                region.owner.location,
                "has control flow between blocks, in which lifetimes cannot be seen; "
                "use scf.for, scf.while and scf.if",
            )
        return region.blocks[0]

    def buffers_of(self, values: Iterable[ir.Value]) -> list[BufferSetOrNone]:
        """Return the buffers of each value."""
        return [self._buffers.get(value) for value in values]

    def is_bound(self, value: ir.Value) -> bool:
        """Return whether the buffers of a value are known."""
        return value in self._buffers

    def all_buffers_of(self, values: Iterable[ir.Value]) -> BufferSet:
        """Return the buffers of all values together."""
        return NO_BUFFERS.union(
            *(buffer_sets for buffer_sets in self.buffers_of(values) if buffer_sets)
        )

    def tick(self, op: ir.OpView, values: Iterable[ir.Value]) -> BufferSet:
        """Give the op a program point at which it accesses these values; return their buffers."""
        used = dict.fromkeys(values)
        pairs = zip(used, self.buffers_of(used), strict=True)
        operands = tuple(OperandBuffers(op, v, found) for v, found in pairs if found is not None)
        accessed = NO_BUFFERS.union(*(operand.buffers for operand in operands))
        self.clock.tick(ScheduleStep(op, operands), accessed)
        return accessed

    def bind(self, values: Iterable[ir.Value], buffer_sets: Iterable[BufferSetOrNone]) -> None:
        """Set the buffers of each value from this point on."""
        for value, buffers in zip(values, buffer_sets, strict=True):
            if buffers is not None:
                self._buffers[value] = buffers
                if is_memref(value):
                    self.aliases[value] = self.aliases.get(value, NO_BUFFERS) | buffers

    def alloc(self, op: AllocOp) -> None:
        """Begin a new instance of a buffer."""
        self.clock.allocated(self.declare(op))

    def declare(self, op: AllocOp) -> int:
        """Return the number of the buffer that the op allocates, and bind its result."""
        value = op.memref
        if value not in self._numbers:
            self._numbers[value] = self.table.add_alloc(op)
        self._refuse_used(self._numbers[value], op)
        self.bind([value], [frozenset((self._numbers[value],))])
        return self._numbers[value]

    def get_global(self, op: memref.GetGlobalOp) -> None:
        """Bind a constant or a state variable, which is live from the beginning."""
        if not candidates_of(op.result.type):
            self.bind([op.result], [NO_BUFFERS])
            return
        number = self._number_of_global(op.name.value)
        self.bind([op.result], [frozenset((number,))])

    def add_unread_globals(self) -> None:
        """Add globals that no op reads: only symbol-dce may decide that they are not needed."""
        for name, op in self._globals.items():
            if candidates_of(op.type_.value):
                self._number_of_global(name)

    def _number_of_global(self, name: str) -> int:
        if name not in self._numbers:
            self._numbers[name] = self.table.add_global(self._globals[name])
            self.clock.allocated(self._numbers[name])
        return self._numbers[name]

    def call(
        self, callee: func.FuncOp, buffer_sets: Sequence[BufferSetOrNone], where: ir.Location
    ) -> None:
        """Walk a function in the context of one call."""
        name = callee.sym_name.value
        if name in self._callers:
            raise RefusedError(
                where,
                f"@{name} calls itself, so each of its buffers would be alive several times at one "
                "address; write the recursion as a loop",
                [(callee.location, "the function")],
            )
        self.walked.add(name)
        self._callers.append(name)
        self.bind(callee.arguments, buffer_sets)
        self.block(self.body(callee.body))
        self._callers.pop()

    def branch(self, region: ir.Region) -> list[BufferSetOrNone]:
        """Walk a region that runs at most once; return the buffers of its terminator's operands."""
        block = self.body(region)
        self.block(block)
        return self.buffers_of(terminator(block).operands)

    def rename_tokens(self, old: Sequence[ir.Value], new: Sequence[ir.Value]) -> None:
        """Record that tokens are passed on as other values."""
        self.outstanding = outstanding.with_token_names(self.outstanding, old, new)

    def repeat(
        self,
        carried: Sequence[ir.Value],
        initial: Sequence[ir.Value],
        once: Callable[[], ir.OpView],
    ) -> list[OutstandingOperations]:
        """Walk a loop until a fixed point; return the outstanding operations before each iteration.

        The walk stops when an iteration begins in the same state as an earlier one. `once` walks
        one iteration and returns the op whose operands are passed to the next iteration.
        """
        with self.clock.loop() as loop:
            current = self.buffers_of(initial)
            heads = [outstanding.with_token_names(self.outstanding, initial, carried)]
            while True:
                self.bind(carried, current)
                self.outstanding = heads[-1]
                last = once()
                handed = self.buffers_of(last.operands)
                self._refuse_two_instances(loop, last, handed)
                following = union(current, handed)
                head = outstanding.with_token_names(self.outstanding, list(last.operands), carried)
                if len(heads) > _ROUNDS:
                    head = outstanding.join_outstanding([heads[-1], head])
                is_known = following == current and head in heads
                heads.append(head)
                if is_known:
                    return heads
                current = following
                self.clock.rewind(loop)

    def _refuse_outstanding(self) -> None:
        for op, _ in self.outstanding:
            is_used = any(True for _ in op.token.uses)
            raise RefusedError(
                op.location,
                f"{'on some path ' if is_used else ''}the program does not wait for the token "
                f"of this '{op.operation.name}', so its buffers would be in use for good; "
                f"{'wait for it on every path' if is_used else 'add an accel.wait'}",
            )

    def _refuse_used(self, number: int, alloc: AllocOp) -> None:
        for (op, _), known in self.outstanding.items():
            if number in known.buffers:
                raise RefusedError(
                    op.location,
                    f"this '{op.operation.name}' may not have ended where its buffer is allocated "
                    "again, so two would be alive at one address; wait for it before",
                    [(alloc.location, "the buffer")],
                )

    def _refuse_two_instances(
        self, loop: Loop, last: ir.OpView, handed: Sequence[BufferSetOrNone]
    ) -> None:
        for index, buffers in enumerate(handed):
            for number in sorted(buffers or ()):
                if self.clock.was_allocated_in(number, loop):
                    raise RefusedError(
                        last.location,
                        f"operand {index} hands a buffer to the next iteration that every "
                        "iteration allocates, so two would be alive at one address; "
                        "allocate it before the loop, or two of them and swap them",
                        [(self.table.buffers[number].location, "the buffer")],
                    )


def is_memref(value: ir.Value) -> bool:
    """Return whether the value is a memref."""
    return isinstance(value.type, _MEMREFS)


def terminator(block: ir.Block) -> ir.OpView:
    """Return the last op of a block."""
    return block.operations[len(block.operations) - 1]


def union(
    first: Iterable[BufferSetOrNone], second: Iterable[BufferSetOrNone]
) -> list[BufferSetOrNone]:
    """Return the join of two lists of buffers: the union for each value, or None."""
    return [None if a is None or b is None else a | b for a, b in zip(first, second, strict=True)]
