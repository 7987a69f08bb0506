"""Move the ops of segments back to where their functions are called."""

from __future__ import annotations

from collections.abc import Iterable

from mlir import ir
from mlir.dialects import func, memref
from mlir.dialects.builtin import ModuleOp

from forebay.ir.identity import identity_of
from forebay.ir.memory.underlying_buffers import functions_in
from forebay.ir.nested import ops_nested_in
from forebay.lowering.segments.split import SEGMENT, ancestor_in


def join_blocks(module: ModuleOp) -> None:
    """Replace the call of each segment by its ops, and erase the functions of segments.

    A buffer that was allocated before a call because it is a result of the segment is allocated in
    front of its first use.
    """
    segments = {f.sym_name.value: f for f in functions_in(module) if SEGMENT in f.attributes}
    if not segments:
        return
    allocations: dict[int, memref.AllocOp] = {}
    for op in ops_nested_in(module):
        if isinstance(op, func.CallOp) and op.callee.value in segments:
            for operand in op.operands:
                if isinstance(operand.owner, ir.Operation | ir.OpView):
                    allocation = operand.owner.opview
                    if isinstance(allocation, memref.AllocOp):
                        allocations[identity_of(allocation)] = allocation
            _inline(op, segments[op.callee.value])
    for function in segments.values():
        function.erase()
    _sink(allocations.values())


def _inline(call: func.CallOp, function: func.FuncOp) -> None:
    block = function.entry_block
    for argument, operand in zip(block.arguments, call.operands, strict=True):
        argument.replace_all_uses_with(operand)
    *ops, end = list(block.operations)
    for op in ops:
        op.operation.move_before(call.operation)
    for result, value in zip(call.results, end.operands, strict=True):
        result.replace_all_uses_with(value)
    call.erase()


def _sink(allocations: Iterable[memref.AllocOp]) -> None:
    """Move allocations in front of their first uses, if all are in their blocks."""
    positions: dict[int, dict[int, int]] = {}
    for allocation in allocations:
        block = allocation.operation.block
        owner = identity_of(block.owner)
        if owner not in positions:
            ops = enumerate(block.operations)
            positions[owner] = {identity_of(op): number for number, op in ops}
        known = positions[owner]
        users = [ancestor_in(block, use.owner) for use in allocation.memref.uses]
        if users:
            first = min(users, key=lambda user: known[identity_of(user)])
            allocation.operation.move_before(first.operation)
