"""Interchanged dimensions address the same elements."""

from __future__ import annotations

from common.host_jit import BUFFERS, HOST_LOWERING, lower
from common.reduce_cases import Case, source
from mlir import ir

from forebay.dialects.accel import ReduceOp
from forebay.ir.nested import ops_nested_in
from forebay.ir.structured.reduce_box import box_of
from forebay.lowering.schedule.interchange import clamped_first, factors_first, interchange

# y, x, c, k: windows of two columns
CASE = Case(
    (3, 4, 5),
    (2,),
    ((3, 5), (5, 2)),
    ((((1, 0, 0, 0), 0), ((0, 1, 0, 1), 0)), (((0, 0, 1, 0), 0), ((0, 0, 0, 1), 0))),
)


def reduce_of(module: ir.Module) -> ReduceOp:
    (op,) = (own for own in ops_nested_in(module.operation) if isinstance(own, ReduceOp))
    return op


def elements(op: ReduceOp, operand: int, at: dict[int, int]) -> tuple[int, ...]:
    """Return the index of an operand at a point, by the text of the map of its linear forms."""
    map_ = ir.AffineMapAttr(op.maps[operand]).value
    zero = dict.fromkeys(range(map_.n_dims), 0)
    dims = [ir.AffineExpr.get_constant({**zero, **at}[d]) for d in range(map_.n_dims)]
    by = ir.AffineMap.get(0, 0, dims)
    return tuple(ir.AffineConstantExpr(e.compose(by)).value for e in map_.results)


def test_channels_of_the_second_operand_become_the_first_dimension() -> None:
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(source(CASE))
        lower(module, HOST_LOWERING, BUFFERS)
        assert factors_first(reduce_of(module)) == [2, 0, 1, 3]
        before = [elements(reduce_of(module), n, {0: 2, 1: 3, 2: 4}) for n in (0, 1, 2)]
        op = interchange(reduce_of(module), [2, 0, 1, 3])
        assert list(op.parallel) == [5, 3, 4]
        assert [elements(op, n, {0: 4, 1: 2, 2: 3}) for n in (0, 1, 2)] == before
        assert before == [(2, 3), (4, 0), (2, 3, 4)]
        assert module.operation.verify()
        assert factors_first(op) == [0, 1, 2, 3]
        assert interchange(op, [0, 1, 2, 3]) is op


def test_the_box_of_an_op_is_permuted_and_its_row_stays_in_front() -> None:
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(source(CASE, row=0))
        lower(module, HOST_LOWERING, BUFFERS)
        assert factors_first(reduce_of(module)) == [0, 2, 1, 3]
        (row,) = reduce_of(module).starts
        op = interchange(reduce_of(module), [0, 2, 1, 3])
        box = box_of(op)
        assert (box.starts[0], box.starts[1:]) == (row, (0, 0, 0))
        assert (box.extents, box.sizes) == ((3, 5, 4, 2), (1, 5, 4, 2))
        moved = box_of(interchange(op, [2, 1, 0, 3]))
        assert (moved.starts[2], moved.sizes) == (row, (4, 5, 1, 2))
        assert module.operation.verify()


def test_loops_that_are_clamped_most_often_become_the_outer_ones() -> None:
    """A 3x3 window reaches over the border in 2 of 25 rows and in 2 of 5 columns."""
    window = (((1, 0, 1, 0), -1), ((0, 1, 0, 1), -1))
    taps = (((0, 0, 1, 0), 0), ((0, 0, 0, 1), 0))
    case = Case((25, 5), (3, 3), ((25, 5), (3, 3)), (window, taps))
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(source(case))
        lower(module, HOST_LOWERING, BUFFERS)
        order = clamped_first(reduce_of(module))
        assert order == [0, 1, 3, 2]
        before = [elements(reduce_of(module), n, {0: 7, 1: 4, 2: 2, 3: 1}) for n in (0, 1, 2)]
        op = interchange(reduce_of(module), order)
        assert before == [(8, 4), (2, 1), (7, 4)]
        assert [elements(op, n, {0: 7, 1: 4, 2: 1, 3: 2}) for n in (0, 1, 2)] == before
        assert module.operation.verify()
        assert clamped_first(op) == [0, 1, 2, 3]
