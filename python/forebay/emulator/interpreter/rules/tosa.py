"""Fixed-point scaling, computed with unlimited integers."""

from __future__ import annotations

from mlir import ir
from mlir.dialects import tosa

from forebay.emulator.interpreter.integers import unsigned, wrapping
from forebay.emulator.interpreter.registry import Function, scalar

_DOUBLE_ROUND = "#tosa.rounding_mode<DOUBLE_ROUND>"


@scalar(tosa.ApplyScaleOp)
def apply_scale(op: tosa.ApplyScaleOp) -> Function:
    """Compute `value * multiplier / 2**shift`, rounded half up.

    With double rounding and a shift above 31, it rounds to 31 bits first, half away from zero.
    """
    cut = wrapping(op.results[0].type)
    read_shift = unsigned(op.operands[2].type)
    rounds_twice = op.rounding_mode == ir.Attribute.parse(_DOUBLE_ROUND, op.context)

    def compute(value: int, multiplier: int, shift: int) -> int:
        amount = read_shift(shift)
        nudge = 1 << (amount - 1)
        if rounds_twice and amount > 31:
            nudge += (1 << 30) if value >= 0 else -(1 << 30)
        return cut((value * multiplier + nudge) >> amount)

    return compute
