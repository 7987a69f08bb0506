"""AVERAGE_POOL_2D of uint8, whose means round halves up: `(sum + n / 2) / n`.

Elements are stored minus 128 here. TOSA's avg_pool2d rounds halves away from zero, which differs
for negative means, so this is one `accel.reduce`.
Source: TFLite `reference/pooling.h`, AveragePool of uint8.
"""

from __future__ import annotations

from mlir import ir

from forebay.frontends.tflite.lowering import emit
from forebay.frontends.tflite.lowering.activation import activation_bounds
from forebay.frontends.tflite.lowering.node import Node
from forebay.frontends.windows import SlidingWindow
from forebay.lowering.kernels import scalar
from forebay.lowering.kernels.reduce import (
    KernelDomain,
    ReduceKernel,
    ReduceOperand,
    Scalars,
    affine_dimensions,
    build_reduce,
)

_HALF = 128


def unsigned_average(node: Node, windows: SlidingWindow, activation: int) -> ir.Value:
    """Build the mean of the elements of each window that are inside of the input."""
    batch, _, _, channels = node.shape(0)
    shape = (batch, windows.y.output, windows.x.output, channels)
    bounds = activation_bounds(node, activation)
    n, y, x, c, ky, kx = affine_dimensions(6)

    def finish(sums: Scalars, count: ir.Value, _: Scalars) -> ir.Value:
        half = scalar.divide(count, scalar.scalar_constant(2, scalar.i32()))
        mean = scalar.add_constant(scalar.divide(scalar.add(sums[0], half), count), -_HALF)
        value = scalar.clamp(mean, *bounds) if bounds else mean
        return scalar.narrow(value, emit.signless(8))

    def add(sums: Scalars, ins: Scalars) -> Scalars:
        return [scalar.add(sums[0], scalar.add_constant(scalar.widen(ins[0]), _HALF))]

    index = (n, windows.y.position(y, ky), windows.x.position(x, kx), c)
    return build_reduce(
        KernelDomain(shape, (windows.y.kernel, windows.x.kernel)),
        ReduceKernel(lambda _: [scalar.scalar_constant(0, scalar.i32())], add, finish),
        ins=[ReduceOperand(node.value(0), index)],
        params=[],
        out=(n, y, x, c),
        result=emit.tensor_type(shape, emit.signless(8)),
    )
