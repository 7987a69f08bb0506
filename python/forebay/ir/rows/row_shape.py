"""Rows of another shape: the same elements of each row, in fewer dimensions.

No view op takes memrefs whose rows lie anywhere. Therefore the memref is cast, and what shows a row
of the result shows a row of the memref itself::

    %x : memref<1x8x6x4xi8, #memref_pool.rows<2>>
    %y = builtin.unrealized_conversion_cast %x to memref<1x8x24xi8, #memref_pool.rows<2>>

    a row of %y:   %row = memref_pool.row %x[0, %i]  to memref<6x4xi8>
                   memref.collapse_shape %row [[0, 1]]
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from mlir import ir
from mlir.dialects import builtin, memref

from forebay.ir.interfaces import FoldResult
from forebay.ir.rows.indices import make_row
from forebay.ir.rows.layout import rows_of


def with_row_shape(value: ir.Value, shape: Sequence[int]) -> ir.Value:
    """Return a memref with rows of a collapsed shape, for `row_of_shape` only."""
    type_, rows = ir.MemRefType(value.type), rows_of(value.type)
    assert rows is not None, "the value is a memref of rows"
    result = ir.MemRefType.get(
        [*rows.extents, *shape], type_.element_type, type_.layout, type_.memory_space
    )
    return builtin.UnrealizedConversionCastOp([result], [value]).results[0]


def row_of_shape(value: ir.Value, indices: Sequence[FoldResult]) -> ir.Value:
    """Make a row of a memref of rows, which may be a result of `with_row_shape`."""
    owner = value.owner
    cast = None if isinstance(owner, ir.Block) else owner.opview
    if not isinstance(cast, builtin.UnrealizedConversionCastOp):
        return make_row(value, indices)
    rows = rows_of(value.type)
    assert rows is not None, "the value is a memref of rows"
    return collapsed(make_row(cast.inputs[0], indices), rows.row_shape)


def collapsed(value: ir.Value, shape: Sequence[int]) -> ir.Value:
    """Return a view of a contiguous memref in which neighbouring dimensions are one."""
    type_ = ir.MemRefType(value.type)
    groups: list[list[int]] = []
    axis = 0
    for extent in shape:
        end = axis + 1
        while math.prod(type_.shape[axis:end]) != extent:
            end += 1
        groups.append(list(range(axis, end)))
        axis = end
    groups[-1] += range(axis, type_.rank)
    return memref.CollapseShapeOp(_collapsed_type(type_, groups, shape), value, groups).result


def _collapsed_type(
    type_: ir.MemRefType, groups: Sequence[Sequence[int]], shape: Sequence[int]
) -> ir.MemRefType:
    """Return the type of a contiguous memref with these groups of dimensions."""
    if isinstance(type_.layout, ir.AffineMapAttr):
        layout = None
    else:
        strides, offset = type_.get_strides_and_offset()
        # The stride of a group is that of its last dimension with several indices.
        last = [
            next((n for n in reversed(group) if type_.shape[n] > 1), group[0]) for group in groups
        ]
        layout = ir.StridedLayoutAttr.get(offset, [strides[n] for n in last])
    return ir.MemRefType.get(list(shape), type_.element_type, layout, type_.memory_space)
