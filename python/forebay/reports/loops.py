"""Loops with transfers that run as they are written, and why."""

from __future__ import annotations

from dataclasses import dataclass

from mlir import ir
from mlir.dialects.builtin import ModuleOp

from forebay.ir.locations import describe_location
from forebay.ir.loops import UNPIPELINED
from forebay.ir.nested import ops_nested_in


@dataclass(frozen=True)
class UnpipelinedLoop:
    """Where the loop is, and what stands in the way of running its transfers beside it."""

    where: str
    reason: str

    def __str__(self) -> str:
        return f"{self.where}: the loop is not pipelined: {self.reason}"


def unpipelined_in(module: ModuleOp) -> tuple[UnpipelinedLoop, ...]:
    """The loops that `accel-pipeline-loops` has left with a reason, in program order."""
    return tuple(
        UnpipelinedLoop(
            describe_location(op.location),
            ir.StringAttr(op.operation.attributes[UNPIPELINED]).value,
        )
        for op in ops_nested_in(module)
        if UNPIPELINED in op.operation.attributes
    )
