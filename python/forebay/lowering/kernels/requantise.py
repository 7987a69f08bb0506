"""The end of a kernel on scalars: factor, rescale and clamp, with one saturation for both."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import tosa

from forebay.ir.epilogue import Clamp, Epilogue, Rescale
from forebay.lowering.kernels import scalar
from forebay.lowering.kernels.reduce import ReduceOperand

_I32_RANGE = (-(2**31), 2**31 - 1)


def factor_operands(epilogue: Epilogue, channel: ir.AffineExpr) -> list[ReduceOperand]:
    """Return the multipliers and shifts if there is one per channel; else they are constants."""
    if epilogue.rescale is None or not epilogue.rescale.per_channel:
        return []
    op = epilogue.rescale.op
    return [ReduceOperand(op.multiplier, (channel,)), ReduceOperand(op.shift, (channel,))]


def finish(epilogue: Epilogue, value: ir.Value, factors: Sequence[ir.Value]) -> ir.Value:
    """Return the value to store for an accumulated `value`.

    `factors` are the scalars of `factor_operands`.
    """
    clamp = epilogue.clamp
    if epilogue.factor is not None:
        value = scalar.multiply(value, scalar.scalar_constant(epilogue.factor, value.type))
    if epilogue.rescale is not None:
        return _requantise(epilogue.rescale, value, factors, clamp)
    if clamp is None:
        return value
    return scalar.clamp(value, clamp.low, clamp.high, ignores_nan=clamp.ignores_nan)


def rescale(by: Rescale, value: ir.Value) -> ir.Value:
    """Return a rescaled scalar, for a rescale with one factor."""
    return _requantise(by, value, (), None)


def _requantise(
    by: Rescale, value: ir.Value, factors: Sequence[ir.Value], clamp: Clamp | None
) -> ir.Value:
    wide = scalar.widen(value, unsigned=by.input_unsigned)
    scaled = _scale(by, scalar.add_constant(wide, -by.input_zero_point), factors)
    shifted = scalar.add_constant(scaled, by.output_zero_point)
    element = ir.IntegerType(ir.RankedTensorType(by.op.output.type).element_type)
    low, high = _bounds(by, element.width, clamp)
    if (low, high) != _I32_RANGE:
        shifted = scalar.clamp(shifted, low, high)
    return scalar.narrow(shifted, element)


def _scale(by: Rescale, value: ir.Value, factors: Sequence[ir.Value]) -> ir.Value:
    if by.scales_by_one:
        return value
    if by.per_channel:
        multiplier, shift = factors
    else:
        multiplier = scalar.scalar_constant(by.multipliers[0], scalar.i32())
        shift = scalar.scalar_constant(by.shifts[0], ir.IntegerType.get_signless(8))
    mode = "DOUBLE_ROUND" if by.double_round else "SINGLE_ROUND"
    rounding = ir.Attribute.parse(f"#tosa.rounding_mode<{mode}>")
    return tosa.ApplyScaleOp(scalar.i32(), value, multiplier, shift, rounding).result


def _bounds(by: Rescale, width: int, clamp: Clamp | None) -> tuple[int, int]:
    low, high = (
        (0, 2**width - 1) if by.output_unsigned else (-(2 ** (width - 1)), 2 ** (width - 1) - 1)
    )
    if clamp is None:
        return low, high
    return max(low, int(clamp.low)), min(high, int(clamp.high))
