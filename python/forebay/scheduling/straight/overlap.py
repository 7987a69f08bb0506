"""The stretches of a module that gain from overlap, and their orders."""

from __future__ import annotations

from dataclasses import dataclass, field

from mlir import ir
from mlir.dialects import func
from mlir.dialects.builtin import ModuleOp
from msgspec import Struct

from forebay.dialects import accel
from forebay.ir.identity import identity_of
from forebay.ir.liveness.memory_effects import MemoryEffects
from forebay.ir.loops import UNOVERLAPPED
from forebay.ir.memory.underlying_buffers import functions_in
from forebay.ir.nested import ops_nested_in
from forebay.ir.problem.problem import extract_problem
from forebay.scheduling.moving import blocks_in, is_started
from forebay.scheduling.queue_users import QueueUsers
from forebay.scheduling.straight.durations import Durations
from forebay.scheduling.straight.items import Commands, Stretch, stretches_of
from forebay.scheduling.straight.list_schedule import scheduled_order
from forebay.scheduling.straight.room import Room
from forebay.scheduling.straight.sequence import sequence_of
from forebay.scheduling.straight.tasks import Order


class OverlappedStretch(Struct, frozen=True):
    """A stretch and the order in which its operations overlap."""

    stretch: Stretch
    order: Order


def overlapped_stretches(module: ModuleOp, in_flight: int, share: float) -> list[OverlappedStretch]:
    """Return the stretches that take fewer cycles if their operations overlap.

    A stretch that takes no fewer cycles gets the reason as an attribute. `share` is the part of the
    free bytes of a pool that longer lifetimes may take.
    """
    finder = _Finder(module, in_flight, share)
    for function in functions_in(module):
        finder.visit(function)
    return finder.found


@dataclass
class _Finder:
    """The analyses of a module that no stretch was rewritten in, and the stretches so far."""

    module: ModuleOp
    in_flight: int
    share: float
    found: list[OverlappedStretch] = field(default_factory=list[OverlappedStretch])

    def __post_init__(self) -> None:
        self._users = QueueUsers(self.module)
        self._effects = MemoryEffects(self.module)
        self._commands = Commands(self.module)
        self._durations = Durations(self.module)
        self._room = Room(extract_problem(self.module, by_rows=False), self.share)
        self._functions = {f.sym_name.value: f for f in functions_in(self.module)}
        self._visited: set[str] = set()
        self._starting: set[int] = set()
        """Ops with an overlapped stretch inside of them."""
        self._starting_functions: set[str] = set()

    def visit(self, function: func.FuncOp) -> None:
        """Find the stretches of a function, after those of the functions that it calls."""
        name = function.sym_name.value
        if name in self._visited or function.is_external:
            return
        self._visited.add(name)
        for op in ops_nested_in(function):
            if isinstance(op, func.CallOp):
                self.visit(self._functions[op.callee.value])
        if not self._users.is_called_in_flight(function):
            for block in reversed(list(blocks_in(function))):
                self._find_in(block)

    def _find_in(self, block: ir.Block) -> None:
        if not any(self._commands.queue_of(op) is not None for op in block.operations):
            return
        for stretch in stretches_of(block, self._effects, self._commands, self._is_barrier):
            sequence = sequence_of(stretch, self._durations, self._room)
            order = scheduled_order(sequence, self.in_flight)
            if order.cycles < order.in_order:
                self.found.append(OverlappedStretch(stretch, order))
                self._mark(block)
            else:
                set_reason(stretch, _reason(order))

    def _is_barrier(self, op: ir.OpView) -> bool:
        """Return whether an op starts operations or waits for some, perhaps inside of it."""
        return (
            isinstance(op, accel.WaitOp)
            or is_started(op)
            or self._users.starts_in(op)
            or identity_of(op) in self._starting
            or any(
                isinstance(inner, func.CallOp) and inner.callee.value in self._starting_functions
                for inner in (op, *ops_nested_in(op))
            )
        )

    def _mark(self, block: ir.Block) -> None:
        """Record that the ops around a block start operations."""
        around = block.owner
        while not isinstance(around.opview, func.FuncOp):
            self._starting.add(identity_of(around))
            parent = around.operation.parent
            assert parent is not None
            around = parent
        self._starting_functions.add(around.opview.sym_name.value)


def set_reason(stretch: Stretch, reason: str) -> None:
    """Record on the first op for a queue why the stretch does not overlap."""
    first = next(item.op for item in stretch.items if item.queue is not None)
    first.operation.attributes[UNOVERLAPPED] = ir.StringAttr.get(reason)


def _reason(order: Order) -> str:
    if order.lacking is not None:
        return f"@{order.lacking} has no room for a buffer before its turn"
    return "each of its operations needs the one before"
