"""What the interpreter says when it cannot run a program."""

from __future__ import annotations

from typing import Any

from mlir import ir

from forebay.errors import Error
from forebay.ir.locations import describe_location


class UnsupportedError(Error):
    """An op, or a use of one, that the interpreter has no rule for; `op` is its name."""

    def __init__(self, op: Any, why: str) -> None:
        operation: ir.Operation = op.operation
        super().__init__(f"{describe_location(operation.location)}: '{operation.name}' {why}")
        self.op = operation.name
