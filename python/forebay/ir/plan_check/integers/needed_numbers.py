"""Integers that decide which bytes an op uses, or whether it runs; all others are data.

::

    %n = arith.addi %i, %c1          needed: the offset of a view
    %v = memref.subview %m[%n] ...
    %x = memref.load %v[%k]          data: it is only computed with and stored
    %y = arith.muli %x, %w
    memref.store %y, %o[%k]          %k is needed if the check sees single elements
"""

from __future__ import annotations

from collections.abc import Iterator

from mlir import ir
from mlir.dialects import func, memref, scf
from mlir.dialects.builtin import ModuleOp

from forebay.ir.nested import memory_ops_in, ops_of


def needed_numbers(module: ModuleOp, *, with_indices: bool) -> set[ir.Value]:
    """Return the integers that the check has to compute.

    `with_indices` says whether the indices of all loads and stores are among them.
    """
    queue = [*_of_memory_ops(module, with_indices), *_of_control_flow(module)]
    found = set[ir.Value]()
    while queue:
        value = queue.pop()
        if value not in found:
            found.add(value)
            queue += _sources_of(value)
    return found


def _of_memory_ops(module: ModuleOp, with_indices: bool) -> Iterator[ir.Value]:
    for op in memory_ops_in(module):
        if isinstance(op, (memref.LoadOp, memref.StoreOp)):
            if with_indices:
                yield from op.indices
        elif not isinstance(op, (scf.ForOp, scf.IfOp, scf.YieldOp)):
            yield from op.operands


def _of_control_flow(module: ModuleOp) -> Iterator[ir.Value]:
    """Yield what decides which ops run, and what passes between functions and unusual regions."""
    for loop in ops_of(module, scf.ForOp):
        yield from (loop.lowerBound, loop.upperBound, loop.step)
    for op in ops_of(module, scf.IfOp, scf.WhileOp, scf.IndexSwitchOp, func.CallOp, func.ReturnOp):
        yield from op.operands
    for op in ops_of(module, scf.WhileOp, scf.IndexSwitchOp, scf.ExecuteRegionOp):
        for block in _blocks_of(op):
            yield from _last(block).operands


def _sources_of(value: ir.Value) -> list[ir.Value]:
    """Return the values that a value is computed from, or that it is passed on from."""
    owner = value.owner
    if isinstance(owner, ir.Block):
        parent, number = owner.owner.opview, ir.BlockArgument(value).arg_number - 1
    else:
        parent, number = owner.opview, ir.OpResult(value).result_number
    if isinstance(parent, scf.ForOp):
        yielded = [_last(parent.region.blocks[0]).operands[number]] if number >= 0 else []
        return [parent.initArgs[number], *yielded] if number >= 0 else []
    if isinstance(owner, ir.Block):
        return []  # of a function or an unusual region, to which operands are passed
    if isinstance(parent, scf.IfOp):
        return [_last(block).operands[number] for block in _blocks_of(parent)]
    return list(parent.operands)


def _blocks_of(op: ir.OpView) -> Iterator[ir.Block]:
    for region in op.regions:
        yield from region.blocks


def _last(block: ir.Block) -> ir.OpView:
    return block.operations[len(block.operations) - 1]
