"""The error that the interpreter raises for a program that it cannot run."""

from __future__ import annotations

from typing import Any

from mlir import ir

from forebay.errors import Error
from forebay.ir.locations import describe_location


class UnsupportedError(Error):
    """Raised for an op, or a use of one, without a rule; `op` is the op's name."""

    def __init__(self, op: Any, why: str) -> None:
        operation: ir.Operation = op.operation
        super().__init__(f"{describe_location(operation.location)}: '{operation.name}' {why}")
        self.op = operation.name
