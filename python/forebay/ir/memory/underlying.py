"""Underlying objects of memrefs: allocations, globals, and arguments of entry functions.

They are followed through views, selects, loops, branches and calls. The analysis ignores the order
in which ops run::

    func.func @main(%x) { call @f(%x)  call @f(%y) }      %x, %y: objects
    func.func private @f(%a) { %v = subview %a }          %v: base %a, objects %x and %y
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mlir import ir
from mlir.dialects import arith, func, memref
from mlir.dialects.builtin import ModuleOp

from forebay.ir.interfaces import declared_effects_of, forwarded_values_of, source_of_view
from forebay.ir.memory.call_sites import CallSites
from forebay.ir.memory.function_cache import FunctionCache, function_name_of
from forebay.ir.memory.underlying_buffers import functions_in, is_private

Base = ir.Value | str
"""Memory, as the result of its allocation, a function argument, or the `@name` of a global.

A base is an object unless it is an argument of a private function.
"""

ObjectSet = frozenset[Base] | None
"""A set of underlying objects; None stands for any memory."""


class UnderlyingObjects:
    """The underlying objects of a module's memrefs, found when they are asked for and then kept.

    A pass that creates or replaces a value calls `invalidate` for the function before it asks
    again.
    """

    def __init__(self, module: ModuleOp) -> None:
        self._bases = FunctionCache[ObjectSet]()
        self._objects: dict[Base, ObjectSet] = {}
        self._following: dict[str, list[Base]] = {}
        """By function: the bases whose objects follow from its ops."""
        self._calls = CallSites(functions_in(module))
        self._private = {f.sym_name.value for f in functions_in(module) if is_private(f)}

    def invalidate(self, function: func.FuncOp) -> None:
        """Forget what follows from the ops of a function, because they were rewritten.

        The rewrite may move, copy and erase calls, but must not name a function that the function
        did not name before.
        """
        self._bases.invalidate(function)
        self._calls.invalidate(function)
        for base in self._following.pop(function.sym_name.value, ()):
            self._objects.pop(base, None)

    def bases_of(self, value: ir.Value) -> ObjectSet:
        """Return the bases that the value may be a view of, as seen in its own function."""
        return self._bases.get(value, _bases)

    def objects_of(self, value: ir.Value) -> ObjectSet:
        """Return the objects that the value may be a view of, in any call of its function."""
        return self.objects_behind(self.bases_of(value))

    def objects_behind(self, bases: ObjectSet) -> ObjectSet:
        """Return the objects that the bases may be, in any call of their function."""
        if bases is None:
            return None
        found: set[Base] = set()
        for base in bases:
            objects = self._objects_of_base(base)
            if objects is None:
                return None
            found |= objects
        return frozenset(found)

    def _objects_of_base(self, base: Base) -> ObjectSet:
        if base not in self._objects:
            functions: set[str] = set()
            self._objects[base] = self._through_calls(base, functions)
            for name in functions:
                self._following.setdefault(name, []).append(base)
        return self._objects[base]

    def _through_calls(self, base: Base, functions: set[str]) -> ObjectSet:
        """Return the objects that a base may be, or None for an argument without known callers.

        Add the functions from whose ops this follows to `functions`.
        """
        found: set[Base] = set()
        seen, pending = {base}, [base]
        while pending:
            one = pending.pop()
            argument = _as_argument(one)
            if argument is None and isinstance(one, ir.Value):
                functions.add(function_name_of(one))
            if argument is None or argument[0] not in self._private:
                found.add(one)
                continue
            name, index = argument
            if self._calls.may_be_indirect(name):
                return None
            for caller, calls in self._calls.of(name).items():
                functions.add(caller)
                for call in calls:
                    bases = self.bases_of(call.operands[index])
                    if bases is None:
                        return None
                    pending += [each for each in bases if each not in seen]
                    seen |= bases
        return frozenset(found) or None


def _as_argument(base: Base) -> tuple[str, int] | None:
    """Return the function and the number of an argument, or None for other bases."""
    if isinstance(base, str) or not isinstance(base.owner, ir.Block):
        return None
    function = base.owner.owner.opview
    if not isinstance(function, func.FuncOp):
        return None
    return function.sym_name.value, ir.BlockArgument(base).arg_number


def _bases(value: ir.Value) -> ObjectSet:
    found: set[Base] = set()
    seen, pending = {value}, [value]
    while pending:
        sources = _sources(pending.pop())
        if sources is None:
            return None
        if isinstance(sources, (str, ir.Value)):
            found.add(sources)
            continue
        pending += [each for each in sources if each not in seen]
        seen.update(sources)
    return frozenset(found)


_Sources = Base | list[ir.Value] | None
"""The base of a value, or the values that it may be; None if unknown."""


def _sources(value: ir.Value) -> _Sources:
    if isinstance(value.owner, ir.Block):
        op = value.owner.owner.opview
        if isinstance(op, func.FuncOp) and value.owner == op.entry_block:
            return value
        return _forwarded(op, value)
    op = value.owner.opview
    source = source_of_view(value)
    if source is not None:
        return [source]
    rule = _RULES.get(type(op))
    if rule is not None:
        return rule(op, ir.OpResult(value).result_number)
    return value if _is_allocated(op, value) else _forwarded(op, value)


def _forwarded(op: ir.OpView, value: ir.Value) -> _Sources:
    """Return the values that become a block argument or a result of an op with regions."""
    edges = forwarded_values_of(op) or ()
    return [edge.value for edge in edges if edge.becomes == value] or None


def _is_allocated(op: ir.OpView, value: ir.Value) -> bool:
    number = ir.OpResult(value).result_number
    effects = declared_effects_of(op) or ()
    return any(effect.kind == "allocate" and effect.result == number for effect in effects)


def _global(op: memref.GetGlobalOp, _: int) -> _Sources:
    return f"@{op.name.value}"


def _same(op: ir.OpView, number: int) -> _Sources:
    return [op.operands[number]]


def _either(op: arith.SelectOp, _: int) -> _Sources:
    return [op.true_value, op.false_value]


_RULES: dict[type, Callable[[Any, int], _Sources]] = {
    arith.SelectOp: _either,
    memref.DistinctObjectsOp: _same,
    memref.GetGlobalOp: _global,
}
"""Ops whose results are memory and that no interface describes."""
