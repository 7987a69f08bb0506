"""The memrefs through which memory is written; pointers of all others are `const` in C."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from mlir.dialects import func, memref
from mlir.ir import FlatSymbolRefAttr, Module, Operation, OpView, Value

from forebay.dialects import accel, memref_pool

VIEWS: tuple[type[Any], ...] = (
    memref.ViewOp,
    memref.SubViewOp,
    memref.CastOp,
    memref.ReinterpretCastOp,
    memref.CollapseShapeOp,
    memref.ExpandShapeOp,
    memref.TransposeOp,
)


_INTO_SECOND = (
    memref.StoreOp,
    memref.CopyOp,
    memref_pool.CopyOp,
    accel.MoveOp,
    accel.StartOp,
)


@dataclass
class Writes:
    """An analysis that decides if a memref or a view of it is written, also in callees."""

    functions: dict[str, func.FuncOp]
    known: dict[Value, bool] = field(default_factory=dict[Value, bool])

    def through(self, value: Value) -> bool:
        """Return whether any use of `value` may write to it."""
        if value not in self.known:
            self.known[value] = any(
                self._use_writes(_view(use.owner), use.operand_number) for use in value.uses
            )
        return self.known[value]

    def _use_writes(self, op: OpView, operand: int) -> bool:
        if isinstance(op, VIEWS):
            return self.through(op.operation.results[0])
        if isinstance(op, func.CallOp):
            callee = self.functions.get(FlatSymbolRefAttr(op.callee).value)
            return callee is None or self.through(callee.arguments[operand])
        if isinstance(op, memref.LoadOp | memref.DimOp):
            return False
        if isinstance(op, _INTO_SECOND):
            return operand == 1
        return not isinstance(op, accel.CallOp | accel.LaunchOp) or operand >= len(op.inputs)


def writes_of(module: Module) -> Writes:
    """Return the analysis of a module."""
    return Writes(
        {op.name.value: op for op in module.body.operations if isinstance(op, func.FuncOp)}
    )


def _view(op: OpView | Operation) -> OpView:
    return op.opview if isinstance(op, Operation) else op
