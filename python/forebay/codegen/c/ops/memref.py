"""Buffers: views become pointers, accesses become `p[(y * 32 + x) * 3 + c]`."""

from __future__ import annotations

import math
from typing import Any

from mlir.dialects import arith, memref
from mlir.ir import IntegerAttr, MemRefType, Value
from msgspec.structs import replace

from forebay.codegen.c.function import FunctionPrinter
from forebay.codegen.c.naming.roles import buffer_name, fetched_name, operator_role
from forebay.codegen.c.ops.copies import copy_statements
from forebay.codegen.c.pointers import (
    UNKNOWN,
    ByteExtent,
    Pointer,
    linear_index,
    pointer_to,
)
from forebay.codegen.c.registry import expression, printable_check, statement
from forebay.codegen.c.syntax import expr
from forebay.codegen.c.syntax.expr import Expr
from forebay.codegen.c.syntax.statements import Declare, DeclareArray, assignment
from forebay.codegen.c.syntax.types import scalar_type
from forebay.dialects import memref_pool
from forebay.ir.attributes import integers_of
from forebay.ir.interfaces import FoldResult
from forebay.ir.locations import name_hint
from forebay.ir.machine.pools import bytes_of
from forebay.ir.nested import defining_op
from forebay.ir.rows.layout import row_dims_of
from forebay.ir.rows.tables import is_row_table
from forebay.ir.views.layouts import DYNAMIC
from forebay.network.errors import EmissionError
from forebay.network.names import identifier

_BYTE_TYPES = ("int8_t", "bool")


@expression(memref.LoadOp)
def load(op: memref.LoadOp, f: FunctionPrinter) -> Expr:
    """Return `p[i]`."""
    pointer = f.pointer(op.memref)
    index = linear_index(f.operands(*op.indices), pointer)
    found = expr.element_expr(pointer.expression, index, pointer.ctype)
    return expr.cast_expr(scalar_type(op.result.type), found)


@statement(memref.StoreOp)
def store(op: memref.StoreOp, f: FunctionPrinter) -> None:
    """Print `p[i] = x;`."""
    value = f.operand(op.value)
    pointer = f.pointer(op.memref)
    if pointer.ctype != scalar_type(op.value.type):
        value = expr.cast_expr(pointer.ctype, value)
    index = linear_index(f.operands(*op.indices), pointer)
    f.settle_reads()
    target = expr.element_expr(pointer.expression, index, pointer.ctype)
    f.add(assignment(target, value))


@statement(memref.CopyOp, memref_pool.CopyOp)
def copy_op(op: Any, f: FunctionPrinter) -> None:
    """Print memcpy, or loops around it for strided memory; a call where the source is a row."""
    row = f.row_sources.get(op.source)
    if row is not None:
        f.settle()
        call = row.into(f.pointer(op.target).expression)
        f.checked_call(op, call, (row.type.port,), "the rows of the input")
        return
    source, target = f.pointer(op.source), f.pointer(op.target)
    if UNKNOWN in source.sizes:
        raise EmissionError(op.location, f"the size of this {op.source.type} is unknown")
    copy_statements(source, target, f)


@expression(memref.DimOp)
def dim(op: memref.DimOp, f: FunctionPrinter) -> Expr:
    """Return the size of a dimension, from the memref's pointer."""
    size = f.pointers[op.source].sizes[_constant(op.index)]
    if size == UNKNOWN:
        raise EmissionError(op.location, f"the size of this {op.source.type} is unknown")
    return size


@printable_check(memref.DimOp)
def _check_dim(op: memref.DimOp) -> str | None:
    return None if _constant(op.index, -1) >= 0 else "the dimension of memref.dim is not constant"


@statement(memref.GetGlobalOp)
def row_table(op: memref.GetGlobalOp, f: FunctionPrinter) -> None:
    """Bind a table of places of rows, the only constant that is not in a pool."""
    type_ = MemRefType(op.result.type)
    f.pointers[op.result] = pointer_to(f.tables[op.name.value].name, type_)


@printable_check(memref.GetGlobalOp)
def _check_row_table(op: memref.GetGlobalOp) -> str | None:
    if is_row_table(op.result):
        return None
    return "'memref.get_global' has no C form; a pass must lower it first"


@statement(memref_pool.AddressOp)
def address(op: memref_pool.AddressOp, f: FunctionPrinter) -> None:
    """Print `uint8_t *const tcm = (uint8_t *)(uintptr_t)NET_TCM_BASE;`.

    The address of a pool inside a device prints nothing: it is a number in the calls that use it.
    """
    pool = op.placement.pool
    if pool not in f.addresses:
        return
    is_written, layout = f.writes.through(op.memref), f.layouts.get(pool)
    if is_written and layout is not None:
        raise EmissionError(op.location, f"the constant pool '{pool}' is written here")
    type_ = MemRefType(op.memref.type)
    ctype = "uint8_t" if layout is None else layout.ctype
    chosen = f.scope.unique(identifier(pool, "pool").lower())
    pointer = f"{'' if is_written else 'const '}{ctype} *"
    number = expr.cast_expr("uintptr_t", expr.name_expr(f.addresses[pool], ""))
    found = expr.cast_expr(pointer, number)
    f.add(Declare(f"{pointer}const", chosen, found, "pointer", if_used=True))
    extent = ByteExtent(op.memref, 0, bytes_of(type_))
    f.pointers[op.memref] = replace(pointer_to(chosen, type_, extent, ctype), layout=layout)


@statement(memref.AllocaOp)
def local(op: memref.AllocaOp, f: FunctionPrinter) -> None:
    """Print `int16_t sums[8];`."""
    type_ = MemRefType(op.memref.type)
    ctype = scalar_type(type_.element_type)
    chosen = f.scope.unique(_role(op.memref, f))
    size = math.prod(type_.shape)
    f.add(DeclareArray(ctype, chosen, size, 8 * bytes_of(type_) // size))
    extent = ByteExtent(op.memref, 0, bytes_of(type_))
    f.pointers[op.memref] = pointer_to(chosen, type_, extent)


@printable_check(memref.AllocaOp)
def _check_local(op: memref.AllocaOp) -> str | None:
    if MemRefType(op.memref.type).has_static_shape:
        return None
    return "a local variable whose size is known at run time only has no C form"


@statement(memref.ViewOp)
def view(op: memref.ViewOp, f: FunctionPrinter) -> None:
    """Print `int32_t *p = (int32_t *)(void *)(pool + 64);`."""
    source = f.pointer(op.source)
    start = f.operand(op.byte_shift)
    type_ = MemRefType(op.result.type)
    extent = None
    if source.extent is not None and start.literal is not None:
        begin = source.extent.start + start.literal
        extent = ByteExtent(source.extent.root, begin, begin + bytes_of(type_))
    found = pointer_to("", type_, extent)
    ctype = found.ctype
    base = source.expression
    if source.layout is not None:
        member = (
            source.layout.member_at(start.literal, ctype) if start.literal is not None else None
        )
        if member is not None:
            held = expr.member_expr(source.expression, member.name, f"{ctype} *")
            f.pointers[op.result] = replace(found, expression=held)
            return
        base = expr.cast_expr("const uint8_t *", base)
    if start.literal != 0:
        base = expr.binary_expr(base, "+", start, "")
    const = "" if f.writes.through(op.result) else "const "
    if ctype not in _BYTE_TYPES:
        base = expr.cast_expr(f"{const}void *", base)
    declare_pointer(op.result, expr.cast_expr(f"{const}{ctype} *", base), found, f)


@printable_check(memref.ViewOp)
def _check_view(op: memref.ViewOp) -> str | None:
    return "a view with sizes known at run time only has no C form" if len(op.sizes) else None


@statement(memref.SubViewOp)
def subview(op: memref.SubViewOp, f: FunctionPrinter) -> None:
    """Print a pointer into the source; bind the source itself if the offset is zero."""
    rows = f.row_sources.get(op.source)
    if rows is not None:
        axis = (row_dims_of(tuple(MemRefType(op.source.type).shape)) or 1) - 1
        row = _mixed(op.static_offsets, op.offsets, f)[axis]
        f.row_sources[op.result] = replace(rows, row=row)
        return
    source = f.pointer(op.source)
    offsets = _mixed(op.static_offsets, op.offsets, f)
    sizes = _mixed(op.static_sizes, op.sizes, f, wanted="size")
    steps = integers_of(op.static_strides)
    start = linear_index(offsets, source)
    strides = tuple(s * step for s, step in zip(source.strides, steps, strict=True))
    kept = _kept_dimensions(sizes, MemRefType(op.result.type))
    shape = tuple(sizes[i] for i in kept), tuple(strides[i] for i in kept)
    found = replace(source, strides=shape[1], sizes=shape[0], layout=None)
    if start.literal == 0:
        f.pointers[op.result] = found
    else:
        declare_pointer(op.result, expr.binary_expr(source.expression, "+", start, ""), found, f)


@printable_check(memref.SubViewOp)
def _check_subview(op: memref.SubViewOp) -> str | None:
    return "a subview's step is known at run time only" if len(op.strides) else None


def declare_pointer(value: Value, address: Expr, found: Pointer, f: FunctionPrinter) -> None:
    """Write `const int8_t *in = address; /* [32][32][3] */`."""
    const = "" if f.writes.through(value) else "const "
    hint = name_hint(value.owner.location)
    chosen = f.scope.unique(identifier(hint) if hint else _role(value, f))
    shape = "".join(f"[{'' if size.literal is None else size.text}]" for size in found.sizes)
    ctype = f"{const}{found.ctype} *"
    f.add(Declare(ctype, chosen, address, "pointer", if_used=True, comment=shape))
    named = expr.name_expr(chosen, f"{found.ctype} *")
    f.pointers[value] = replace(found, expression=named, layout=None)


def _role(value: Value, f: FunctionPrinter) -> str:
    is_written = f.writes.through(value)
    made_by = operator_role(value)
    if isinstance(defining_op(value), memref.ViewOp) and made_by is not None and is_written:
        return f"{made_by}_{fetched_name(value) or 'out'}"
    return buffer_name(value, is_written=is_written, is_constant=bool(f.memory.behind(value)))


def _mixed(
    static: Any, dynamic: Any, f: FunctionPrinter, wanted: str | None = None
) -> tuple[Expr, ...]:
    """Return static and dynamic offsets or sizes in order; `wanted` names the dynamic ones."""
    values = iter(dynamic)
    return tuple(
        number_of(next(values) if number == DYNAMIC else number, f, wanted)
        for number in integers_of(static)
    )


def number_of(number: FoldResult, f: FunctionPrinter, wanted: str | None = None) -> Expr:
    """Return a constant or an operand; `wanted` names a variable that keeps its value."""
    if isinstance(number, int):
        return expr.integer_expr(number)
    return f.stable(number, wanted) if wanted else f.operand(number)


def _kept_dimensions(sizes: tuple[Expr, ...], result: MemRefType) -> list[int]:
    """Return the dimensions that a rank-reducing subview keeps: all but some of size one.

    If several dimensions have size one, any of them may be dropped: their index is always 0.
    """
    shape = list(result.shape)
    kept: list[int] = []
    for i, size in enumerate(sizes):
        at = len(kept)
        known = DYNAMIC if size.literal is None else size.literal
        if (at < len(shape) and shape[at] == known) or len(shape) - at >= len(sizes) - i:
            kept.append(i)
    return kept


def _constant(value: Value, fallback: int | None = None) -> int:
    op = defining_op(value)
    if isinstance(op, arith.ConstantOp) and isinstance(op.value, IntegerAttr):
        return op.value.value
    if fallback is None:
        raise ValueError("not a constant")
    return fallback
