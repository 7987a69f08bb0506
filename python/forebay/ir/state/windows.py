"""State that the network shifts: a window of old rows and new ones, of which the last are kept.

Two forms occur. In the first, the state is a part of the window::

    window = concat(state, new rows)     state <- window without its oldest rows

Then the variable can have all rows of the window. The new rows are written behind the kept ones,
the readers read the variable, and behind the last of them the kept rows move to the front. In the
second form, the state is the window::

    window = concat(state without its oldest rows, new rows)     state <- window

Then the variable is the window, whose rows move to the front before the new ones are written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from mlir import ir
from mlir.dialects import func, memref
from msgspec import Struct
from msgspec.structs import replace

from forebay.dialects import memref_pool
from forebay.ir.liveness.memory_effects import MemoryEffects
from forebay.ir.machine.devices import host_of
from forebay.ir.machine.pools import candidates_of, pools_in
from forebay.ir.memory.access_constraints import (
    access_constraints_of,
    needs_transfer,
    pools_allowed,
)
from forebay.ir.nested import defining_op, ops_of
from forebay.ir.state.accesses import AccessesByObject, PositionedEffect
from forebay.ir.state.buffers import (
    COPY_OPS,
    CopyOp,
    RowRange,
    buffer_behind,
    has_identity_layout,
    is_static,
    is_used_by_kernels,
    rows_shown_by,
    users_behind,
    variable_behind,
    views_of,
    whole_buffer_behind,
)
from forebay.pools import Pool, PoolKind


class NewRows(Struct, frozen=True):
    """New rows that the op `copy` copies into a window from the allocation `alloc`.

    The users of the allocation can as well use the rows of the window from `first` on.
    """

    copy: CopyOp
    alloc: memref_pool.AllocOp
    first: int


class LargerWindow(Struct, frozen=True):
    """A window with the state in its rows `[first, first + rows)` along `axis`.

    `load` copies the state into the window, and `store` stores the rows `[kept, kept + rows)` as
    the new state.
    """

    variable: str
    load: CopyOp
    store: memref_pool.CopyOp
    alloc: memref_pool.AllocOp
    axis: int
    first: int
    kept: int
    rows: int
    pieces: tuple[NewRows, ...]


class EqualWindow(Struct, frozen=True):
    """A window that is the new state.

    `load` copies elements of the state into the window: those from `source` on to the places from
    `target` on, with `span` elements from the first to the last.
    """

    variable: str
    load: CopyOp
    store: memref_pool.CopyOp
    alloc: memref_pool.AllocOp
    source: int
    target: int
    span: int


AnyWindow = LargerWindow | EqualWindow


class WindowSearch:
    """The windows of a module's entry functions."""

    def __init__(self, module: ir.Operation, effects: MemoryEffects) -> None:
        self._effects = effects
        self._host, self._pools = host_of(module), pools_in(module)
        self._loads = ops_of(module, memref.GetGlobalOp)
        self.variables = {
            op.sym_name.value: op
            for op in module.regions[0].blocks[0].operations
            if isinstance(op, memref.GlobalOp) and _is_state(op, self._pools)
        }

    def in_function(self, function: func.FuncOp) -> list[AnyWindow]:
        """Return the windows in the body of a function: one per variable, with different pieces."""
        accesses = AccessesByObject(function.entry_block, self._effects)
        if not accesses.is_complete:
            return []
        found: list[AnyWindow] = []
        for store in accesses.body:
            if isinstance(store, memref_pool.CopyOp):
                taken = [window.alloc.memref for window in found]
                ways = self._windows_of(store, accesses)
                found += next(([w] for w in ways if w.alloc.memref not in taken), [])
        return _with_own_pieces(found)

    def _windows_of(
        self, store: memref_pool.CopyOp, accesses: AccessesByObject
    ) -> Iterator[AnyWindow]:
        name = variable_behind(store.target) or ""
        if name not in self.variables or whole_buffer_behind(store.target) is None:
            return
        used = [a for a in accesses.of(f"@{name}") if a.effect.op != store]
        at = accesses.position(store)
        if any(a.effect.writes or a.position > at for a in used):
            return
        for load in (accesses.body[a.position] for a in used):
            if isinstance(load, COPY_OPS):
                window = self._equal_window(name, load, store, accesses)
                window = window or self._larger_window(name, load, store, accesses)
                if window is not None:
                    yield window

    def _larger_window(
        self, name: str, load: CopyOp, store: memref_pool.CopyOp, accesses: AccessesByObject
    ) -> LargerWindow | None:
        """Return the window of which the whole state, and then the new one, is a part."""
        into = rows_shown_by(load.operands[1])
        alloc = None if into is None else _allocation_behind(into.of)
        if into is None or alloc is None or into.of != alloc.memref:
            return None
        state, block = load.operands[0], accesses.body[0].operation.block
        is_whole = isinstance(defining_op(state), memref.GetGlobalOp) and self._can_grow(name)
        if not is_whole or alloc.operation.block != block or not self._can_be(alloc, name):
            return None
        copies = [
            (op, rows)
            for op in accesses.body
            if isinstance(op, COPY_OPS)
            for rows in [rows_shown_by(op.operands[1])]
            if rows is not None and rows.of == alloc.memref and rows.axis == into.axis
        ]
        kept = _first_kept(store, alloc, into.axis, copies, accesses)
        writes = [a for a in accesses.of(alloc.memref) if a.effect.writes]
        if kept is None or kept <= into.first or not _is_alone(load, writes, accesses):
            return None
        if any(a.position > accesses.position(store) for a in writes):
            return None
        pieces = tuple(
            NewRows(copy, piece, rows.first)
            for copy, rows in copies
            for piece in [_allocation_behind(copy.operands[0])]
            if piece is not None
            and self._can_be(piece, name)
            and _is_run(rows.of, rows.axis)
            and rows.first > 0
            and _is_alone(copy, writes, accesses)
            and not accesses.is_changed_behind(accesses.position(copy), accesses.position(copy))
        )
        return LargerWindow(
            name, load, store, alloc, into.axis, into.first, kept, into.count, pieces
        )

    def _equal_window(
        self, name: str, load: CopyOp, store: memref_pool.CopyOp, accesses: AccessesByObject
    ) -> EqualWindow | None:
        """Return the window that is stored as a whole, and begins as a part of the state."""
        alloc = _allocation_behind(store.source)
        if alloc is None or buffer_behind(load.operands[1]) != alloc.memref:
            return None
        own, into = (ir.MemRefType(value.type) for value in load.operands)
        if not (is_static(own) and is_static(into) and self._can_be(alloc, name)):
            return None
        (strides, target), (others, source) = (t.get_strides_and_offset() for t in (into, own))
        moved = [n for n, size in enumerate(into.shape) if size != 1]
        if source < target or any(strides[n] != others[n] for n in moved):
            return None
        begin, end = accesses.position(load), accesses.position(store)
        is_used_before = any(a.position < begin for a in accesses.of(alloc.memref))
        is_read_behind = any(begin < a.position < end for a in accesses.of(f"@{name}"))
        if is_used_before or is_read_behind or accesses.is_changed_behind(end, end):
            return None
        span = 1 + sum((into.shape[n] - 1) * strides[n] for n in moved)
        return EqualWindow(name, load, store, alloc, source, target, span)

    def _can_grow(self, variable: str) -> bool:
        """Return whether all users of a variable can use a part of a larger one."""
        return all(
            is_used_by_kernels(load.result) and not list(views_of(load.result))
            for load in self._loads
            if load.name.value == variable
        )

    def _can_be(self, alloc: memref_pool.AllocOp, variable: str) -> bool:
        """Return whether an allocation can be in the pools of a variable, for all of its users."""
        if alloc.alignment is not None or not is_used_by_kernels(alloc.memref):
            return False
        wanted = candidates_of(ir.TypeAttr(self.variables[variable].type_).value)
        values = [alloc.memref, *views_of(alloc.memref)]
        return all(
            not needs_transfer(constraint, self._pools)
            and set(wanted) <= set(pools_allowed(constraint, self._pools))
            for user in users_behind(alloc.memref)
            for constraint in access_constraints_of(user, self._host)
            if constraint.value in values
        )


def _is_state(op: memref.GlobalOp, pools: Mapping[str, Pool]) -> bool:
    type_ = ir.TypeAttr(op.type_).value
    names = candidates_of(type_)
    return (
        bool(names)
        and all(pools[name].kind is PoolKind.state for name in names)
        and op.initial_value is None
        and has_identity_layout(ir.MemRefType(type_))
    )


def _allocation_behind(value: ir.Value) -> memref_pool.AllocOp | None:
    """Return the allocation that a memref shows all of, unless its place is fixed."""
    buffer = whole_buffer_behind(value)
    op = None if buffer is None else defining_op(buffer)
    if not isinstance(op, memref_pool.AllocOp) or op.pinned is not None:
        return None
    return op if has_identity_layout(ir.MemRefType(op.memref.type)) else None


def _first_kept(
    store: memref_pool.CopyOp,
    alloc: memref_pool.AllocOp,
    axis: int,
    copies: Sequence[tuple[CopyOp, RowRange]],
    accesses: AccessesByObject,
) -> int | None:
    """Return the first row of the window that is stored, also if it is stored from a piece."""
    rows = rows_shown_by(store.source)
    if rows is not None and rows.of == alloc.memref:
        return rows.first if rows.axis == axis else None
    piece, skipped = store.source, 0
    if rows is not None and rows.axis == axis:
        piece, skipped = rows.of, rows.first
    at = accesses.position(store)
    for copy, into in copies:
        first = min(at, accesses.position(copy))
        if copy.operands[0] == piece and not accesses.is_changed_behind(first, at):
            return into.first + skipped
    return None


def _is_alone(copy: CopyOp, writes: Sequence[PositionedEffect], accesses: AccessesByObject) -> bool:
    """Return whether no other op writes what a copy writes."""
    own = accesses.written_at(accesses.position(copy))
    return not any(a.effect.op != copy and a.effect.may_overlap(own) for a in writes)


def _is_run(window: ir.Value, axis: int) -> bool:
    """Return whether rows along an axis lie one behind the other, without others between."""
    return all(size == 1 for size in ir.MemRefType(window.type).shape[:axis])


def _with_own_pieces(found: Sequence[AnyWindow]) -> list[AnyWindow]:
    """Return the windows with only the first piece of an allocation, and none that is a window."""
    taken = [window.alloc.memref for window in found]
    result: list[AnyWindow] = []
    for window in found:
        if not isinstance(window, LargerWindow):
            result.append(window)
            continue
        own: list[NewRows] = []
        for piece in window.pieces:
            if piece.alloc.memref not in taken:
                taken.append(piece.alloc.memref)
                own.append(piece)
        result.append(replace(window, pieces=tuple(own)))
    return result
