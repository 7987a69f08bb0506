"""Loads and stores of single elements of buffers."""

from __future__ import annotations

from typing import Any

from mlir.dialects import memref

from forebay.reference.errors import UnsupportedError
from forebay.reference.program import Scope
from forebay.reference.registry import Action, Frame, rule


@rule(memref.LoadOp)
def load(op: memref.LoadOp, scope: Scope) -> Action:
    """Return one element."""
    buffer, *indices = scope.slots(op.operands)
    result = scope.slot(op.results[0])

    def action(frame: Frame) -> None:
        frame[result] = frame[buffer][_inside(op, frame[buffer].shape, [frame[i] for i in indices])]

    return action


@rule(memref.StoreOp)
def store(op: memref.StoreOp, scope: Scope) -> Action:
    """Store one element."""
    value, buffer, *indices = scope.slots(op.operands)

    def action(frame: Frame) -> None:
        at = _inside(op, frame[buffer].shape, [frame[i] for i in indices])
        frame[buffer][at] = frame[value]

    return action


def _inside(op: Any, shape: tuple[int, ...], indices: list[Any]) -> tuple[Any, ...]:
    for index, extent in zip(indices, shape, strict=True):
        if not 0 <= index < extent:
            raise UnsupportedError(op, "accesses an element outside of its buffer")
    return tuple(indices)
