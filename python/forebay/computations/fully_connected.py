"""Fully connected layers and convolutions of 1x1: a matrix product with constant weights."""

from __future__ import annotations

from typing import ClassVar

from forebay.computations.computation import Computation, ComputedOperator
from forebay.computations.condition import Condition
from forebay.computations.requantised import (
    HIGH,
    LOW,
    TABLES,
    WEIGHTED,
    Scalar,
    constant,
    factor_tables,
    finished,
    for_each_channel,
    result_scalars,
)
from forebay.ir.fused import Convolution, shape_of
from forebay.ir.window import Window
from forebay.tracing.control import LocalVariable, loop
from forebay.tracing.integers import Int8, Int32
from forebay.tracing.pointers import TypedPointer


def int8_fully_connected(
    x: TypedPointer[Int8] | None = None,
    weights: TypedPointer[Int8] | None = None,
    bias: TypedPointer[Int32] | None = None,
    y: TypedPointer[Int8] | None = None,
    *,
    sums: TypedPointer[Int32] | None = None,
    multipliers: TypedPointer[Int32] | None = None,
    shifts: TypedPointer[Int32] | None = None,
    rows: Scalar = 1,
    depth: Scalar = 1,
    columns: Scalar,
    x_zero_point: Scalar = 0,
    multiplier: Scalar = 1 << 30,
    shift: Scalar = 30,
    y_zero_point: Scalar = 0,
    low: Scalar = LOW,
    high: Scalar = HIGH,
) -> None:
    """Multiply `x[rows][depth]` by `weights[columns][depth]` into `y[rows][columns]`.

    Bias and factor as in TFLite, one factor for all columns or, with `multipliers` and `shifts`,
    one for each; `low` and `high` are the activation. Without `bias`, the sums of a part of the
    depth before are continued; without `y`, they are kept in `sums[rows][columns]`. Without `x` and
    `weights`, nothing is added to the sums.
    """
    for row in loop(rows):
        for column in loop(columns):
            total = LocalVariable(0)
            if bias is not None:
                total = LocalVariable(bias[column])
            elif sums is not None:
                total = LocalVariable(sums.shaped(rows, columns)[row, column])
            if x is not None and weights is not None:
                for k in loop(depth):
                    centred = x.shaped(rows, depth)[row, k].extend(Int32) - x_zero_point
                    weight = weights.shaped(columns, depth)[column, k]
                    total.value += centred * weight.extend(Int32)
            if y is not None:
                limits = (y_zero_point, low, high)
                y.shaped(rows, columns)[row, column] = finished(
                    total.value, column, (multipliers, shifts), (multiplier, shift), limits
                )
            elif sums is not None:
                sums.shaped(rows, columns)[row, column] = total.value


class Int8FullyConnected(Computation):
    """`int8_fully_connected`; `rows` are the images of a batch, or the pixels under a 1x1 kernel.

    An intrinsic with the operands `multipliers` and `shifts` takes a factor per column, one with
    the scalars `multiplier` and `shift` only layers with one factor.
    """

    title: ClassVar[str] = "fully connected layer"
    parallel: ClassVar = ("rows", "columns")
    reduction: ClassVar = ("depth",)
    axes: ClassVar = {
        "x": ("rows", "depth"),
        "weights": ("columns", "depth"),
        "bias": ("columns",),
        "y": ("rows", "columns"),
        "sums": ("rows", "columns"),
        "multipliers": ("columns",),
        "shifts": ("columns",),
    }
    sums: ClassVar = "sums"
    tables: ClassVar = TABLES
    fills: ClassVar = {"shifts": 31}
    of: ClassVar = (Convolution,)
    conditions: ClassVar[tuple[Condition, ...]] = (
        ("a fully connected layer, or a kernel of 1x1 that covers all",
         lambda view: view.window == Window((1, 1))),
        *WEIGHTED,
    )  # fmt: skip
    reference: ClassVar = staticmethod(int8_fully_connected)

    def operator(self, view: Convolution) -> ComputedOperator:
        """Return the layer as a matrix product."""
        batch, height, width, depth = shape_of(view.source)
        columns, rows = shape_of(view.weights)[0], batch * height * width
        return ComputedOperator(
            {
                "x": view.source,
                "weights": constant(view.weights).reshape(columns, depth),
                "bias": for_each_channel(constant(view.bias), columns),
                **factor_tables(view.epilogue, columns),
            },
            {
                **{"rows": rows, "depth": depth, "columns": columns},
                "x_zero_point": view.source_zero_point,
                **result_scalars(view.epilogue),
            },
        )
