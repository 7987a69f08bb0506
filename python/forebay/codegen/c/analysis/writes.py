"""The memrefs through which memory is written; pointers of all others are `const` in C."""

from __future__ import annotations

from mlir.dialects import func, memref
from mlir.ir import FlatSymbolRefAttr, Module, Operation, OpView, Value
from msgspec import Struct, field

from forebay.ir.interfaces import view_ends_of
from forebay.ir.memory.operand_effects import operand_effects_of
from forebay.ir.module import ops_in_body


class Writes(Struct):
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
        if isinstance(op, memref.LoadOp):  # most uses
            return False
        view = view_ends_of(op)
        if view is not None and view.source == operand:
            return self.through(op.operation.results[view.result])
        if isinstance(op, func.CallOp):
            callee = self.functions.get(FlatSymbolRefAttr(op.callee).value)
            return callee is None or self.through(callee.arguments[operand])
        return any(e.writes and e.operand == operand for e in operand_effects_of(op))


def writes_of(module: Module) -> Writes:
    """Return the analysis of a module."""
    return Writes({op.name.value: op for op in ops_in_body(module.operation, func.FuncOp)})


def _view(op: OpView | Operation) -> OpView:
    return op.opview if isinstance(op, Operation) else op
