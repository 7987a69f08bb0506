"""Variables that are read and written by name, in program order."""

from __future__ import annotations

from typing import Any

from mlir import ir
from mlir.dialects import tosa

from forebay.reference.attributes import elements_of
from forebay.reference.errors import UnsupportedError
from forebay.reference.program import Scope
from forebay.reference.registry import Action, Frame, rule
from forebay.reference.types import zeros


@rule(tosa.VariableReadOp)
def read(op: tosa.VariableReadOp, scope: Scope) -> Action:
    """Return the last written value, of this run or an earlier one, else the initial value."""
    name, program, result = _name(op), scope.program, scope.slot(op.results[0])
    variable = program.symbols.get(name)
    if not isinstance(variable, tosa.VariableOp):
        raise UnsupportedError(op, f"reads @{name}, which is no variable")
    type_ = op.results[0].type
    attributes = variable.operation.attributes
    if "initial_value" in attributes:
        initial = elements_of(attributes["initial_value"], type_, op)
    else:
        initial = zeros(type_, op)

    def action(frame: Frame) -> None:
        frame[result] = program.variables.get(name, initial)

    return action


@rule(tosa.VariableWriteOp)
def write(op: tosa.VariableWriteOp, scope: Scope) -> Action:
    """Set the value of the variable."""
    name, program, value = _name(op), scope.program, scope.slot(op.operands[0])

    def action(frame: Frame) -> None:
        program.variables[name] = frame[value]

    return action


def _name(op: Any) -> str:
    return ir.StringAttr(op.operation.attributes["name"]).value
