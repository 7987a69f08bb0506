"""The regions of a module that gain from overlap, and their orders."""

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
from forebay.scheduling.straight.items import Commands, SchedulingRegion, scheduling_regions_of
from forebay.scheduling.straight.list_schedule import scheduled_order
from forebay.scheduling.straight.memory_limits import MemoryLimits
from forebay.scheduling.straight.sequence import sequence_of
from forebay.scheduling.straight.tasks import Order


class OverlappedRegion(Struct, frozen=True):
    """A region and the order in which its operations overlap."""

    region: SchedulingRegion
    order: Order


def overlapped_regions(module: ModuleOp, in_flight: int, share: float) -> list[OverlappedRegion]:
    """Return the regions that take fewer cycles if their operations overlap.

    A region that takes no fewer cycles gets the reason as an attribute. `share` is the part of the
    free bytes of a pool that longer lifetimes may take.
    """
    finder = _Finder(module, in_flight, share)
    for function in functions_in(module):
        finder.visit(function)
    return finder.found


@dataclass
class _Finder:
    """The analyses of a module that no region was rewritten in, and the regions so far."""

    module: ModuleOp
    in_flight: int
    share: float
    found: list[OverlappedRegion] = field(default_factory=list[OverlappedRegion])

    def __post_init__(self) -> None:
        self._users = QueueUsers(self.module)
        self._effects = MemoryEffects(self.module)
        self._commands = Commands(self.module)
        self._durations = Durations(self.module)
        self._limits = MemoryLimits(extract_problem(self.module, by_rows=False), self.share)
        self._functions = {f.sym_name.value: f for f in functions_in(self.module)}
        self._visited: set[str] = set()
        self._starting: set[int] = set()
        """Ops with an overlapped region inside of them."""
        self._starting_functions: set[str] = set()

    def visit(self, function: func.FuncOp) -> None:
        """Find the regions of a function, after those of the functions that it calls."""
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
        for region in scheduling_regions_of(block, self._effects, self._commands, self._is_barrier):
            sequence = sequence_of(region, self._durations, self._limits)
            order = scheduled_order(sequence, self.in_flight)
            if order.cycles < order.in_order:
                self.found.append(OverlappedRegion(region, order))
                self._mark(block)
            else:
                set_reason(region, _reason(order))

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


def set_reason(region: SchedulingRegion, reason: str) -> None:
    """Record on the first op for a queue why the region does not overlap."""
    first = next(item.op for item in region.items if item.queue is not None)
    first.operation.attributes[UNOVERLAPPED] = ir.StringAttr.get(reason)


def _reason(order: Order) -> str:
    if order.lacking is not None:
        return f"@{order.lacking} has no room for a buffer before its turn"
    return "each of its operations needs the one before"
