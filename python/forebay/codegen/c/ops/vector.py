"""Vectors of 8-bit integers, by the functions of a header of the instruction set."""

from __future__ import annotations

from mlir import ir
from mlir.dialects import vector
from mlir.ir import F32Type, IntegerType, MemRefType, Type, Value, VectorType

from forebay.codegen.c.function import FunctionPrinter
from forebay.codegen.c.pointers import linear_index
from forebay.codegen.c.registry import expression, printable_check, statement
from forebay.codegen.c.syntax import expr
from forebay.codegen.c.syntax.expr import Expr
from forebay.codegen.c.syntax.statements import Evaluate
from forebay.codegen.c.syntax.types import (
    PRODUCTS,
    SUMS,
    is_elements,
    is_lanes,
    scalar_type,
    vector_suffix,
)
from forebay.dialects.accel import (
    AddTotalsOp,
    DotEachOp,
    DotOp,
    DotsOp,
    LoadBetweenOp,
    LoadExtendedOp,
    MultiplyAddOp,
    StoreRescaledOp,
)
from forebay.ir.memory.ranges_arith import SHORT_SHIFT_OF_LANES, SHORT_VALUE

_WORD = 4
"""Elements of a word whose products are added to each sum."""


@expression(vector.LoadOp)
def load_vector(op: vector.LoadOp, f: FunctionPrinter) -> Expr:
    """Return `forebay_load_i8x4(&p[i])`, or `forebay_load_first_i8x16(&p[i], 11)`."""
    type_ = VectorType(op.result.type)
    address = _address(op.base, list(op.indices), f, "const ")
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


@expression(DotsOp)
def dots(op: DotsOp, f: FunctionPrinter) -> Expr:
    """Return `forebay_dots_i32x8_i8x16(sums, x, 128, w)`."""
    total, one, other = f.operands(op.sum, op.lhs, op.rhs)
    offset = expr.integer_expr(op.offset.value)
    words = vector_suffix(VectorType(op.lhs.type))
    name = f"forebay_dots_{vector_suffix(VectorType(op.sum.type))}_{words}"
    return expr.call_expr(name, (total, one, offset, other), scalar_type(op.sum.type))


@expression(DotEachOp)
def dot_each(op: DotEachOp, f: FunctionPrinter) -> Expr:
    """Return `forebay_dot_each_i32x16(sums, x, 128, w)`."""
    total, one, other = f.operands(op.sum, op.lhs, op.rhs)
    offset = expr.integer_expr(op.offset.value)
    return _of(op.result.type, "dot_each", total, one, offset, other)


@expression(AddTotalsOp)
def add_totals(op: AddTotalsOp, f: FunctionPrinter) -> Expr:
    """Return `forebay_add_totals_i32x8(start, a, b, c, d, e, f, g, h)`."""
    return _of(op.result.type, "add_totals", *f.operands(op.start, *op.sums))


@expression(vector.ReductionOp)
def reduction(op: vector.ReductionOp, f: FunctionPrinter) -> Expr:
    """Return `forebay_total_i32x8(sums, start)`."""
    assert op.acc is not None, "checked to be printable"
    suffix = vector_suffix(VectorType(op.vector.type))
    arguments = f.operands(op.vector, op.acc)
    return expr.call_expr(f"forebay_total_{suffix}", arguments, "int32_t")


@expression(LoadExtendedOp)
def load_extended(op: LoadExtendedOp, f: FunctionPrinter) -> Expr:
    """Return `forebay_extend_i16x8(&p[i])`."""
    address = _address(op.base, list(op.indices), f, "const ")
    return _of(op.result.type, "extend", address)


@expression(LoadBetweenOp)
def load_between(op: LoadBetweenOp, f: FunctionPrinter) -> Expr:
    """Return `forebay_load_between_i8x16(p, i, begin, end, -128)`; `p[i]` may be no element."""
    pointer = f.pointer(op.base)
    index = linear_index(f.operands(*op.indices), pointer)
    begin, end = f.operands(op.begin, op.end)
    memory = expr.cast_expr("const int8_t *", pointer.expression)
    arguments = (memory, index, begin, end, expr.integer_expr(op.fill.value))
    return _of(op.result.type, "load_between", *arguments)


@expression(vector.BroadcastOp)
def broadcast(op: vector.BroadcastOp, f: FunctionPrinter) -> Expr:
    """Return `forebay_splat_i32x4(x)`."""
    return _of(op.vector.type, "splat", f.operand(op.source))


@expression(vector.FromElementsOp)
def from_elements(op: vector.FromElementsOp, f: FunctionPrinter) -> Expr:
    """Return `forebay_of_i32x4(a, b, c, d)`."""
    return _of(op.dest.type, "of", *f.operands(*op.elements))


@expression(vector.ExtractOp)
def extract(op: vector.ExtractOp, f: FunctionPrinter) -> Expr:
    """Return `forebay_get_i32x4(sums, 2)`."""
    suffix = vector_suffix(VectorType(op.source.type))
    lane = expr.integer_expr(op.static_position[0])
    return expr.call_expr(f"forebay_get_{suffix}", (f.operand(op.source), lane), "int32_t")


@expression(MultiplyAddOp)
def multiply_add(op: MultiplyAddOp, f: FunctionPrinter) -> Expr:
    """Return `forebay_multiply_add_i32x8(sum, x, 128, w)`."""
    total, one, other = f.operands(op.sum, op.lhs, op.rhs)
    offset = expr.integer_expr(op.offset.value)
    return _of(op.result.type, "multiply_add", total, one, offset, other)


@statement(StoreRescaledOp)
def store_rescaled(op: StoreRescaledOp, f: FunctionPrinter) -> None:
    """Print `forebay_store_rescaled_i32x4(&p[i], sum, m, s, -128, -128, 127);`.

    `forebay_store_scaled` takes sums and shifts that are too large for the short form.
    """
    values = f.operands(op.sum, op.multiplier, op.shift)
    address = _address(op.base, list(op.indices), f, "")
    numbers = (expr.integer_expr(value.value) for value in (op.zero_point, op.low, op.high))
    is_short = f.ranges.of(op.sum) in SHORT_VALUE and f.ranges.of(op.shift) in SHORT_SHIFT_OF_LANES
    name = "store_rescaled" if is_short else "store_scaled"
    f.settle_reads()
    f.add(Evaluate(_of(op.sum.type, name, address, *values, *numbers)))


@statement(vector.StoreOp)
def store_vector(op: vector.StoreOp, f: FunctionPrinter) -> None:
    """Print `forebay_store_f32x8(&p[i], sums);` or `forebay_store_first_i8x16(&p[i], v, 11);`."""
    value = f.operand(op.valueToStore)
    address = _address(op.base, list(op.indices), f, "")
    f.settle_reads()
    type_ = VectorType(op.valueToStore.type)
    lanes = type_.shape[0]
    if vector_suffix(type_).endswith(f"x{lanes}"):
        f.add(Evaluate(_of(type_, "store", address, value)))
    else:
        f.add(Evaluate(_of(type_, "store_first", address, value, expr.integer_expr(lanes))))


@printable_check(vector.StoreOp)
def _check_store(op: vector.StoreOp) -> str | None:
    type_ = VectorType(op.valueToStore.type)
    is_floats = is_lanes(type_) and isinstance(type_.element_type, F32Type)
    is_known = is_floats or is_elements(type_)
    return None if is_known else f"no function in C stores a {type_}"


@printable_check(vector.BroadcastOp)
def _check_broadcast(op: vector.BroadcastOp) -> str | None:
    is_number = isinstance(op.source.type, IntegerType | F32Type)
    is_known = is_lanes(VectorType(op.vector.type)) or is_elements(VectorType(op.vector.type))
    reason = "vector.broadcast has a C form from a number to lanes"
    return None if is_number and is_known else reason


@printable_check(vector.LoadOp)
def _check_load(op: vector.LoadOp) -> str | None:
    element = VectorType(op.result.type).element_type
    is_known = isinstance(element, F32Type) or IntegerType(element).width in (8, 32)
    return None if is_known else f"no function in C loads a {op.result.type}"


@printable_check(vector.FromElementsOp)
def _check_from_elements(op: vector.FromElementsOp) -> str | None:
    is_known = str(op.dest.type) in SUMS
    return None if is_known else f"vector.from_elements has a C form for {', '.join(SUMS)}"


@printable_check(vector.ExtractOp)
def _check_extract(op: vector.ExtractOp) -> str | None:
    is_constant = not len(op.dynamic_position)
    is_known = is_constant and str(op.source.type) in SUMS
    return None if is_known else f"vector.extract has a C form for a lane of {', '.join(SUMS)}"


@printable_check(DotsOp)
def _check_dots(op: DotsOp) -> str | None:
    is_known = str(op.sum.type) in SUMS
    return None if is_known else f"accel.dots has a C form for {', '.join(SUMS)}"


@printable_check(AddTotalsOp)
def _check_add_totals(op: AddTotalsOp) -> str | None:
    types = {str(value.type) for value in (op.start, *op.sums)}
    lanes = VectorType(op.start.type).shape[0]
    is_known = len(types) == 1 and types <= {*SUMS} and len(op.sums) == lanes
    kinds = ", ".join(SUMS)
    return None if is_known else f"accel.add_totals has a C form for as many vectors of {kinds}"


@printable_check(vector.ReductionOp)
def _check_reduction(op: vector.ReductionOp) -> str | None:
    is_sum = op.kind == ir.Attribute.parse("#vector.kind<add>") and op.acc is not None
    is_known = is_sum and str(op.vector.type) in SUMS
    kinds = ", ".join(SUMS)
    return None if is_known else f"vector.reduction has a C form that adds to a sum of {kinds}"


@printable_check(MultiplyAddOp)
def _check_multiply_add(op: MultiplyAddOp) -> str | None:
    is_known = str(op.sum.type) in PRODUCTS
    return None if is_known else f"accel.multiply_add has a C form for {', '.join(PRODUCTS)}"


@printable_check(DotEachOp)
def _check_dot_each(op: DotEachOp) -> str | None:
    is_known = str(op.sum.type) in PRODUCTS and VectorType(op.lhs.type).shape[0] == _WORD
    kinds = ", ".join(PRODUCTS)
    return None if is_known else f"accel.dot_each has a C form for words of {_WORD} and {kinds}"


def _of(type_: Type, name: str, *arguments: Expr) -> Expr:
    """Return a call of the function with this name for vectors of a type."""
    vector_type = VectorType(type_)
    return expr.call_expr(
        f"forebay_{name}_{vector_suffix(vector_type)}", arguments, scalar_type(vector_type)
    )


def _address(base: Value, indices: list[Value], f: FunctionPrinter, const: str) -> Expr:
    """Return `&p[i]`, as a pointer to elements."""
    pointer = f.pointer(base)
    index = linear_index(f.operands(*indices), pointer)
    element = expr.element_expr(pointer.expression, index, pointer.ctype)
    ctype = f"{const}{scalar_type(MemRefType(base.type).element_type)} *"
    return expr.cast_expr(ctype, expr.unary_expr("&", element, ctype))
