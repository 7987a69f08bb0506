"""Rows of a collapsed shape are rows of the memref itself, seen in fewer dimensions."""

from __future__ import annotations

from mlir import ir

import forebay  # noqa: F401
from forebay.ir.rows.row_shape import collapsed, row_of_shape, with_row_shape

SOURCE = """
func.func @f(%m: memref<1x3x6x4xi8, #memref_pool.rows<2>>, %p: memref<2x6x4x1xi8>,
             %v: memref<2x6x1xi8, strided<[6, 1, 24], offset: ?>>) {
  return
}
"""


def test_a_row_of_the_cast_is_one_of_its_source() -> None:
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(SOURCE)
        block = module.body.operations[0].entry_block
        with ir.InsertionPoint.at_block_begin(block):
            cast = with_row_shape(block.arguments[0], [24])
            row = row_of_shape(cast, [0, 2])
        source = row.owner.operands[0].owner
        assert str(cast.type) == "memref<1x3x24xi8, #memref_pool.rows<2>>"
        assert (row.owner.name, str(row.type)) == ("memref.collapse_shape", "memref<24xi8>")
        assert (source.name, source.operands[0]) == ("memref_pool.row", block.arguments[0])
        assert module.operation.verify()


def test_a_row_of_any_other_memref_is_as_it_is() -> None:
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(SOURCE)
        block = module.body.operations[0].entry_block
        with ir.InsertionPoint.at_block_begin(block):
            row = row_of_shape(block.arguments[0], [0, 2])
        assert (row.owner.name, str(row.type)) == ("memref_pool.row", "memref<6x4xi8>")


def test_last_dimensions_of_extent_1_are_part_of_the_last_group() -> None:
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(SOURCE)
        block = module.body.operations[0].entry_block
        with ir.InsertionPoint.at_block_begin(block):
            view = collapsed(block.arguments[1], [2, 24])
        assert str(view.type) == "memref<2x24xi8>"
        assert "[[0], [1, 2, 3]]" in str(view.owner)


def test_the_stride_is_that_of_the_last_dimension_with_several_indices() -> None:
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(SOURCE)
        block = module.body.operations[0].entry_block
        with ir.InsertionPoint.at_block_begin(block):
            view = collapsed(block.arguments[2], [2, 6])
        assert str(view.type) == "memref<2x6xi8, strided<[6, 1], offset: ?>>"
        assert module.operation.verify()
