"""Products of two matrices that are both computed, with TFLite's requantisation."""

from __future__ import annotations

from typing import ClassVar

from forebay.computations.computation import Computation, ComputedOperator
from forebay.computations.condition import Condition
from forebay.computations.requantised import (
    HIGH,
    LOW,
    REQUANTISED,
    Scalar,
    conditions_on_types,
    finished,
    result_scalars,
)
from forebay.ir.fused import MatMul, shape_of
from forebay.tracing.control import LocalVariable, loop
from forebay.tracing.integers import Int8, Int32
from forebay.tracing.pointers import TypedPointer


def int8_matmul(
    x: TypedPointer[Int8],
    other: TypedPointer[Int8],
    y: TypedPointer[Int8],
    *,
    rows: Scalar = 1,
    depth: Scalar,
    columns: Scalar,
    x_zero_point: Scalar = 0,
    other_zero_point: Scalar = 0,
    multiplier: Scalar = 1 << 30,
    shift: Scalar = 30,
    y_zero_point: Scalar = 0,
    low: Scalar = LOW,
    high: Scalar = HIGH,
) -> None:
    """Multiply `x[rows][depth]` by `other[depth][columns]` into `y[rows][columns]`."""
    left, right = x.shaped(rows, depth), other.shaped(depth, columns)
    result = y.shaped(rows, columns)
    for row in loop(rows):
        for column in loop(columns):
            total = LocalVariable(0)
            for k in loop(depth):
                value = left[row, k].extend(Int32) - x_zero_point
                total.value += value * (right[k, column].extend(Int32) - other_zero_point)
            limits = (y_zero_point, low, high)
            result[row, column] = finished(
                total.value, column, (None, None), (multiplier, shift), limits
            )


class Int8MatMul(Computation):
    """`int8_matmul`: a matrix product without constants, of one matrix by one."""

    title: ClassVar[str] = "matrix product"
    parallel: ClassVar = ("rows", "columns")
    reduction: ClassVar = ("depth",)
    axes: ClassVar = {
        "x": ("rows", "depth"),
        "other": ("depth", "columns"),
        "y": ("rows", "columns"),
    }
    fills: ClassVar = {"x": "x_zero_point", "other": "other_zero_point"}
    of: ClassVar = (MatMul,)
    conditions: ClassVar[tuple[Condition, ...]] = (
        *conditions_on_types("source", "other"),
        ("one pair of matrices", lambda view: shape_of(view.source)[0] == 1),
        ("no bias", lambda view: view.bias is None),
        *REQUANTISED,
        ("one factor for all columns", lambda view: not view.epilogue.rescale.per_channel),
    )
    reference: ClassVar = staticmethod(int8_matmul)

    def operator(self, view: MatMul) -> ComputedOperator:
        """Return the product."""
        _, rows, depth = shape_of(view.source)
        return ComputedOperator(
            {"x": view.source, "other": view.other},
            {
                **{"rows": rows, "depth": depth, "columns": shape_of(view.other)[2]},
                "x_zero_point": view.source_zero_point,
                "other_zero_point": view.other_zero_point,
                **result_scalars(view.epilogue),
            },
        )
