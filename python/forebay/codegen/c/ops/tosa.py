"""TOSA's integer requantisation, which no pass lowers before the printer."""

from __future__ import annotations

from mlir.dialects import tosa
from mlir.ir import Attribute

from forebay.codegen.c.function import FunctionPrinter
from forebay.codegen.c.registry import expression, printable_check
from forebay.codegen.c.syntax import expr
from forebay.codegen.c.syntax.expr import Expr
from forebay.codegen.c.syntax.integers import bit_width_of
from forebay.ir.memory.ranges_arith import Range

_HELPERS = {"SINGLE_ROUND": "apply_scale", "DOUBLE_ROUND": "apply_scale_double_round"}
_SHORT = {"apply_scale_double_round": "apply_scale_twice"}
"""Helpers that compute in 32 bits behind the product: for small values and no shift to the left."""
_SMALL = Range(1 - 2**30, 2**30 - 1)
_RIGHT = Range(32, 62)


def _helper(op: tosa.ApplyScaleOp) -> str | None:
    for mode, helper in _HELPERS.items():
        if op.rounding_mode == Attribute.parse(f"#tosa.rounding_mode<{mode}>", op.context):
            return helper
    return None


@expression(tosa.ApplyScaleOp)
def apply_scale(op: tosa.ApplyScaleOp, f: FunctionPrinter) -> Expr:
    """Return a call of one inline function, a short one where the ranges of the operands allow."""
    arguments = f.operands(op.value, op.multiplier, op.shift)
    helper = _helper(op) or ""
    if helper in _SHORT and f.ranges.of(op.value) in _SMALL and f.ranges.of(op.shift) in _RIGHT:
        helper = _SHORT[helper]
    return expr.call_expr(helper, arguments, "int32_t")


@printable_check(tosa.ApplyScaleOp)
def _check_apply_scale(op: tosa.ApplyScaleOp) -> str | None:
    if _helper(op) is None:
        return f"rounding of apply_scale; known: {', '.join(_HELPERS)}"
    if bit_width_of(op.value) > 32 or bit_width_of(op.multiplier) > 32:
        return "apply_scale has a C form for i32 values and multipliers"
    return None
