"""Asynchronous forms of transfers and calls."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir

from forebay.dialects import accel

_OWN = ("callee", "transfer", "operandSegmentSizes", "accumulate", "config")


def start_operation(
    op: accel.MoveOp | accel.CallOp, operands: Sequence[ir.Value], after: Sequence[ir.Value]
) -> ir.Value:
    """Issue an op on these operands to its queue, at the insertion point, and return its token.

    The queue waits for the tokens of `after` first.
    """
    token = accel.TokenType.get()
    with op.location:
        if isinstance(op, accel.MoveOp):
            started = accel.StartOp(token, op.transfer.value, operands[0], operands[1], after)
        else:
            ins = len(op.inputs)
            started = accel.LaunchOp(
                token,
                op.callee.value,
                operands[:ins],
                operands[ins:],
                after,
                accumulate=None if op.accumulate is None else list(op.accumulate),
                config=op.config,
            )
    for name, attribute in op.operation.attributes.items():
        if name not in started.operation.attributes and name not in _OWN:
            started.operation.attributes[name] = attribute
    return started.token
