"""A module prepared for running: ops are bound to their rules, values to slots of a frame."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from mlir import ir
from mlir.dialects import func

from forebay.reference.errors import UnsupportedError
from forebay.reference.registry import Action, Frame, rule_of
from forebay.reference.types import Array

_MISFITS = (ArithmeticError, LookupError, MemoryError, TypeError, ValueError)
"""The exceptions that a rule raises on operands that it does not support."""


class _Body:
    """The block of a region; its arguments and yielded values are slots.

    A value that the block defines is dropped after its last use, so that not all values of a large
    network are in memory at once.
    """

    def __init__(self, block: ir.Block, scope: Scope) -> None:
        *inner, last = (op.operation.opview for op in block.operations)
        self.arguments = [scope.slot(argument) for argument in block.arguments]
        self.operations = inner
        self._steps = [_prepared(op, scope) for op in inner]
        self.yields = [scope.slot(operand) for operand in last.operands]
        self._dead = _last_uses(inner, self.yields, scope)

    def run(self, frame: Frame, values: Sequence[Any]) -> list[Any]:
        """Run the block on values for its arguments; return the operands of its terminator."""
        for slot, value in zip(self.arguments, values, strict=True):
            frame[slot] = value
        for op, step, dead in zip(self.operations, self._steps, self._dead, strict=True):
            try:
                step(frame)
            except _MISFITS as error:
                raise UnsupportedError(op, f"cannot be interpreted: {error}") from error
            for slot in dead:
                frame[slot] = None
        return [frame[slot] for slot in self.yields]


def _prepared(op: Any, scope: Scope) -> Action:
    try:
        return scope.step(op)
    except _MISFITS as error:
        raise UnsupportedError(op, f"cannot be interpreted: {error}") from error


class Scope:
    """The slots of the values of one function; `kept` values are never dropped from the frame."""

    def __init__(self, program: Program, kept: Sequence[ir.Value] = ()) -> None:
        self.program = program
        self._slots: dict[ir.Value | ir.OpView, int] = {}
        self.kept = frozenset(self.slot(value) for value in kept)

    def slot(self, value: ir.Value) -> int:
        """Return the slot of a value."""
        return self._slots.setdefault(value, len(self._slots))

    def slots(self, values: Iterable[ir.Value]) -> list[int]:
        """Return the slots of values."""
        return [self.slot(value) for value in values]

    def point(self, kernel: Any) -> int:
        """Return the slot of the current point of a structured op."""
        return self._slots.setdefault(kernel, len(self._slots))

    def body(self, region: ir.Region) -> _Body:
        """Return the only block of a region; raises `UnsupportedError` if there are several."""
        blocks = list(region.blocks)
        if len(blocks) != 1:
            raise UnsupportedError(region.owner, "has a region of several blocks")
        return _Body(blocks[0], self)

    def step(self, op: Any) -> Action:
        """Return the action of an op; raises `UnsupportedError` if it has no rule."""
        prepare = rule_of(op)
        if prepare is None:
            raise UnsupportedError(op, "has no rule in the interpreter")
        return prepare(op, self)

    def frame(self) -> Frame:
        """Return an empty frame with a slot for each value."""
        return [None] * len(self._slots)


class PreparedFunction:
    """A function, or the reference of an intrinsic, that can be called."""

    def __init__(self, region: ir.Region, program: Program, kept: Sequence[ir.Value] = ()) -> None:
        self._scope = Scope(program, kept)
        self._body = self._scope.body(region)
        self._kept = self._scope.slots(kept)

    def call(self, values: Sequence[Any]) -> list[Any]:
        """Return the results for these arguments."""
        return self.observe(values)[0]

    def observe(self, values: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        """Return the results and the kept values."""
        frame = self._scope.frame()
        results = self._body.run(frame, values)
        return results, [frame[slot] for slot in self._kept]


class Program:
    """The symbols of a module; functions and references are prepared on first use.

    A run that executes more than `LONGEST` ops in loops raises `UnsupportedError`: each op of a
    loop over single elements takes microseconds here.
    """

    LONGEST = 1_000_000

    def __init__(self, module: ir.Operation) -> None:
        self._spent = 0
        self.variables: dict[str, Array] = {}
        """The values that persist from run to run, by symbol."""
        self.symbols = {
            ir.StringAttr(op.attributes["sym_name"]).value: op
            for op in module.regions[0].blocks[0].operations
            if "sym_name" in op.attributes
        }
        self._functions: dict[str, PreparedFunction | None] = {}
        self._references: dict[str, PreparedFunction] = {}

    def begin(self) -> None:
        """Reset the count of ops for a new run."""
        self._spent = 0

    def spend(self, op: Any, body: _Body) -> None:
        """Count the ops of one loop iteration; raises `UnsupportedError` above `LONGEST`."""
        self._spent += len(body.operations)
        if self._spent > self.LONGEST:
            raise UnsupportedError(op, f"brings a run to more than {self.LONGEST:,} ops in loops")

    def function(self, name: str, caller: Any, kept: Sequence[ir.Value] = ()) -> PreparedFunction:
        """Return a function of the module by its symbol.

        Raises `UnsupportedError` for a function without a body and for a recursive call.
        """
        if name not in self._functions:
            self._functions[name] = None
            op = self.symbols.get(name)
            if not isinstance(op, func.FuncOp) or op.is_external:
                raise UnsupportedError(caller, f"calls @{name}, which has no body")
            self._functions[name] = PreparedFunction(op.operation.regions[0], self, kept)
        found = self._functions[name]
        if found is None:
            raise UnsupportedError(caller, f"calls @{name}, which is running already")
        return found

    def reference(self, intrinsic: Any, caller: Any) -> PreparedFunction:
        """Return the reference of an intrinsic; raises `UnsupportedError` if it has none."""
        name = intrinsic.sym_name.value
        if name not in self._references:
            region = intrinsic.operation.regions[0]
            if not region.blocks:
                raise UnsupportedError(caller, f"calls @{name}, which has no reference")
            self._references[name] = PreparedFunction(region, self)
        return self._references[name]


def _last_uses(ops: Sequence[Any], yields: Sequence[int], scope: Scope) -> list[list[int]]:
    """Return per op the slots of values of this block that no later op uses."""
    made = {slot for op in ops for slot in scope.slots(op.results)}
    living = {*yields, *scope.kept}
    dead: list[list[int]] = []
    for op in reversed(ops):
        used = {*scope.slots(op.results), *scope.slots(_operands(op))}
        dead.append([slot for slot in used & made if slot not in living])
        living |= used
    return dead[::-1]


def _operands(op: Any) -> list[ir.Value]:
    """Return the operands of an op and of all ops inside it."""
    found: list[ir.Value] = []

    def visit(inner: ir.Operation) -> ir.WalkResult:
        found.extend(inner.operands)
        return ir.WalkResult.ADVANCE

    op.operation.walk(visit)
    return found
