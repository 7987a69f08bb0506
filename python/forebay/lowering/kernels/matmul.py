"""Lower products of batches of matrices."""

from __future__ import annotations

from mlir import ir

from forebay.ir.fused import MatMul, shape_of
from forebay.lowering.kernels import scalar
from forebay.lowering.kernels.reduce import (
    KernelDomain,
    ReduceKernel,
    ReduceOperand,
    Scalars,
    affine_dimensions,
    build_reduce,
    zero,
)
from forebay.lowering.kernels.requantise import factor_operands, finish


def lower_matmul(op: MatMul) -> ir.Value:
    """Compute `out[n, h, w] = sum(source[n, h, k] * other[n, k, w]) + bias[0, 0, w]`."""
    batch, height, width = shape_of(op.result)
    depth = shape_of(op.source)[-1]
    n, h, w, k = affine_dimensions(4)
    is_float = isinstance(ir.RankedTensorType(op.source.type).element_type, ir.FloatType)
    accumulator = ir.F32Type.get() if is_float else scalar.i32()

    biases = [] if op.bias is None else [ReduceOperand(op.bias, (zero(), zero(), w))]

    def init(params: Scalars) -> Scalars:
        return [params[0] if biases else scalar.scalar_constant(0, accumulator)]

    def body(accumulators: Scalars, ins: Scalars) -> Scalars:
        factors = ins
        if not is_float:
            offsets = (op.source_zero_point, op.other_zero_point)
            factors = [
                scalar.add_constant(scalar.widen(value), -offset)
                for value, offset in zip(ins, offsets, strict=True)
            ]
        return [scalar.add(accumulators[0], scalar.multiply(*factors))]

    def end(accumulators: Scalars, _: ir.Value, params: Scalars) -> ir.Value:
        return finish(op.epilogue, accumulators[0], params[len(biases) :])

    return build_reduce(
        KernelDomain((batch, height, width), (depth,)),
        ReduceKernel(init, body, end),
        ins=[ReduceOperand(op.source, (n, h, k)), ReduceOperand(op.other, (n, k, w))],
        params=[*biases, *factor_operands(op.epilogue, w)],
        out=(n, h, w),
        result=ir.RankedTensorType(op.result.type),
    )
