"""A cache of facts about values, from which those of one function can be removed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from mlir import ir
from mlir.dialects import func

from forebay.ir.module import function_around

_Fact = TypeVar("_Fact")


class FunctionCache(Generic[_Fact]):
    """Facts about values; each follows from the ops of the function around the value alone."""

    def __init__(self) -> None:
        self._facts: dict[ir.Value, _Fact] = {}
        self._values: dict[str, list[ir.Value]] = {}
        """By function: the values of which a fact is known."""

    def get(self, value: ir.Value, find: Callable[[ir.Value], _Fact]) -> _Fact:
        """Return the fact about a value; call `find` if it is not known."""
        if value not in self._facts:
            self._facts[value] = find(value)
            self._values.setdefault(function_name_of(value), []).append(value)
        return self._facts[value]

    def invalidate(self, function: func.FuncOp) -> None:
        """Remove the facts about the values of a function."""
        for value in self._values.pop(function.sym_name.value, ()):
            del self._facts[value]


def function_name_of(value: ir.Value) -> str:
    """Return the name of the function around a value, or "" outside of functions."""
    op = (value.owner.owner if isinstance(value.owner, ir.Block) else value.owner).opview
    function = op if isinstance(op, func.FuncOp) else function_around(op)
    return "" if function is None else function.sym_name.value
