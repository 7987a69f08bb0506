"""Find the last use of each value: a buffer's lifetime ends with the last use of its last value.

A view op does not access memory. It counts as the uses of its result, and it does not count if its
result has no uses::

    %a = memref_pool.alloc
    kernel outs(%a)
    %v = memref.subview %a
    kernel ins(%v)              <- the last use of %a, and of %v
    %w = memref.cast %a         <- does not count: %w has no uses

The same holds for a value that is passed to a function, to an iteration, or out of a branch. It
counts if the parameter, block argument or result that it becomes leads to an access.
"""

from __future__ import annotations

from collections.abc import Iterator

from mlir import ir
from mlir.dialects import arith, func, memref, scf

from forebay.ir.machine.devices import module_around

ALIASES = (
    arith.SelectOp,
    memref.AssumeAlignmentOp,
    memref.CastOp,
    memref.CollapseShapeOp,
    memref.ExpandShapeOp,
    memref.ExtractStridedMetadataOp,
    memref.MemorySpaceCastOp,
    memref.ReinterpretCastOp,
    memref.SubViewOp,
    memref.TransposeOp,
    memref.ViewOp,
)
"""Ops whose result is an alias of an operand and that do not access memory."""


class LastUses:
    """The last uses of values in blocks, with a cache of the blocks around each op."""

    def __init__(self) -> None:
        self._leading: dict[ir.Value, bool] = {}
        self._paths: dict[ir.Value, list[dict[ir.Block, int]]] = {}
        self._positions: dict[ir.Block, dict[ir.OpView, int]] = {}

    def position(self, value: ir.Value, block: ir.Block) -> int | None:
        """Return the index of the last op in the block that accesses the value's memory.

        The access may be inside a region of the op. Returns None if there is no such op.
        """
        if value not in self._paths:
            self._paths[value] = [self._path(op) for op in self._accesses(value)]
        return max((path[block] for path in self._paths[value] if block in path), default=None)

    def _accesses(self, value: ir.Value) -> Iterator[ir.OpView]:
        for owner, becomes in _uses(value):
            if becomes is None or any(self._leads_to_access(other) for other in becomes):
                yield owner

    def _leads_to_access(self, value: ir.Value) -> bool:
        """Return whether an op accesses memory through the value, also after it is passed on."""
        if value not in self._leading:
            seen = {value}
            waiting = [value]
            while waiting:
                for _, becomes in _uses(waiting.pop()):
                    if becomes is None or any(self._leading.get(other) for other in becomes):
                        self._leading[value] = True
                        return True
                    waiting += [other for other in becomes if other not in seen]
                    seen.update(becomes)
            self._leading.update(dict.fromkeys(seen, False))
        return self._leading[value]

    def _path(self, op: ir.OpView) -> dict[ir.Block, int]:
        path: dict[ir.Block, int] = {}
        current = op
        while (parent := current.operation.parent) is not None:
            block = current.operation.block
            path[block] = self._in(block)[current]
            current = parent.opview
        return path

    def _in(self, block: ir.Block) -> dict[ir.OpView, int]:
        if block not in self._positions:
            self._positions[block] = {op: number for number, op in enumerate(block.operations)}
        return self._positions[block]


def _uses(value: ir.Value) -> Iterator[tuple[ir.OpView, list[ir.Value] | None]]:
    """Yield the ops that use the value or a view of it, with the values that it becomes there.

    The list is None where the op accesses the value itself.
    """
    for use in value.uses:
        owner = use.owner.operation.opview
        if isinstance(owner, ALIASES):
            for result in owner.results:
                if isinstance(result.type, ir.MemRefType):
                    yield from _uses(result)
        else:
            yield owner, _receivers(use)


def _receivers(use: ir.OpOperand) -> list[ir.Value] | None:
    """Return the values that an operand becomes, or None if the op accesses it itself."""
    op, number = use.owner.operation.opview, use.operand_number
    match op:
        case func.CallOp():
            callee = ir.SymbolTable(module_around(op))[op.callee.value]
            assert isinstance(callee, func.FuncOp)
            return None if callee.is_external else [callee.arguments[number]]
        case scf.ForOp() if number >= _BOUNDS:
            return [
                op.region.blocks[0].arguments[number - _BOUNDS + 1],
                op.results[number - _BOUNDS],
            ]
        case scf.WhileOp():
            return [op.before.blocks[0].arguments[number]]
        case scf.ConditionOp() if number > 0:
            loop = _parent(op)
            return [loop.regions[1].blocks[0].arguments[number - 1], loop.results[number - 1]]
        case scf.YieldOp():
            return _behind_yield(_parent(op), number)
        case _:
            return None


_BOUNDS = 3
"""The number of operands of `scf.for` before the initial values: bounds and step."""


def _behind_yield(around: ir.OpView, number: int) -> list[ir.Value] | None:
    match around:
        case scf.ForOp():
            return [around.region.blocks[0].arguments[number + 1], around.results[number]]
        case scf.WhileOp():
            return [around.before.blocks[0].arguments[number]]
        case scf.IfOp() | scf.IndexSwitchOp() | scf.ExecuteRegionOp():
            return [around.results[number]]
        case _:
            return None


def _parent(op: ir.OpView) -> ir.OpView:
    parent = op.operation.parent
    assert parent is not None
    return parent.opview
