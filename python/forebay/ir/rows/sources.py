"""Inputs whose rows the application hands in one by one, and the copies that read the rows.

Such an input is an argument of an entry function in no pool. Only copies of its rows, in ascending
order, read it::

    func.func @main(%image: memref<1x32x32x3xi8> {memref_pool.row_source}, ...)
      scf.for %y = ... {
        %row = memref.subview %image[0, %y, 0, 0] [1, 1, 32, 3] [1, 1, 1, 1]
        memref.copy %row, %target
"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import func, memref

from forebay.ir.attributes import named_attributes
from forebay.ir.interfaces import slice_of
from forebay.ir.rows.layout import row_dims_of

ROW_SOURCE = "memref_pool.row_source"
"""The attribute of an argument whose rows the application hands in."""


def row_sources(function: func.FuncOp) -> list[ir.BlockArgument]:
    """Return the arguments of a function whose rows the application hands in."""
    if function.is_external:
        return []
    return [
        argument
        for argument, attributes in zip(function.arguments, _attributes(function), strict=True)
        if ROW_SOURCE in attributes
    ]


def is_row_source(value: ir.Value) -> bool:
    """Return whether a value is such an argument."""
    owner = value.owner
    if not isinstance(owner, ir.Block):
        return False
    function = owner.owner.operation.opview
    return isinstance(function, func.FuncOp) and value in row_sources(function)


def whole_reads(function: func.FuncOp) -> list[memref.CopyOp]:
    """Return the copies of all rows of an input that the application hands in."""
    return [
        op
        for op in function.entry_block.operations
        if isinstance(op, memref.CopyOp) and is_row_source(op.source)
    ]


def not_read_by_rows(argument: ir.BlockArgument) -> ir.OpView | None:
    """Return a user of such an argument that does not copy one row; None if there is none."""
    for use in argument.uses:
        part = use.owner.opview if isinstance(use.owner, ir.Operation) else use.owner
        if not _is_row(part):
            return part
        for other in part.results[0].uses:
            user = other.owner.opview if isinstance(other.owner, ir.Operation) else other.owner
            if (
                not isinstance(user, memref.CopyOp)
                or other.operand_number != 0
                or not _is_contiguous(ir.MemRefType(user.target.type))
            ):
                return user
    return None


def _is_row(op: ir.OpView) -> bool:
    part = slice_of(op)
    if not isinstance(op, memref.SubViewOp) or part is None:
        return False
    shape = list(ir.MemRefType(op.source.type).shape)
    axis = (row_dims_of(shape) or 1) - 1
    sizes = [1 if number == axis else extent for number, extent in enumerate(shape)]
    offsets = [offset for number, offset in enumerate(part.offsets) if number != axis]
    return list(part.sizes) == sizes and set(offsets) <= {0} and set(part.strides) <= {1}


def _is_contiguous(type_: ir.MemRefType) -> bool:
    strides, _ = type_.get_strides_and_offset()
    expected = 1
    for extent, stride in zip(reversed(list(type_.shape)), reversed(strides), strict=True):
        if extent > 1 and stride != expected:
            return False
        expected *= extent
    return True


def _attributes(function: func.FuncOp) -> Sequence[dict[str, ir.Attribute]]:
    if not len(function.arguments) or "arg_attrs" not in function.attributes:
        return [{} for _ in function.arguments]
    return [named_attributes(each) for each in function.arg_attrs]
