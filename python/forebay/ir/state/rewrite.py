"""A window in the memory of its variable: the views and copies that take the place of both."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod

from mlir import ir
from mlir.dialects import arith, memref

from forebay.dialects import memref_pool
from forebay.ir.identity import identity_of
from forebay.ir.module import function_around
from forebay.ir.nested import defining_op, ops_of, users_of
from forebay.ir.state.buffers import users_behind, views_of
from forebay.ir.state.carried_rows import CarriedRows, set_carried_rows
from forebay.ir.state.windows import CopyOp, EqualWindow, LargerWindow, NewRows
from forebay.ir.views.queries import is_pure_view


def hold_window(window: LargerWindow, variable: memref.GlobalOp, module: ir.Operation) -> None:
    """Give a variable the rows of its window, and move the kept ones behind the last use."""
    held = _in_space(ir.MemRefType(window.alloc.memref.type), _space_of(variable))
    variable.type_ = ir.TypeAttr.get(held)
    set_carried_rows(variable, CarriedRows(window.axis, window.first, window.rows))
    block, where = window.store.operation.block, window.store.location
    old = [op for op in ops_of(module, memref.GetGlobalOp) if op.name.value == window.variable]
    whole = _memory_of(window, held)
    parts = [_rows_of_piece(whole, piece) for piece in window.pieces]
    for piece, part in zip(window.pieces, parts, strict=True):
        _replace(piece.alloc, part)
        _erase(piece.copy)
    _replace(window.alloc, whole)
    _erase(window.load, but=old)
    _erase(window.store, but=old)
    states = [_carried_part(op, window, held) for op in old]
    used = [user for value in (whole, *parts, *states) for user in users_behind(value)]
    with ir.InsertionPoint(_op_behind(block, used)), where:
        kept = _rows(whole, window.axis, window.kept, window.rows)
        memref_pool.CopyOp(None, kept, _rows(whole, window.axis, window.first, window.rows))
    for state in states:
        _erase_unused(state)


def move_in_window(window: EqualWindow, variable: memref.GlobalOp) -> None:
    """Let a variable be its window, and move the elements that stay to the front."""
    whole, flat = _variable_of(window, variable)
    if window.source != window.target:
        with ir.InsertionPoint(window.load), window.load.location:
            source, target = (
                _rows(flat, 0, first, window.span) for first in (window.source, window.target)
            )
            memref_pool.CopyOp(None, source, target)
    _become_window(window, whole, flat)


def stay_in_window(window: EqualWindow, variable: memref.GlobalOp) -> ir.Value:
    """Let a variable be its window, without a move; return it in the shape of the window."""
    whole, flat = _variable_of(window, variable)
    view = _become_window(window, whole, flat)
    _erase_unused(flat)
    return view


def _variable_of(window: EqualWindow, variable: memref.GlobalOp) -> tuple[ir.Value, ir.Value]:
    """Return the memory of a variable, and all elements of it in one dimension."""
    whole = _memory_of(window, ir.MemRefType(ir.TypeAttr(variable.type_).value))
    with ir.InsertionPoint.after(whole.owner), whole.location:
        return whole, _flat(whole)


def _become_window(window: EqualWindow, whole: ir.Value, flat: ir.Value) -> ir.Value:
    """Replace a window by the memory of its variable; return it in the shape of the window."""
    type_, wanted = (ir.MemRefType(value.type) for value in (whole, window.alloc.memref))
    with ir.InsertionPoint.after(flat.owner), whole.location:
        view = whole if list(wanted.shape) == list(type_.shape) else _shaped(flat, wanted)
    _replace(window.alloc, view)
    _erase(window.load)
    _erase(window.store)
    return view


# ---- Views ---------------------------------------------------------------------------------------


def _memory_of(window: LargerWindow | EqualWindow, type_: ir.MemRefType) -> ir.Value:
    """Return the memory of the variable, at the beginning of the function."""
    block = window.store.operation.block
    named = ir.Location.name(window.variable, window.store.location)
    with ir.InsertionPoint.at_block_begin(block), named:
        return memref.GetGlobalOp(type_, window.variable).result


def _carried_part(op: memref.GetGlobalOp, window: LargerWindow, held: ir.MemRefType) -> ir.Value:
    """Let the users of the memory of a variable use the rows that last from run to run."""
    op.result.set_type(held)
    with ir.InsertionPoint.after(op.operation), op.location:
        part = _rows(op.result, window.axis, window.first, window.rows)
    op.result.replace_all_uses_except(part, part.owner.operation)
    return part


def _rows(value: ir.Value, axis: int, first: int, count: int) -> ir.Value:
    """Return rows along an axis of a memref."""
    type_ = ir.MemRefType(value.type)
    strides, offset = type_.get_strides_and_offset()
    sizes = [count if n == axis else size for n, size in enumerate(type_.shape)]
    offsets = [first if n == axis else 0 for n in range(type_.rank)]
    part = _strided(type_, sizes, strides, offset + first * strides[axis])
    ones = [1] * type_.rank
    return memref.SubViewOp(part, value, [], [], [], offsets, sizes, ones).result


def _rows_of_piece(whole: ir.Value, piece: NewRows) -> ir.Value:
    """Return the rows of a window in the shape of the allocation that they replace.

    Where the elements are bytes, the memref begins at offset 0 as the allocation did. So the
    function of the operator can be that of another one, which computes no rows of a window.
    """
    own, rows = (ir.MemRefType(v.type) for v in (piece.alloc.memref, piece.copy.operands[1]))
    begin = rows.get_strides_and_offset()[1]
    with ir.InsertionPoint.after(whole.owner), piece.alloc.location:
        flat = _flat(whole)
        if own.element_type != ir.IntegerType.get_signless(8):
            return _shaped(_rows(flat, 0, begin, prod(own.shape)), own)
        first = arith.ConstantOp(ir.IndexType.get(), begin).result
        space = ir.MemRefType(whole.type).memory_space
        return memref.ViewOp(_in_space(own, space), flat, first, []).result


def _flat(value: ir.Value) -> ir.Value:
    """Return all elements of a dense memref in one dimension."""
    type_ = ir.MemRefType(value.type)
    if type_.rank == 1:
        return value
    flat = ir.MemRefType.get([prod(type_.shape)], type_.element_type, None, type_.memory_space)
    return memref.CollapseShapeOp(flat, value, [list(range(type_.rank))]).result


def _shaped(flat: ir.Value, wanted: ir.MemRefType) -> ir.Value:
    """Return the elements of a dense memref of one dimension in other dimensions."""
    type_ = ir.MemRefType(flat.type)
    shape = list(wanted.shape)
    if len(shape) == 1:
        return flat
    _, offset = type_.get_strides_and_offset()
    shaped = _in_space(wanted, type_.memory_space)
    if offset:
        shaped = _strided(shaped, shape, wanted.get_strides_and_offset()[0], offset)
    groups = [list(range(len(shape)))]
    return memref.ExpandShapeOp(shaped, flat, groups, [], shape).result


def _strided(
    like: ir.MemRefType, shape: Sequence[int], strides: Sequence[int], offset: int
) -> ir.MemRefType:
    layout = ir.StridedLayoutAttr.get(offset, list(strides))
    return ir.MemRefType.get(list(shape), like.element_type, layout, like.memory_space)


def _in_space(type_: ir.MemRefType, space: ir.Attribute | None) -> ir.MemRefType:
    return ir.MemRefType.get(type_.shape, type_.element_type, type_.layout, space)


def _space_of(variable: memref.GlobalOp) -> ir.Attribute | None:
    return ir.MemRefType(ir.TypeAttr(variable.type_).value).memory_space


# ---- Ops -----------------------------------------------------------------------------------------


def _replace(alloc: memref_pool.AllocOp, value: ir.Value) -> None:
    """Replace an allocation by memory whose elements have the same order, or its only view."""
    type_ = ir.MemRefType(value.type)
    _, ahead = type_.get_strides_and_offset()
    views = list(views_of(alloc.memref))
    alloc.memref.replace_all_uses_with(value)
    alloc.operation.erase()
    for view in views:
        shown = ir.MemRefType(view.type)
        strides, offset = shown.get_strides_and_offset()
        if ahead:
            shown = _strided(shown, shown.shape, strides, offset + ahead)
        view.set_type(_in_space(shown, type_.memory_space))


def _op_behind(block: ir.Block, users: Iterable[ir.OpView]) -> ir.OpView:
    """Return the op of a block behind the last of some ops, which are in it at any depth."""
    function = block.owner.opview
    own = [user for user in users if function_around(user) == function]
    inside = {identity_of(_ancestor_in(block, user)) for user in own}
    body = list(block.operations)
    return body[1 + max(n for n, op in enumerate(body) if identity_of(op) in inside)]


def _ancestor_in(block: ir.Block, op: ir.OpView) -> ir.Operation:
    current = op.operation
    while current.block != block:
        assert current.parent is not None
        current = current.parent.operation
    return current


def _erase(op: CopyOp, but: Sequence[memref.GetGlobalOp] = ()) -> None:
    """Erase an op and the views that only it uses."""
    values = list(op.operands)
    op.operation.erase()
    for value in values:
        if value not in [kept.result for kept in but]:
            _erase_unused(value)


def _erase_unused(value: ir.Value) -> None:
    """Erase the view or the memory that a value is, and what only it views, if nothing uses it."""
    op = defining_op(value)
    if (
        op is None
        or users_of(value)
        or (not isinstance(op, memref.GetGlobalOp) and not is_pure_view(op))
    ):
        return
    sources = list(op.operands)
    op.operation.erase()
    for source in sources:
        _erase_unused(source)
