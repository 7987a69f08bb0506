"""Intrinsics, computed by their references; started operations are executed at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from mlir import ir

from forebay.dialects import accel
from forebay.reference.errors import UnsupportedError
from forebay.reference.program import Scope
from forebay.reference.registry import Action, Frame, rule
from forebay.reference.types import Array


@rule(accel.CallOp, accel.LaunchOp)
def call(op: Any, scope: Scope) -> Action:
    """Run the reference on the operands' memory; output tensors are copied first."""
    intrinsic = scope.program.symbols.get(op.callee.value)
    if intrinsic is None:
        raise UnsupportedError(op, f"calls @{op.callee.value}, which the target of the model has")
    assert isinstance(intrinsic, accel.IntrinsicOp)
    reference = scope.program.reference(intrinsic, op)
    ins, outs = scope.slots(op.inputs), scope.slots(op.outputs)
    tensors = isinstance(op, accel.CallOp) and len(op.result_tensors) > 0
    results = scope.slots(op.result_tensors) if tensors else []
    is_in = [accel.OperandAttr(operand).access == "in" for operand in intrinsic.signature]
    scalars = _scalars(op, intrinsic)

    def action(frame: Frame) -> None:
        given = iter([frame[slot] for slot in ins])
        written = [frame[slot].copy() if tensors else frame[slot] for slot in outs]
        remaining = iter(written)
        operands = [next(given) if reads else next(remaining) for reads in is_in]
        reference.call([*(_elements(op, value) for value in operands), *scalars])
        for slot, value in zip(results, written, strict=False):
            frame[slot] = value

    return action


@rule(accel.MoveOp, accel.StartOp)
def move(op: Any, scope: Scope) -> Action:
    """Copy the elements of one buffer to another."""
    source, target = scope.slot(op.source), scope.slot(op.target)

    def action(frame: Frame) -> None:
        np.copyto(frame[target], frame[source])

    return action


@rule(accel.WaitOp)
def wait(op: accel.WaitOp, scope: Scope) -> Action:
    """Do nothing: in program order all started operations have ended."""
    return lambda frame: None


def _elements(op: Any, values: Array) -> Array:
    """Return the elements as a flat view, as the reference expects them, without a copy."""
    flat = values.view()
    try:
        flat.shape = (values.size,)
    except AttributeError as error:
        raise UnsupportedError(op, "has an operand with gaps") from error
    return flat


def _scalars(op: Any, intrinsic: accel.IntrinsicOp) -> list[Any]:
    config = {} if op.config is None else {named.name: named.attr for named in op.config}
    names = [ir.StringAttr(name).value for name in intrinsic.scalars]
    return [np.int64(ir.IntegerAttr(config[name]).value).astype(np.int32) for name in names]
