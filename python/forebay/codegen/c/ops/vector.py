"""Vectors of 8-bit integers, by the functions of a header of the instruction set."""

from __future__ import annotations

from mlir.dialects import vector
from mlir.ir import VectorType

from forebay.codegen.c.function import FunctionPrinter
from forebay.codegen.c.pointers import linear_index
from forebay.codegen.c.registry import expression
from forebay.codegen.c.syntax import expr
from forebay.codegen.c.syntax.expr import Expr
from forebay.codegen.c.syntax.types import scalar_type, vector_suffix
from forebay.dialects.accel import DotOp


@expression(vector.LoadOp)
def load_vector(op: vector.LoadOp, f: FunctionPrinter) -> Expr:
    """Return `forebay_load_i8x4(&p[i])`, or `forebay_load_first_i8x16(&p[i], 11)`."""
    pointer = f.pointer(op.base)
    index = linear_index(f.operands(*op.indices), pointer)
    element = expr.element_expr(pointer.expression, index, pointer.ctype)
    address = expr.cast_expr("const int8_t *", expr.unary_expr("&", element, "const int8_t *"))
    type_ = VectorType(op.result.type)
    suffix, lanes = vector_suffix(type_), type_.shape[0]
    if suffix.endswith(f"x{lanes}"):
        return expr.call_expr(f"forebay_load_{suffix}", (address,), scalar_type(type_))
    arguments = (address, expr.integer_expr(lanes))
    return expr.call_expr(f"forebay_load_first_{suffix}", arguments, scalar_type(type_))


@expression(DotOp)
def dot(op: DotOp, f: FunctionPrinter) -> Expr:
    """Return `forebay_dot_i8x4(sum, x, 128, w)`, or the function of one lane."""
    total, one, other = f.operands(op.sum, op.lhs, op.rhs)
    arguments = (total, one, expr.integer_expr(op.offset.value), other)
    suffix = vector_suffix(VectorType(op.lhs.type))
    if op.lane is None:
        return expr.call_expr(f"forebay_dot_{suffix}", arguments, "int32_t")
    lane = expr.integer_expr(op.lane.value)
    return expr.call_expr(f"forebay_lane_{suffix}", (*arguments, lane), "int32_t")
