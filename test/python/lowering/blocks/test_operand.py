"""The rows that a block reads, and the loop in which they are known."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from mlir import ir
from mlir.dialects import arith, func

from forebay.dialects.memref_pool import RowOp
from forebay.ir.memory.linear import Linear
from forebay.lowering.blocks.operand import BlockOperand
from forebay.lowering.blocks.subdomain import Subdomain
from forebay.lowering.loops.counters import Counters

Y, X, KY, KX = range(4)
ROW, COLUMN = Linear({Y: 1, KY: 1}, -1), Linear({X: 1, KX: 1})


@pytest.fixture
def operand() -> Iterator[BlockOperand]:
    """A window of three rows around a row of eight, which lie anywhere; it is a function's."""
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.create()
        kind = ir.Type.parse("memref<8x7xi8, #memref_pool.rows<1>>")
        with ir.InsertionPoint(module.body):
            function = func.FuncOp("main", ([kind, ir.IndexType.get()], []))
        block = function.add_entry_block()
        with ir.InsertionPoint(block):
            yield BlockOperand(0, block.arguments[0], [ROW, COLUMN])


def subdomain(rows: range, steps: int, points: range = range(3)) -> Subdomain:
    counters = [rows, range(5), points, range(3)]
    return Subdomain([(ROW, 8)], counters, [1, 1, steps, 1], 2, {Y})


def test_rows_of_an_unrolled_window_are_known_outside_of_its_loop(operand: BlockOperand) -> None:
    assert operand.level(subdomain(range(1, 7), steps=3)) == Y


def test_rows_of_a_window_with_a_loop_are_known_in_it(operand: BlockOperand) -> None:
    assert operand.level(subdomain(range(1, 7), steps=1)) == KY
    assert operand.level(subdomain(range(8), steps=3)) == KY  # clamped at the borders


def test_a_block_takes_each_row_once(operand: BlockOperand) -> None:
    block = operand.value.owner
    assert isinstance(block, ir.Block)
    counters = Counters([ROW])
    counters.enter(Y, block.arguments[1])
    rows = operand.take_rows(Y, counters, subdomain(range(1, 7), steps=3))
    assert [rows[operand.distances({KY: step, X: 1})] for step in range(3)] == list(rows.values())
    assert [op.name for op in block.operations].count("memref_pool.row") == 3


def test_rows_begin_at_the_first_point_of_a_window_that_is_cut(operand: BlockOperand) -> None:
    """At row 0 only the points 1 and 2 of the window are inside."""
    first = subdomain(range(1), steps=2, points=range(1, 3))
    assert operand.level(first) == Y
    block = operand.value.owner
    assert isinstance(block, ir.Block)
    counters = Counters([ROW])
    counters.enter(Y, block.arguments[1])
    rows = operand.take_rows(Y, counters, first)
    base = counters.value(ROW.kept(lambda d: d == Y))
    assert [added_to(base, row) for row in rows.values()] == [1, 2]


def added_to(base: ir.Value, row: ir.Value) -> int:
    """Return the number that is added to a value in the index of a row."""
    op = row.owner.opview
    assert isinstance(op, RowOp)
    (index,) = op.indices
    addition = index.owner.opview
    assert isinstance(addition, arith.AddIOp) and addition.lhs == base
    number = addition.rhs.owner.opview
    assert isinstance(number, arith.ConstantOp)
    return ir.IntegerAttr(number.value).value
