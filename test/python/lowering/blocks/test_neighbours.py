"""Dimensions along which elements of an operand are neighbours in memory."""

from __future__ import annotations

import pytest
from common.host_jit import BUFFERS, HOST_LOWERING, lower
from common.reduce_cases import Case, source
from mlir import ir

from forebay.dialects.accel import ReduceOp
from forebay.ir.nested import ops_nested_in
from forebay.lowering.blocks.neighbours import neighbours_in, uses_dim


def op_of(*axes: tuple[int, ...]) -> tuple[ir.Module, ReduceOp]:
    """An op over (x, c, k) that reads one operand by these coefficients of its axes."""
    shape = tuple(1 + sum(c * (e - 1) for c, e in zip(own, (4, 3, 2), strict=True)) for own in axes)
    case = Case((4, 3), (2,), (shape,), (tuple((own, 0) for own in axes),))
    module = ir.Module.parse(source(case))
    lower(module, HOST_LOWERING, BUFFERS)
    (op,) = (own for own in ops_nested_in(module.operation) if isinstance(own, ReduceOp))
    return module, op


@pytest.mark.parametrize(
    ("axes", "found"),
    [
        (((1, 0, 0), (0, 1, 0)), {1}),
        (((0, 1, 0), (1, 0, 1)), {0, 2}),
        (((1, 0, 0), (0, 2, 0)), set()),
        # The dimension selects the row, too.
        (((0, 1, 0), (0, 1, 0)), set()),
    ],
)
def test_the_last_axis_has_the_neighbours(axes: tuple[tuple[int, ...], ...], found: set) -> None:
    with ir.Context(), ir.Location.unknown():
        _, op = op_of(*axes)
        assert neighbours_in(op, 0, op.inputs[0]) == found


def test_an_operand_uses_the_dimensions_of_its_map() -> None:
    with ir.Context(), ir.Location.unknown():
        _, op = op_of((1, 0, 0), (0, 0, 1))
        assert [uses_dim(op, 0, dim) for dim in range(3)] == [True, False, True]
