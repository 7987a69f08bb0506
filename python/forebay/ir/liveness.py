"""When every buffer lives, seen through views, calls, loops and branches: docs/liveness.md."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mlir import ir
from mlir.dialects.builtin import ModuleOp

from forebay.ir.refused import RefusedError
from forebay.ir.roots import Root, entry_functions, functions_in
from forebay.ir.rules import RULES, leaf
from forebay.ir.walk import Roots, Walk
from forebay.planning import Interval, Kind


@dataclass(frozen=True)
class Liveness:
    """The buffers of a module, in a fixed order, and when each lives.

    `lifetimes[i]` belongs to `roots[i]` and counts ticks of `steps`, the ops that touch buffers;
    `aliases` maps every memref that is reached to the roots that it may be a view of.
    """

    roots: tuple[Root, ...]
    lifetimes: tuple[tuple[Interval, ...], ...]
    steps: tuple[ir.Location, ...]
    aliases: Mapping[ir.Value, Roots]


def liveness_of(module: ModuleOp) -> Liveness:
    """Walk the entry functions one after another on one clock.

    Raises `RefusedError` at an op that could keep a buffer in use without anybody seeing it.
    """
    walk = Walk(module, RULES, leaf)
    entries = entry_functions(module)
    for entry in entries:
        walk.table.add_arguments(entry)
    spans = {entry.sym_name.value: walk.enter(entry) for entry in entries}
    _refuse_uncalled(module, walk.reached)
    roots = tuple(walk.table.roots)
    lifetimes = tuple(
        _outside(root, walk.clock.lifetime(number), spans, walk.clock.now)
        for number, root in enumerate(roots)
    )
    return Liveness(roots, lifetimes, tuple(walk.clock.steps), walk.aliases)


def _outside(
    root: Root, inside: tuple[Interval, ...], spans: Mapping[str, Interval], end: int
) -> tuple[Interval, ...]:
    """Add when the caller holds the buffer to when the program does.

    The caller fills an input before its entry function starts and reads an output after it ended,
    and it may run any other entry function in between::

        entry       first [0, 4)       this one [4, 9)       last [9, 12)
        input       |==================|====last touch)      |==========)
        output      |==========)          |first touch=======|==========)
    """
    if root.kind not in {Kind.INPUT, Kind.OUTPUT}:
        return inside
    start, stop = spans[root.arguments[0].function.sym_name.value]
    if root.kind is Kind.INPUT:
        held = [Interval(0, inside[-1].end), Interval(stop, end)]
    else:
        held = [Interval(0, start), Interval(inside[0].start, max(end, inside[0].end))]
    return tuple(interval for interval in held if interval.start < interval.end)


def _refuse_uncalled(module: ModuleOp, reached: set[str]) -> None:
    for function in functions_in(module):
        name = function.sym_name.value
        if not function.is_external and name not in reached:
            raise RefusedError(
                function.location,
                f"@{name} is private and nothing calls it, so its buffers have no lifetime; "
                "run symbol-dce first",
            )
