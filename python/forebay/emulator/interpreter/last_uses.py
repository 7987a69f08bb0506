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
from mlir.dialects import arith, func

from forebay.ir.interfaces import forwarded_values_of, view_ends_of
from forebay.ir.module import symbol_around


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
        alias = _alias(owner, use.operand_number)
        if alias is not None:
            yield from _uses(alias)
        else:
            yield owner, _receivers(owner, use.operand_number)


def _alias(op: ir.OpView, operand: int) -> ir.Value | None:
    """Return the result that shows the operand's memory, if the op does not access it."""
    if isinstance(op, arith.SelectOp):
        return op.result
    view = view_ends_of(op)
    return op.results[view.result] if view is not None and view.source == operand else None


def _receivers(op: ir.OpView, operand: int) -> list[ir.Value] | None:
    """Return the values that an operand becomes, or None if the op accesses it itself."""
    if isinstance(op, func.CallOp):
        callee = symbol_around(op, op.callee.value)
        assert isinstance(callee, func.FuncOp)
        return None if callee.is_external else [callee.arguments[operand]]
    edges = forwarded_values_of(op)
    if edges is None and op.operation.parent is not None:
        edges = forwarded_values_of(op.operation.parent)
    return [e.becomes for e in edges or () if e.op == op and e.operand == operand] or None
