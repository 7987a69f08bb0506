"""Functions that issue asynchronous commands themselves; their queues have no room for others.

A queue has a fixed depth, and code that starts operations by hand relies on that depth for its own
operations.
"""

from __future__ import annotations

from mlir import ir
from mlir.dialects import func
from mlir.dialects.builtin import ModuleOp

from forebay.dialects.accel import LaunchOp, StartOp
from forebay.ir.memory.underlying_buffers import functions_in
from forebay.ir.nested import ops_of


class QueueUsers:
    """The functions of a module that start operations, and the call graph."""

    def __init__(self, module: ModuleOp) -> None:
        self._callees: dict[str, set[str]] = {}
        starting: set[str] = set()
        for function in functions_in(module):
            name = function.sym_name.value
            self._callees[name] = {op.callee.value for op in ops_of(function, func.CallOp)}
            if ops_of(function, StartOp, LaunchOp):
                starting.add(name)
        self._running = self._called_from(starting)
        callees = set[str]().union(*(self._callees[name] for name in starting))
        self._called = self._called_from(callees)
        self._starting = {name for name in self._callees if self._called_from({name}) & starting}

    def may_be_in_flight(self, function: func.FuncOp) -> bool:
        """Return whether an operation started by hand may be in flight while the function runs."""
        return function.sym_name.value in self._running

    def is_called_in_flight(self, function: func.FuncOp) -> bool:
        """Return whether a function that starts operations calls the function, at any depth."""
        return function.sym_name.value in self._called

    def starts_in(self, op: ir.OpView) -> bool:
        """Return whether an op, or a function that it calls, starts an operation."""
        return any(
            not isinstance(inner, func.CallOp) or inner.callee.value in self._starting
            for inner in ops_of(op, StartOp, LaunchOp, func.CallOp)
        )

    def _called_from(self, names: set[str]) -> set[str]:
        """Return the functions of these names, and all functions that they call, at any depth."""
        found, pending = set(names), list(names)
        while pending:
            new = self._callees.get(pending.pop(), set()) - found
            found |= new
            pending += new
        return found
