"""Functions that issue device commands: they return a status, the first error or 0."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import func

from forebay.ir.machine.devices import device_of, devices_in
from forebay.ir.machine.transfers import INSTRUCTIONS
from forebay.ir.nested import ops_of

STATUS = "accel.status"
"""Attribute of a function whose only result is a status."""


def refuse_result(function: str) -> str:
    """Return the message for a function that issues device commands and has a result of its own."""
    return (
        f"@{function} issues device commands, so it returns the device's status and cannot "
        "return a number; pass it a buffer to write to"
    )


def commanded_devices(module: ir.Operation | ir.OpView) -> dict[str, tuple[str, ...]]:
    """Return for each function the devices that it, or a function it calls, issues commands to.

    The devices are in the order of the module. A function that issues no command is left out. Waits
    are not examined, because a wait is for an operation that the same function started.
    """
    block = module.operation.regions[0].blocks[0]
    bodies = {
        op.sym_name.value: ops_of(op, func.CallOp, *INSTRUCTIONS)
        for op in block.operations
        if isinstance(op, func.FuncOp)
    }
    commanded = {name: _commanded_in(ops) for name, ops in bodies.items()}
    is_complete = False
    while not is_complete:
        is_complete = True
        for name, ops in bodies.items():
            callees = [op.callee.value for op in ops if isinstance(op, func.CallOp)]
            more = set[str]().union(
                *(commanded[callee] for callee in callees if callee in commanded)
            )
            is_complete = is_complete and more <= commanded[name]
            commanded[name] |= more
    order = [op.sym_name.value for op in devices_in(module)]
    return {
        name: tuple(sorted(found, key=order.index)) for name, found in commanded.items() if found
    }


def _commanded_in(ops: Sequence[ir.OpView]) -> set[str]:
    return {device_of(op) for op in ops if isinstance(op, INSTRUCTIONS)}
