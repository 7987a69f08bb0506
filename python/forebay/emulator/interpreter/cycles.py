"""The duration of a call: the second region of an intrinsic, evaluated on the call's scalars."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from forebay.dialects.accel import IntrinsicOp
from forebay.emulator.interpreter.body import bind
from forebay.emulator.interpreter.registry import Frame
from forebay.emulator.memory.faults import NotEmulatedError

if TYPE_CHECKING:
    from forebay.emulator.interpreter.scope import FrameLayout


def cycles_of(op: IntrinsicOp, scalars: Sequence[int], scope: FrameLayout) -> int:
    """Return the cycles of a call, 0 if the intrinsic declares none.

    Raises `NotEmulatedError` when the result is negative.
    """
    if not len(op.cycles.blocks):
        return 0
    inside = scope.apart()
    body = inside.body(op.cycles)
    frame: Frame = [None] * inside.size
    bind(scope.machine, body.arguments, scalars, frame)
    body.run(frame)
    cycles = frame[body.yields[0]]
    if cycles < 0:
        raise NotEmulatedError(op, f"takes {cycles} cycles for {list(scalars)}")
    return cycles
