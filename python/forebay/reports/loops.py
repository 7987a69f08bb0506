"""Loops with transfers that are not pipelined, and the reasons."""

from __future__ import annotations

from mlir import ir
from mlir.dialects.builtin import ModuleOp
from msgspec import Struct

from forebay.ir.locations import describe_location
from forebay.ir.loops import UNPIPELINED
from forebay.ir.nested import ops_nested_in


class UnpipelinedLoop(Struct, frozen=True):
    """The location of the loop, and the reason why its transfers do not run asynchronously."""

    where: str
    reason: str

    def __str__(self) -> str:
        return f"{self.where}: the loop is not pipelined: {self.reason}"


def unpipelined_in(module: ModuleOp) -> tuple[UnpipelinedLoop, ...]:
    """Return the loops for which `accel-pipeline-loops` gave a reason, in program order."""
    return tuple(
        UnpipelinedLoop(
            describe_location(op.location),
            ir.StringAttr(op.operation.attributes[UNPIPELINED]).value,
        )
        for op in ops_nested_in(module)
        if UNPIPELINED in op.operation.attributes
    )
