"""The offset of a row as ops, evaluated for every index."""

from collections.abc import Callable
from itertools import product

import pytest
from mlir import ir
from mlir.dialects import arith, memref

import forebay  # noqa: F401
from forebay.dialects.memref_pool import RowOp
from forebay.ir.module import module_of
from forebay.ir.nested import ops_nested_in
from forebay.lowering.rows.addresses import RowTables, offset_by_table, offset_of_row

BINARY: dict[type, Callable[[int, int], int]] = {
    arith.AddIOp: lambda a, b: a + b,
    arith.MulIOp: lambda a, b: a * b,
    arith.RemUIOp: lambda a, b: a % b,
}


def evaluate(value: ir.Value, arguments: list[int]) -> int:
    if isinstance(value.owner, ir.Block):
        return arguments[ir.BlockArgument(value).arg_number - 1]
    op = value.owner.opview
    if isinstance(op, arith.ConstantOp):
        return ir.IntegerAttr(op.value).value
    if isinstance(op, arith.IndexCastOp):
        return evaluate(op.operands[0], arguments)
    if isinstance(op, memref.LoadOp):
        symbol = op.memref.owner.opview.name.value
        (table,) = (
            found
            for found in ops_nested_in(op.operation.parent.parent)
            if isinstance(found, memref.GlobalOp) and found.sym_name.value == symbol
        )
        return int(
            list(ir.DenseIntElementsAttr(table.initial_value))[evaluate(op.indices[0], arguments)]
        )
    return BINARY[type(op)](*(evaluate(operand, arguments) for operand in op.operands))


@pytest.mark.parametrize(
    "offsets",
    [
        [0, 8, 16, 24, 32, 40],
        [40, 32, 24, 16, 8, 0],
        [8, 16, 8, 16, 8, 16],
        [0, 8, 16, 0, 8, 16],
        [8, 8, 8, 8, 8, 8],
        [65536, 0, 8, 16, 24, 131072],
        [65537, 0, 8, 16, 24, 131072],
    ],
    ids=str,
)
@pytest.mark.parametrize("indices", ["%i, %j", "1, %i", "%i, 2"])
def test_every_index_gives_its_offset(offsets: list[int], indices: str) -> None:
    source = f"""
        !rows = memref<2x3x8xi8, #memref_pool.rows<2>>
        func.func @f(%m: !rows, %i: index, %j: index) {{
          %0 = memref_pool.row %m[{indices}] : !rows to memref<8xi8>
          return
        }}"""
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(source)
        (row,) = (op for op in ops_nested_in(module.operation) if isinstance(op, RowOp))
        with ir.InsertionPoint(row):
            found = offset_of_row(row, offsets, RowTables(module_of(module)))
        assert module.operation.verify()
        for i, j in product(range(2), range(3)):
            at = {"%i, %j": (i, j), "1, %i": (1, i), "%i, 2": (i, 2)}[indices]
            expected = offsets[at[0] * 3 + at[1]]
            assert evaluate(found, [i, j]) == expected


@pytest.mark.parametrize("indices", ["%i, %j", "1, %i", "1, 2"])
def test_a_table_that_is_given_is_read_at_the_number_of_the_row(indices: str) -> None:
    source = f"""
        !rows = memref<2x3x8xi8, #memref_pool.rows<2>>
        func.func @f(%m: !rows, %i: index, %j: index) {{
          %t = memref.get_global @given : memref<6xi16>
          %0 = memref_pool.row %m[{indices}] : !rows to memref<8xi8>
          return
        }}
        memref.global constant @given : memref<6xi16> = dense<[5, 4, 3, 2, 1, 9]>"""
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(source)
        ops = ops_nested_in(module.operation)
        (row,) = (op for op in ops if isinstance(op, RowOp))
        (table,) = (op for op in ops if isinstance(op, memref.GetGlobalOp))
        with ir.InsertionPoint(row):
            found = offset_by_table(row, table.result, 16)
        assert module.operation.verify()
        for i, j in product(range(2), range(3)):
            at = {"%i, %j": (i, j), "1, %i": (1, i), "1, 2": (1, 2)}[indices]
            expected = [5, 4, 3, 2, 1, 9][at[0] * 3 + at[1]] * 16
            assert evaluate(found, [i, j]) == expected
