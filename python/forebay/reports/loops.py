"""Loops that are not pipelined and straight-line code that does not overlap, and the reasons."""

from __future__ import annotations

from mlir import ir
from mlir.dialects.builtin import ModuleOp
from msgspec import Struct

from forebay.ir.locations import describe_location
from forebay.ir.loops import UNOVERLAPPED, UNPIPELINED
from forebay.ir.nested import ops_nested_in


class UnpipelinedLoop(Struct, frozen=True):
    """The location of the loop, and the reason why its transfers do not run asynchronously."""

    where: str
    reason: str

    def __str__(self) -> str:
        return f"{self.where}: the loop is not pipelined: {self.reason}"


class UnoverlappedCode(Struct, frozen=True):
    """The location of the first operation of straight-line code that does not overlap, and why."""

    where: str
    reason: str

    def __str__(self) -> str:
        return f"{self.where}: the operations from here on do not overlap: {self.reason}"


def unpipelined_in(module: ModuleOp) -> tuple[UnpipelinedLoop, ...]:
    """Return the loops for which `accel-pipeline-loops` gave a reason, in program order."""
    return tuple(UnpipelinedLoop(*found) for found in _reasons(module, UNPIPELINED))


def unoverlapped_in(module: ModuleOp) -> tuple[UnoverlappedCode, ...]:
    """Return, in program order, the code for which `accel-overlap-calls` gave a reason."""
    return tuple(UnoverlappedCode(*found) for found in _reasons(module, UNOVERLAPPED))


def _reasons(module: ModuleOp, attribute: str) -> list[tuple[str, str]]:
    return [
        (
            describe_location(op.location),
            ir.StringAttr(op.operation.attributes[attribute]).value,
        )
        for op in ops_nested_in(module)
        if attribute in op.operation.attributes
    ]
