"""The registry of rules: one per op class, found in the folder `rules`, a file per dialect."""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from mlir import ir

from forebay.ir.views.queries import shares_base

Frame = list[Any]
"""The values of a running function, by slot: `MemoryView`s, Python ints, NumPy floats."""

Action = Callable[[Frame], None]
_Rule = Callable[[Any, Any], Action]
"""Prepares the action of an op; called with the op and the `FrameLayout` of its function."""
Unary = Callable[[Any], Any]
Binary = Callable[[Any, Any], Any]
Ternary = Callable[[Any, Any, Any], Any]
Function = Unary | Binary | Ternary

_found: dict[type[ir.OpView], _Rule] = {}


def rule(*classes: type[Any]) -> Callable[[_Rule], _Rule]:
    """Register the decorated function, which turns an op into the action of each execution."""

    def register(prepare: _Rule) -> _Rule:
        _found.update(dict.fromkeys(classes, prepare))
        return prepare

    return register


def scalar(*classes: type[Any]) -> Callable[[Callable[[Any], Function]], Callable[[Any], Function]]:
    """Register ops with one result; the decorated function returns a function of the operands."""

    def register(prepare: Callable[[Any], Function]) -> Callable[[Any], Function]:
        def apply(op: ir.OpView, scope: Any) -> Action:
            slots = [scope.slot(operand) for operand in op.operands]
            return _applied(prepare(op), slots, scope.slot(op.results[0]))

        _found.update(dict.fromkeys(classes, apply))
        return prepare

    return register


@functools.cache
def rules() -> Mapping[type[ir.OpView], _Rule]:
    """Return all rules by op class, after importing every module of the folder."""
    package = importlib.import_module("forebay.emulator.interpreter.rules")
    for module in sorted(pkgutil.iter_modules(package.__path__), key=lambda m: m.name):
        importlib.import_module(f"{package.__name__}.{module.name}")
    return MappingProxyType(_found)


def rule_of(op: ir.OpView) -> _Rule | None:
    """Return the rule for an op, or None.

    The rule that is registered for `ir.OpView` serves all views without a rule of their own.
    """
    generic = rules().get(ir.OpView) if shares_base(op) else None
    return rules().get(type(op), generic)


def _applied(function: Callable[..., Any], slots: list[int], result: int) -> Action:
    """Return an action that applies the function; one or two operands need no loop."""
    if len(slots) == 1:
        (only,) = slots

        def unary(frame: Frame) -> None:
            frame[result] = function(frame[only])

        return unary
    if len(slots) == 2:
        left, right = slots

        def binary(frame: Frame) -> None:
            frame[result] = function(frame[left], frame[right])

        return binary

    def any_number(frame: Frame) -> None:
        frame[result] = function(*(frame[slot] for slot in slots))

    return any_number
