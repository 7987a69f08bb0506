"""The calls of a module's functions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from mlir import ir
from mlir.dialects import func

from forebay.ir.nested import ops_of


class CallSites:
    """The calls of each function, by the function that they are in.

    A function is searched for calls at the first question, and again after `invalidate`.
    """

    def __init__(self, functions: Iterable[func.FuncOp]) -> None:
        self._calls: dict[str, dict[str, list[func.CallOp]]] = {}
        """By callee, then by caller."""
        self._callees: dict[str, set[str]] = {}
        self._indirect: set[str] = set()
        self._pending = {function.sym_name.value: function for function in functions}

    def of(self, callee: str) -> Mapping[str, list[func.CallOp]]:
        """Return the calls of a function, by the name of the caller."""
        self._search()
        return self._calls.get(callee, {})

    def may_be_indirect(self, callee: str) -> bool:
        """Return whether an op uses the function as a value, so that any op may call it."""
        self._search()
        return callee in self._indirect

    def invalidate(self, caller: func.FuncOp) -> None:
        """Forget the calls in a function."""
        name = caller.sym_name.value
        for callee in self._callees.pop(name, ()):
            del self._calls[callee][name]
        self._pending[name] = caller

    def _search(self) -> None:
        for caller, function in self._pending.items():
            self._callees[caller] = set()
            ops: list[ir.OpView] = ops_of(function, func.CallOp, func.ConstantOp)
            for op in ops:
                if isinstance(op, func.CallOp):
                    callee = op.callee.value
                    self._callees[caller].add(callee)
                    self._calls.setdefault(callee, {}).setdefault(caller, []).append(op)
                elif isinstance(op, func.ConstantOp):
                    self._indirect.add(ir.FlatSymbolRefAttr(op.attributes["value"]).value)
        self._pending.clear()
