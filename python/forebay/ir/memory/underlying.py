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
from forebay.ir.memory.underlying_buffers import functions_in, is_private
from forebay.ir.nested import ops_nested_in

Base = ir.Value | str
"""Memory, as the result of its allocation, a function argument, or the `@name` of a global.

A base is an object unless it is an argument of a private function.
"""

ObjectSet = frozenset[Base] | None
"""A set of underlying objects; None stands for any memory."""


class UnderlyingObjects:
    """The underlying objects of a module's memrefs; valid until a value is created or replaced."""

    def __init__(self, module: ModuleOp) -> None:
        self._bases: dict[ir.Value, ObjectSet] = {}
        self._objects: dict[Base, ObjectSet] = {}
        self._calls: dict[str, list[func.CallOp]] = {}
        self._escaped: set[str] = set()
        for op in ops_nested_in(module):
            if isinstance(op, func.CallOp):
                self._calls.setdefault(op.callee.value, []).append(op)
            elif isinstance(op, func.ConstantOp):
                self._escaped.add(ir.FlatSymbolRefAttr(op.attributes["value"]).value)
        self._private = {f.sym_name.value for f in functions_in(module) if is_private(f)}

    def bases_of(self, value: ir.Value) -> ObjectSet:
        """Return the bases that the value may be a view of, as seen in its own function."""
        if value not in self._bases:
            self._bases[value] = _bases(value)
        return self._bases[value]

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
            self._objects[base] = self._through_calls(base)
        return self._objects[base]

    def _through_calls(self, base: Base) -> ObjectSet:
        """Return the objects that a base may be, or None for an argument without known callers."""
        found: set[Base] = set()
        seen, pending = {base}, [base]
        while pending:
            one = pending.pop()
            argument = _as_argument(one)
            if argument is None or argument[0] not in self._private:
                found.add(one)
                continue
            name, index = argument
            if name in self._escaped:
                return None
            for call in self._calls.get(name, ()):
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


def function_around(op: ir.OpView) -> func.FuncOp | None:
    """Return the function around an op, or None."""
    around = op.operation.parent
    while around is not None and not isinstance(around.opview, func.FuncOp):
        around = around.operation.parent
    return None if around is None else around.opview


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
