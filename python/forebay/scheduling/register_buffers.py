"""The buffers of registers: one per value, or one for all values if queues use the register.

With one buffer for all, an operation in flight keeps the register busy, and a pipelined loop needs
no second one. A called function that sets the register has a buffer of its own, so the calls of
such functions separate buffers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mlir import ir
from mlir.dialects import func

from forebay.dialects.memref_pool import AllocOp
from forebay.ir.nested import ops_in, ops_nested_in
from forebay.scheduling.register_uses import RegisterUses
from forebay.scheduling.register_webs import split_buffers


def assign_buffers(function: func.FuncOp, uses: RegisterUses, queued: frozenset[str]) -> None:
    """Give each value of a register a buffer; let those of `queued` registers share one."""
    allocs: dict[str, list[AllocOp]] = {}
    for op in ops_nested_in(function):
        if isinstance(op, AllocOp) and (register := uses.register_of(op.memref)) is not None:
            allocs.setdefault(register, []).append(op)
    for register, buffers in allocs.items():
        if _can_change(buffers):
            if register in queued:
                for block in function.body.blocks:
                    _share(block, register, buffers, uses)
            else:
                split_buffers(function, register, uses)
            for alloc in buffers:
                if not any(True for _ in alloc.memref.uses):
                    alloc.operation.erase()


def _can_change(allocs: Sequence[AllocOp]) -> bool:
    """Return whether the buffers have one type and only calls use them, directly."""
    is_plain = all(alloc.pinned is None and alloc.placement is None for alloc in allocs)
    users = [use.owner.operation for alloc in allocs for use in alloc.memref.uses]
    return (
        is_plain
        and len({alloc.memref.type for alloc in allocs}) == 1
        and all(user.name in ("accel.call", "accel.launch") for user in users)
    )


def _share(block: ir.Block, register: str, allocs: Sequence[AllocOp], uses: RegisterUses) -> None:
    """Share buffers between the ops of a block that no call of a setting function separates."""
    values: set[ir.Value] = {alloc.memref for alloc in allocs}
    for run in _runs(block, register, uses):
        if isinstance(run, ir.OpView):
            for region in run.operation.regions:
                for inner in region.blocks:
                    _share(inner, register, allocs, uses)
            continue
        users = [op for op in run if _uses_any(op, values)]
        if users:
            first = _user_in(users[0], values)
            with ir.InsertionPoint(users[0]), first.location:
                shared = AllocOp(allocs[0].memref.type).memref
            for op in (inner for user in users for inner in ops_in(user)):
                for index, operand in enumerate(op.operands):
                    if operand in values:
                        op.operation.operands[index] = shared


def _runs(
    block: ir.Block, register: str, uses: RegisterUses
) -> Iterator[list[ir.OpView] | ir.OpView]:
    """Yield lists of ops without calls that set the register, and ops with such calls."""
    run: list[ir.OpView] = []
    for op in list(block.operations):
        if register in uses.set_by_callees(op):
            yield run
            yield op
            run = []
        else:
            run.append(op)
    yield run


def _uses_any(op: ir.OpView, values: set[ir.Value]) -> bool:
    return any(operand in values for inner in ops_in(op) for operand in inner.operands)


def _user_in(op: ir.OpView, values: set[ir.Value]) -> ir.OpView:
    return next(inner for inner in ops_in(op) if any(o in values for o in inner.operands))
