"""The registry of rules: one per op class, found in the folder `rules` by the dialect."""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Callable
from typing import Any, Protocol

Frame = list[Any]
"""The values of a running function, by slot; None before the definition and after the last use."""

Action = Callable[[Frame], None]
_Rule = Callable[[Any, Any], Action]
Compute = Callable[..., Any]
"""A function of one array per operand that returns an array or a tuple of arrays."""


class _Variadic(Protocol):
    def __call__(self, *values: Any) -> Any: ...


Function = (
    Callable[[Any], Any]
    | Callable[[Any, Any], Any]
    | Callable[[Any, Any, Any], Any]
    | Callable[[Any, Any, Any, Any], Any]
    | Callable[[Any, Any, Any, Any, Any], Any]
    | Callable[[], Any]
    | _Variadic
)
"""A `Compute` function, typed by the number of operands."""


def followed(compute: Compute, finish: Callable[[Any], Any]) -> Function:
    """Return a function that applies `finish` to the result of `compute`."""

    def both(*values: Any) -> Any:
        return finish(compute(*values))

    return both


_found: dict[type[Any], _Rule] = {}


def rule(*classes: type[Any]) -> Callable[[_Rule], _Rule]:
    """Register the decorated function, which turns an op into the action of each execution."""

    def register(prepare: _Rule) -> _Rule:
        _found.update(dict.fromkeys(classes, prepare))
        return prepare

    return register


def function(
    *classes: type[Any],
) -> Callable[[Callable[[Any], Function]], Callable[[Any], Function]]:
    """Register ops whose results depend on their operands alone.

    The decorated function is called once per op, and returns a function of the operands.
    """

    def register(prepare: Callable[[Any], Function]) -> Callable[[Any], Function]:
        def apply(op: Any, scope: Any) -> Action:
            slots = [scope.slot(operand) for operand in op.operands]
            results = [scope.slot(result) for result in op.results]
            return _applied(prepare(op), slots, results)

        _found.update(dict.fromkeys(classes, apply))
        return prepare

    return register


def rule_of(op: Any) -> _Rule | None:
    """Return the rule of an op, or None.

    The name of a module of rules is that of the dialect, `tosa_pooling.py`, or begins as that of
    several, `memref.py`. A program has ops of few dialects, so a module is imported at the first
    op of its dialect.
    """
    _import_rules(op.operation.name.partition(".")[0])
    return _found.get(type(op))


@functools.cache
def _import_rules(dialect: str) -> None:
    for module in _modules():
        stem = module.rpartition(".")[2]
        if f"{stem}_".startswith(f"{dialect}_") or f"{dialect}_".startswith(f"{stem}_"):
            importlib.import_module(module)


@functools.cache
def _modules() -> tuple[str, ...]:
    """Return the names of all modules of the folder, sorted."""
    package = importlib.import_module("forebay.reference.rules")
    walked = pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    return tuple(sorted(module.name for module in walked if not module.ispkg))


def _applied(compute: Compute, slots: list[int], results: list[int]) -> Action:
    if len(results) == 1:
        (result,) = results

        def one(frame: Frame) -> None:
            frame[result] = compute(*[frame[slot] for slot in slots])

        return one

    def several(frame: Frame) -> None:
        values = compute(*[frame[slot] for slot in slots])
        for slot, value in zip(results, values, strict=True):
            frame[slot] = value

    return several
