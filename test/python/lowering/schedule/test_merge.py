"""Merged dimensions: the same values from views, for drawn shapes of convolutions."""

from __future__ import annotations

import numpy as np
import pytest
from common.host_jit import BUFFERS, HOST_LOWERING, LLVM, LOOPS, invoke, lower
from common.oracles.unoptimized_jit import UnoptimizedEngine
from common.reduce_cases import Case, expected, source
from mlir import ir

from forebay.dialects.accel import ReduceOp
from forebay.ir.nested import ops_nested_in
from forebay.lowering.schedule.merge import merge_dimensions


def convolution(kernel: int, stride: int, before: int, width: int) -> Case:
    """Rows, columns and channels, with the same window in both directions."""

    def axis(*terms: int, constant: int = 0) -> tuple[tuple[int, ...], int]:
        return terms, constant

    size = -(-width // stride)
    return Case(
        (size, size, 3),
        (kernel, kernel, 4),
        ((width, width, 4), (3, kernel, kernel, 4)),
        (
            (
                axis(stride, 0, 0, 1, 0, 0, constant=-before),
                axis(0, stride, 0, 0, 1, 0, constant=-before),
                axis(0, 0, 0, 0, 0, 1),
            ),
            tuple(axis(*(int(d == own) for d in range(6))) for own in (2, 3, 4, 5)),
        ),
    )


def pointwise(stride: int) -> Case:
    """Each pixel is a product of its channels with the weights."""
    size = 6 // stride
    rows = ((stride, 0, 0, 0), 0), ((0, stride, 0, 0), 0), ((0, 0, 0, 1), 0)
    weights = ((0, 0, 1, 0), 0), ((0, 0, 0, 1), 0)
    return Case((size, size, 3), (4,), ((6, 6, 4), (3, 4)), (rows, weights))


@pytest.mark.parametrize(
    ("case", "domain"),
    [
        (convolution(3, 1, 1, 6), ([6, 6, 3], [3, 12])),
        (convolution(2, 2, 0, 6), ([3, 3, 3], [2, 8])),
        (pointwise(1), ([36, 3], [4])),
        (pointwise(2), ([3, 3, 3], [4])),
    ],
    ids=["padded", "strided", "pixels", "strided pixels"],
)
def test_runs_of_memory_are_one_dimension(case: Case, domain: tuple[list[int], list[int]]) -> None:
    rng = np.random.default_rng(0)
    inputs = [rng.integers(-9, 10, shape).astype(np.int32) for shape in case.shapes]
    result = np.zeros(case.parallel, np.int32)
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(source(case))
        lower(module, HOST_LOWERING, BUFFERS)
        (op,) = (op for op in ops_nested_in(module.operation) if isinstance(op, ReduceOp))
        merged = merge_dimensions(op)
        assert (list(merged.parallel), list(merged.reduction)) == domain
        lower(module, LOOPS, LLVM)
        engine = UnoptimizedEngine(module)
        invoke(engine, [*inputs, result])
    np.testing.assert_array_equal(result, expected(case, inputs))


VIEW = """
#id = affine_map<(y, x) -> (y, x)>
func.func @main(%x: memref<4x4xi8, strided<[{stride}, 1], offset: ?>>, %y: memref<4x4xi8>) {{
  accel.reduce [4, 4] ins(%x : memref<4x4xi8, strided<[{stride}, 1], offset: ?>>)
    outs(%y : memref<4x4xi8>) maps [#id, #id]
    init {{
      %zero = arith.constant 0 : i8
      accel.yield %zero : i8
    }} body {{
    ^bb0(%sum: i8, %element: i8):
      accel.yield %element : i8
    }} finish {{
    ^bb0(%sum: i8, %count: i32):
      accel.yield %sum : i8
    }}
  return
}}
"""


@pytest.mark.parametrize(("stride", "domain"), [(4, [16]), (5, [4, 4])])
def test_views_merge_at_any_offset_but_not_over_gaps(stride: int, domain: list[int]) -> None:
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(VIEW.format(stride=stride))
        (op,) = (op for op in ops_nested_in(module.operation) if isinstance(op, ReduceOp))
        assert list(merge_dimensions(op).parallel) == domain
        assert module.operation.verify()
