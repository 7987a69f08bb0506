"""Lifetimes of all buffers, through views, calls, loops and branches: docs/liveness.md."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from mlir import ir
from mlir.dialects.builtin import ModuleOp
from msgspec import Struct

from forebay.ir.liveness.accessed_rows import row_count
from forebay.ir.liveness.rules import RULES, by_interfaces
from forebay.ir.liveness.schedule_step import BufferSet, ScheduleStep
from forebay.ir.liveness.walk import ProgramWalk
from forebay.ir.memory.underlying_buffers import UnderlyingBuffer, entry_functions, functions_in
from forebay.ir.refused import RefusedError
from forebay.ir.rows.layout import is_rows
from forebay.planning import Interval, Kind, Lifetime


class Liveness(Struct, frozen=True):
    """The buffers of a module, in a fixed order, and their lifetimes.

    `lifetimes[i]` belongs to `buffers[i]`. It counts ticks of `program`, the ops that access
    buffers, in order; an op that runs in several contexts is listed once for each. `row_lifetimes`
    has the lifetimes of the rows of a buffer by its number, for memrefs of rows and for those that
    loops access row by row. `conflicts` are pairs of buffers that must not share bytes although
    their lifetimes are disjoint. `beside` are pairs of buffers that operations in different queues
    may use at the same time. `aliases` maps every walked memref to the buffers that it may be a
    view of. `entries` are the ticks of each entry function by its name.
    """

    buffers: tuple[UnderlyingBuffer, ...]
    lifetimes: tuple[Lifetime, ...]
    row_lifetimes: Mapping[int, tuple[Lifetime, ...]]
    conflicts: tuple[tuple[int, int], ...]
    beside: tuple[tuple[int, int], ...]
    program: tuple[ScheduleStep, ...]
    aliases: Mapping[ir.Value, BufferSet]
    entries: Mapping[str, Interval]

    @property
    def ops(self) -> tuple[ir.OpView, ...]:
        """Return the op of each tick."""
        return tuple(step.op for step in self.program)

    @property
    def steps(self) -> tuple[ir.Location, ...]:
        """Return the location of each of `ops`."""
        return tuple(op.location for op in self.ops)


def liveness_of(module: ModuleOp, *, tokens: bool = True) -> Liveness:
    """Return the liveness of a module: walk its entry functions one after another.

    Without `tokens`, a started operation uses its buffers only where it starts. That is incorrect.

    Raises `RefusedError` at an op that could keep a buffer in use in a way that the walk cannot
    follow.
    """
    walk = ProgramWalk(module, RULES, by_interfaces, tokens=tokens)
    entries = entry_functions(module)
    for entry in entries:
        walk.table.add_arguments(entry)
    spans = {entry.sym_name.value: walk.enter(entry) for entry in entries}
    _refuse_uncalled(module, walk.walked)
    walk.add_unread_globals()
    buffers = tuple(walk.table.buffers)
    lifetimes = tuple(
        _outside(buffer, walk.clock.lifetime(number), spans)
        for number, buffer in enumerate(buffers)
    )
    rows = {
        number: tuple(
            _outside(buffer, row, spans)
            for row in walk.clock.row_lifetimes(number, row_count(buffer.type))
        )
        for number, buffer in enumerate(buffers)
        if is_rows(buffer.type) or walk.clock.has_rows(number)
    }
    conflicts = tuple(_held_by_caller(buffers, lifetimes, spans))
    steps = tuple(walk.clock.steps)
    beside = tuple(sorted(walk.beside))
    return Liveness(buffers, lifetimes, rows, conflicts, beside, steps, walk.aliases, spans)


def _outside(buffer: UnderlyingBuffer, inside: Lifetime, spans: Mapping[str, Interval]) -> Lifetime:
    """Return the lifetime of a port, extended by the time in which the caller uses it.

    The caller fills an input before its entry function starts, and reads an output after it ended::

        entry       first [0, 4)       this one [4, 9)       last [9, 12)
        input                          |===last access)
        output                            |first access======|
    """
    if not _is_port(buffer):
        return inside
    start, end = spans[_entry_of(buffer)]
    if buffer.kind is Kind.INPUT:
        return (Interval(start, inside[-1].end),)
    return (Interval(inside[0].start, max(end, inside[0].end)),)


def _held_by_caller(
    buffers: Sequence[UnderlyingBuffer],
    lifetimes: Sequence[Lifetime],
    spans: Mapping[str, Interval],
) -> Iterator[tuple[int, int]]:
    """Yield conflicts of each port with all buffers that other entry functions use.

    The caller may run other entry functions while the port is in use. For example, it may run
    `@reset` between filling an input and running its entry function.
    """
    for port, buffer in enumerate(buffers):
        if not _is_port(buffer):
            continue
        others = [span for name, span in spans.items() if name != _entry_of(buffer)]
        for number, other in enumerate(buffers):
            if _is_port(other):
                elsewhere = _entry_of(other) != _entry_of(buffer)
            else:
                elsewhere = any(life.overlaps(o) for life in lifetimes[number] for o in others)
            if number != port and elsewhere and other.kind not in {Kind.CONSTANT, Kind.STATE}:
                yield (port, number)


def _is_port(buffer: UnderlyingBuffer) -> bool:
    return buffer.kind in {Kind.INPUT, Kind.OUTPUT}


def _entry_of(buffer: UnderlyingBuffer) -> str:
    """Return the name of the entry function whose argument a port is."""
    return buffer.arguments[0].function.sym_name.value


def _refuse_uncalled(module: ModuleOp, reached: set[str]) -> None:
    for function in functions_in(module):
        name = function.sym_name.value
        if not function.is_external and name not in reached:
            raise RefusedError(
                function.location,
                f"@{name} is private and nothing calls it, so its buffers have no lifetime; "
                "run symbol-dce first",
            )
