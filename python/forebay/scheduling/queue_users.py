"""Which functions give something to queues themselves: what others put there would be in the way.

A queue takes so many operations and no more, and who starts them by hand has counted his own.
"""

from __future__ import annotations

from mlir import ir
from mlir.dialects import func
from mlir.dialects.builtin import ModuleOp

from forebay.ir.memory.roots import functions_in
from forebay.ir.nested import ops_nested_in
from forebay.scheduling.moving import is_started


class QueueUsers:
    """The functions of a module that start something, and who calls whom."""

    def __init__(self, module: ModuleOp) -> None:
        self._callees: dict[str, set[str]] = {}
        starting: set[str] = set()
        for function in functions_in(module):
            name, ops = function.sym_name.value, ops_nested_in(function)
            self._callees[name] = {op.callee.value for op in ops if isinstance(op, func.CallOp)}
            if any(is_started(op) for op in ops):
                starting.add(name)
        self._running = self._called_from(starting)
        self._starting = {name for name in self._callees if self._called_from({name}) & starting}

    def may_be_in_flight(self, function: func.FuncOp) -> bool:
        """Whether something that was started by hand may run when the function does."""
        return function.sym_name.value in self._running

    def starts_in(self, op: ir.OpView) -> bool:
        """Whether something is started inside of an op, or in what it calls."""
        return any(
            is_started(inner)
            or (isinstance(inner, func.CallOp) and inner.callee.value in self._starting)
            for inner in ops_nested_in(op)
        )

    def _called_from(self, names: set[str]) -> set[str]:
        """The functions of these names, and all that they call, at any depth."""
        found, pending = set(names), list(names)
        while pending:
            new = self._callees.get(pending.pop(), set()) - found
            found |= new
            pending += new
        return found
