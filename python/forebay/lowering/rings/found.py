"""Windows that need no move: their variables are rings, and only the weights are read elsewhere.

A window that is the new state has the rows of the old state from `new` on, and behind them the new
ones::

    window  | row 1  row 2  row 3  new |        ring  | row 0  row 1  row 2  row 3 |
                                                              ^ position: new replaces row 1

The new rows replace the oldest ones at the position, and the position moves by `new`. A sum over
all rows, each with weights of its own, may begin anywhere, so the readers read the rows in the
order of the memory. The rows behind the position are the oldest ones, so the weights of row 0 are
`rows - new - position` before those of the first row in memory. The weights are there once more,
except for the last `new` ones, so that no index wraps around::

    sum_j ring[j] * weights[(j - position - new) mod rows]
        = sum_j ring[j] * repeated[rows - new - position + j]
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from mlir import ir
from mlir.dialects import func
from mlir.dialects.builtin import ModuleOp
from msgspec import Struct

from forebay.dialects.accel import ReduceOp
from forebay.ir.identity import identity_of
from forebay.ir.liveness.memory_effects import MemoryEffects
from forebay.ir.memory.underlying_buffers import entry_functions
from forebay.ir.module import function_around
from forebay.ir.state.accesses import AccessesByObject
from forebay.ir.state.buffers import (
    COPY_OPS,
    CopyOp,
    RowRange,
    buffer_behind,
    rows_shown_by,
    users_behind,
    whole_buffer_behind,
)
from forebay.ir.state.windows import EqualWindow
from forebay.lowering.padding.constants import Constants
from forebay.lowering.rings.readers import RingReader, reader_of

RESET = "reset"
"""The name of the entry function that stores the initial values of variables."""


class RingWindow(Struct, frozen=True, eq=False):
    """A window whose variable can be a ring of `rows` along an axis, `new` of which a run replaces.

    `copy` copies the new rows into the window, and `readers` are all that read it. They are in the
    body of `function`, and `reset` stores the initial values.
    """

    function: func.FuncOp
    reset: func.FuncOp
    window: EqualWindow
    axis: int
    rows: int
    new: int
    copy: CopyOp
    readers: tuple[RingReader, ...]

    @property
    def period(self) -> int:
        """Return the number of runs after which the new rows are at the same place again."""
        return self.rows // self.new

    @property
    def shape(self) -> list[int]:
        """Return the shape of the window."""
        return list(ir.MemRefType(self.window.alloc.memref.type).shape)


def common_period(rings: Iterable[RingWindow]) -> int:
    """Return after how many runs all rings are at the position of the first run again."""
    return math.lcm(*(ring.period for ring in rings))


class RingSearch:
    """The windows of a module whose variables can be rings."""

    def __init__(self, module: ModuleOp, effects: MemoryEffects, constants: Constants) -> None:
        self._constants = constants
        functions = entry_functions(module)
        self._resets = [own for own in functions if own.sym_name.value == RESET]
        self._accesses = {
            own.sym_name.value: AccessesByObject(own.entry_block, effects) for own in functions
        }

    def rings_of(self, windows: Iterable[EqualWindow]) -> list[RingWindow]:
        """Return those windows whose variables can be rings, each with its form."""
        return [ring for ring in map(self._ring_of, windows) if ring is not None]

    def _ring_of(self, window: EqualWindow) -> RingWindow | None:
        function, kept = function_around(window.store), _kept_rows(window)
        if function is None or kept is None or kept.count % kept.first:
            return None
        users = [op for op in users_behind(window.alloc.memref) if not _is_of(window, op)]
        ops = (window.load, window.store, window.alloc, *users)
        if any(op.operation.block != function.entry_block for op in ops):
            return None
        if not (self._is_alone(window, function) and self._is_reset(window, function)):
            return None
        copies = _copies_of_new_rows(window, kept, users)
        readers = self._readers(window, kept.axis, users)
        if len(copies) != 1 or not readers or len(readers) + 1 != len(users):
            return None
        body = [identity_of(op) for op in function.entry_block.operations]
        in_order = [body.index(identity_of(op)) for op in (window.load, copies[0])]
        if not in_order[0] < in_order[1] < min(body.index(identity_of(r.kernel)) for r in readers):
            return None
        [reset], rows = self._resets, kept.first + kept.count
        return RingWindow(function, reset, window, kept.axis, rows, kept.first, copies[0], readers)

    def _readers(
        self, window: EqualWindow, axis: int, users: Sequence[ir.OpView]
    ) -> tuple[RingReader, ...]:
        """Return those users that add up all rows of a window, with weights that can be longer."""
        whole = window.alloc.memref
        found = [
            reader_of(op, whole, axis)
            for op in users
            if isinstance(op, ReduceOp) and op.output != whole
        ]
        return tuple(
            own
            for own in found
            if own is not None and self._constants.can_grow(own.kernel.inputs[own.weights])
        )

    def _is_alone(self, window: EqualWindow, function: func.FuncOp) -> bool:
        """Return whether nothing else uses the variable in the function of a window."""
        used = self._accesses[function.sym_name.value].of(f"@{window.variable}")
        return {own.effect.op for own in used} == {window.load, window.store}

    def _is_reset(self, window: EqualWindow, function: func.FuncOp) -> bool:
        """Return whether only `@reset` uses the variable, too, and first stores values in all."""
        name = f"@{window.variable}"
        others = {own for own in self._accesses if own != function.sym_name.value}
        if any(not self._accesses[own].is_complete for own in others):
            return False
        used = {own: self._accesses[own].of(name) for own in others}
        first = next((own.effect for own in used.get(RESET, ())), None)
        if first is None or any(used[own] for own in others - {RESET}):
            return False
        shape = ir.MemRefType(buffer_behind(window.store.target).type).shape
        whole = tuple((0, size) for size in shape)
        is_whole = first.region is not None and first.region.is_exact and first.region.box == whole
        return is_whole and first.writes and not first.reads


def _is_of(window: EqualWindow, op: ir.OpView) -> bool:
    """Return whether an op copies the old rows into a window, or the window into the variable."""
    return op in (window.load, window.store)


def _copies_of_new_rows(
    window: EqualWindow, kept: RowRange, users: Sequence[ir.OpView]
) -> list[CopyOp]:
    """Return the users that copy other memory into all rows behind the kept ones."""
    whole = window.alloc.memref
    new = RowRange(whole, kept.axis, kept.count, kept.first)
    return [
        op
        for op in users
        if isinstance(op, COPY_OPS)
        and rows_shown_by(op.operands[1]) == new
        and buffer_behind(op.operands[0]) != whole
    ]


def _kept_rows(window: EqualWindow) -> RowRange | None:
    """Return the rows of the old state that are the first ones of the window, or None."""
    source, target = (rows_shown_by(value) for value in window.load.operands)
    if source is None or target is None or target.of != window.alloc.memref:
        return None
    shape = list(ir.MemRefType(source.of.type).shape)
    is_whole = whole_buffer_behind(source.of) is not None
    is_same = shape == list(ir.MemRefType(target.of.type).shape) and source.axis == target.axis
    is_end = source.first + source.count == shape[source.axis]
    begins = target.first == 0 and target.count == source.count
    return source if is_whole and is_same and is_end and begins else None
