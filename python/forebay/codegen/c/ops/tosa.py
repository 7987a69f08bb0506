"""TOSA's integer requantisation, which no pass lowers before the printer."""

from __future__ import annotations

from mlir import ir
from mlir.dialects import arith, tosa
from mlir.ir import DenseElementsAttr, VectorType

from forebay.codegen.c.function import FunctionPrinter
from forebay.codegen.c.ops.arith_min_max import offset_of_limits
from forebay.codegen.c.registry import expression, printable_check
from forebay.codegen.c.syntax import expr
from forebay.codegen.c.syntax.expr import Expr
from forebay.codegen.c.syntax.integers import bit_width_of
from forebay.codegen.c.syntax.types import SUMS, scalar_type, vector_suffix
from forebay.ir.memory.ranges_arith import SHORT_SHIFT, SHORT_SHIFT_OF_LANES, SHORT_VALUE, Range
from forebay.ir.nested import defining_op

_HELPERS = {"SINGLE_ROUND": "apply_scale", "DOUBLE_ROUND": "apply_scale_double_round"}
_HELPER_OF_MODE = {f"#tosa.rounding_mode<{mode}>": name for mode, name in _HELPERS.items()}
_SHORT = {"apply_scale_double_round": "apply_scale_twice"}
"""Helpers that compute in 32 bits after the product: for small values and no shift to the left."""
_ZERO_POINT = Range(-128, 127)


def _helper(op: tosa.ApplyScaleOp) -> str | None:
    return _HELPER_OF_MODE.get(str(op.rounding_mode))


@expression(tosa.ApplyScaleOp)
def apply_scale(op: tosa.ApplyScaleOp, f: FunctionPrinter) -> Expr:
    """Return a call of one inline function, a short one where the ranges of the operands allow."""
    arguments = f.operands(op.value, op.multiplier, op.shift)
    if isinstance(op.value.type, VectorType):
        return _of_lanes(op, arguments[0], f)
    helper = _helper(op) or ""
    if helper in _SHORT and f.instructions.rescale and _is_small(op, f):
        return _rescaled(op, arguments, f)
    if (
        helper in _SHORT
        and f.ranges.of(op.value) in SHORT_VALUE
        and f.ranges.of(op.shift) in SHORT_SHIFT
    ):
        helper = _SHORT[helper]
    return expr.call_expr(helper, arguments, "int32_t")


def _of_lanes(op: tosa.ApplyScaleOp, value: Expr, f: FunctionPrinter) -> Expr:
    """Return `forebay_rescale_i32x4(value, multiplier, shift)`, with one of each for all lanes.

    `forebay_scale` takes values and shifts that are too large for the short form.
    """
    multiplier, shift = f.ranges.of(op.multiplier), f.ranges.of(op.shift)
    is_short = f.ranges.of(op.value) in SHORT_VALUE and shift in SHORT_SHIFT_OF_LANES
    name = "rescale" if is_short else "scale"
    factors = (expr.integer_expr(multiplier.low), expr.integer_expr(shift.low))
    type_ = VectorType(op.value.type)
    function = f"forebay_{name}_{vector_suffix(type_)}"
    return expr.call_expr(function, (value, *factors), scalar_type(type_))


def _rescaled(op: tosa.ApplyScaleOp, arguments: tuple[Expr, ...], f: FunctionPrinter) -> Expr:
    """Return a call of the processor's function, which adds the zero point of the only user."""
    value, zero_point, addend = op.output, _zero_point(op, f), Range(0, 0)
    if zero_point is not None:
        f.with_addend.add(value)
        (added,) = f.uses.of(value)
        value, addend = added.results[0], f.ranges.of(zero_point)
    is_limited = _is_limited(value, addend, f)
    name = f.instructions.rescale_limited if is_limited else f.instructions.rescale
    offset = offset_of_limits(value, f) if f.instructions.limits_without_sign else 0
    if zero_point is None or addend.low == addend.high:
        last = expr.integer_expr(addend.low + offset)
    else:
        last = f.operand(zero_point)
        last = expr.add_expr(last, expr.integer_expr(offset), "int32_t") if offset else last
    return expr.call_expr(name, (*arguments, last), "int32_t")


def _is_small(op: tosa.ApplyScaleOp, f: FunctionPrinter) -> bool:
    return f.ranges.of(op.value) in SHORT_VALUE and f.ranges.of(op.shift) in SHORT_SHIFT_OF_LANES


def _zero_point(op: tosa.ApplyScaleOp, f: FunctionPrinter) -> ir.Value | None:
    """Return the number of 8 bits that the only user adds: a constant or an argument, else None."""
    user = f.uses.only_user(op.output)
    if not isinstance(user, arith.AddIOp) or user.lhs != op.output:
        return None
    term = f.ranges.of(user.rhs)
    is_known = term.low == term.high or isinstance(user.rhs, ir.BlockArgument)
    return user.rhs if is_known and term in _ZERO_POINT else None


def _is_limited(value: ir.Value, zero_point: Range, f: FunctionPrinter) -> bool:
    """Return whether the only user replaces all values below the zero point by a limit."""
    limit = f.uses.only_user(value)
    if not isinstance(limit, arith.MaxSIOp):
        return False
    return limit.lhs == value and f.ranges.of(limit.rhs).low >= zero_point.high


@printable_check(tosa.ApplyScaleOp)
def _check_apply_scale(op: tosa.ApplyScaleOp) -> str | None:
    if isinstance(op.value.type, VectorType):
        return _check_lanes(op)
    if _helper(op) is None:
        return f"rounding of apply_scale; known: {', '.join(_HELPERS)}"
    if bit_width_of(op.value) > 32 or bit_width_of(op.multiplier) > 32:
        return "apply_scale has a C form for i32 values and multipliers"
    return None


def _check_lanes(op: tosa.ApplyScaleOp) -> str | None:
    is_known = str(op.value.type) in SUMS and _helper(op) in _SHORT
    if is_known and all(map(_is_splat, (op.multiplier, op.shift))):
        return None
    kinds = ", ".join(SUMS)
    return f"apply_scale of vectors has a C form for {kinds}, equal constants, double rounding"


def _is_splat(value: ir.Value) -> bool:
    owner = defining_op(value)
    return isinstance(owner, arith.ConstantOp) and DenseElementsAttr(owner.value).is_splat
