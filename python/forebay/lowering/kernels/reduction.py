"""Lower sums and maxima over axes, of which MEAN and SOFTMAX consist."""

from __future__ import annotations

import math

from mlir import ir

from forebay.ir.fused import Reduction, shape_of
from forebay.lowering.kernels import scalar
from forebay.lowering.kernels.pooling import lowest_value
from forebay.lowering.kernels.reduce import (
    KernelDomain,
    ReduceKernel,
    ReduceOperand,
    Scalars,
    affine_dimensions,
    build_reduce,
    zero,
)
from forebay.lowering.kernels.requantise import factor_operands, finish, rescale


def lower_reduction(op: Reduction) -> ir.Value:
    """Build one loop nest for all axes, which reads the elements in the order of memory."""
    shape = shape_of(op.source)
    kept = [d for d in range(len(shape)) if d not in op.axes]
    dims = affine_dimensions(len(shape))
    position = {axis: dims[i] for i, axis in enumerate([*kept, *op.axes])}
    out = [zero() if d in op.axes else position[d] for d in range(len(shape))]

    def prepare(value: ir.Value) -> ir.Value:
        return value if op.prologue is None else rescale(op.prologue, value)

    accumulator = (
        ir.RankedTensorType(op.source.type).element_type
        if op.prologue is None
        else ir.RankedTensorType(op.prologue.op.output.type).element_type
    )

    def init(_: Scalars) -> Scalars:
        return [scalar.scalar_constant(0 if op.is_sum else _lowest(accumulator), accumulator)]

    def body(accumulators: Scalars, ins: Scalars) -> Scalars:
        value = prepare(ins[0])
        if op.is_sum:
            return [scalar.add(accumulators[0], value)]
        return [scalar.at_least(accumulators[0], value, ignores_nan=op.ignores_nan)]

    def end(accumulators: Scalars, _: ir.Value, params: Scalars) -> ir.Value:
        return finish(op.epilogue, accumulators[0], params)

    return build_reduce(
        KernelDomain(tuple(shape[d] for d in kept), tuple(shape[d] for d in op.axes)),
        ReduceKernel(init, body, end),
        ins=[ReduceOperand(op.source, tuple(position[d] for d in range(len(shape))))],
        params=factor_operands(op.epilogue, out[-1]),
        out=out,
        result=ir.RankedTensorType(op.result.type),
    )


def _lowest(element: ir.Type) -> float:
    """Return what a maximum begins with: in TOSA, of floats it is the negative infinity."""
    return -math.inf if isinstance(element, ir.FloatType) else lowest_value(element)
