"""The end of a fused operator: factor, rescale and clamp after an accumulating op."""

from __future__ import annotations

import numpy as np
from mlir import ir
from mlir.dialects import tosa
from msgspec import Struct

from forebay.ir.tosa_constants import (
    UnsupportedFormError,
    boolean,
    elements_of,
    matches,
    required_elements,
    zero_point,
)

_SINGLE_WORD_SHIFT = 31


class Rescale(Struct, frozen=True, eq=False):
    """`saturate(output_zero_point + round((x - input_zero_point) * multiplier / 2**shift))`.

    It has one multiplier and shift, or one per element of the last dimension. With `double_round`,
    shifts above 31 round twice as TFLite does: to 31 bits with halves up, then with halves away
    from zero.
    """

    op: tosa.RescaleOp
    multipliers: tuple[int, ...]
    shifts: tuple[int, ...]
    input_zero_point: int
    output_zero_point: int
    input_unsigned: bool
    output_unsigned: bool
    double_round: bool

    @property
    def per_channel(self) -> bool:
        """Return whether there is one factor per element of the last dimension."""
        return len(self.multipliers) > 1

    @property
    def scales_by_one(self) -> bool:
        """Return whether the only factor is exactly one."""
        return not self.per_channel and self.multipliers[0] == 1 << self.shifts[0]


class Clamp(Struct, frozen=True):
    """Inclusive bounds of the result; with `ignores_nan`, a NaN becomes the lower bound."""

    low: int | float
    high: int | float
    ignores_nan: bool = False


class Epilogue(Struct, frozen=True, eq=False):
    """The steps applied to an accumulated value before it is stored, in the order of the fields."""

    factor: float | None = None
    """A factor of f32 values, such as that of a mean."""
    rescale: Rescale | None = None
    clamp: Clamp | None = None


def only_user(op: ir.OpView) -> ir.OpView | None:
    """Return the op that has the only use of the op's only result, or None."""
    uses = list(op.operation.results[0].uses)
    return uses[0].owner if len(uses) == 1 else None


def follow_epilogue(root: ir.OpView) -> tuple[Epilogue, tuple[ir.OpView, ...]]:
    """Return the factor, rescale and clamp after `root`, and their ops.

    An op is part of the epilogue only if it is the only user of the op before it.
    """
    ops: list[ir.OpView] = []
    factor = rescale = clamp = None
    user = only_user(root)
    if isinstance(user, tosa.MulOp) and (factor := _factor_of(user, root)) is not None:
        ops.append(user)
        user = only_user(user)
    if isinstance(user, tosa.RescaleOp) and not _widens(user):
        rescale = rescale_of(user)
        ops.append(user)
        user = only_user(user)
    if isinstance(user, tosa.ClampOp) and not (rescale and rescale.output_unsigned):
        clamp = _clamp_of(user)
        ops.append(user)
    return Epilogue(factor, rescale, clamp), tuple(ops)


def rescale_of(op: tosa.RescaleOp) -> Rescale:
    """Return the parameters of a rescale.

    Raises `UnsupportedFormError` when they are not constant.
    """
    if not boolean(op.scale32):
        raise UnsupportedFormError(
            op, "with 16-bit multipliers cannot be fused; use scale32 = true"
        )
    double = matches(op.rounding_mode, "#tosa.rounding_mode<DOUBLE_ROUND>")
    if not double and not matches(op.rounding_mode, "#tosa.rounding_mode<SINGLE_ROUND>"):
        raise UnsupportedFormError(
            op, "rounds in a mode that cannot be fused; use SINGLE_ROUND or DOUBLE_ROUND"
        )
    input_unsigned, output_unsigned = boolean(op.input_unsigned), boolean(op.output_unsigned)
    shifts = required_elements(op, op.shift, "shift")
    return Rescale(
        op,
        tuple(int(x) for x in required_elements(op, op.multiplier, "multiplier")),
        tuple(int(x) for x in shifts),
        zero_point(op, op.input_zp, "input_zp", unsigned=input_unsigned),
        zero_point(op, op.output_zp, "output_zp", unsigned=output_unsigned),
        input_unsigned,
        output_unsigned,
        double and bool((shifts > _SINGLE_WORD_SHIFT).any()),
    )


def _widens(op: tosa.RescaleOp) -> bool:
    """Return whether the rescale begins another operator: sums take operands that are wider."""
    widths = [
        ir.IntegerType(ir.RankedTensorType(value.type).element_type).width
        for value in (op.input, op.output)
    ]
    return widths[1] > widths[0]


def _factor_of(op: tosa.MulOp, root: ir.OpView) -> float | None:
    """Return the number that f32 values are multiplied by, or None for any other product."""
    value = root.operation.results[0]
    other = op.input2 if op.input1 == value else op.input1
    elements = elements_of(other)
    element = ir.RankedTensorType(value.type).element_type
    if elements is None or not isinstance(element, ir.F32Type) or op.output.type != value.type:
        return None
    return float(elements.flat[0]) if np.all(elements == elements.flat[0]) else None


def _clamp_of(op: tosa.ClampOp) -> Clamp:
    ignores_nan = not matches(op.nan_mode, "#tosa.nan_mode<PROPAGATE>")
    return Clamp(_number(op.min_val), _number(op.max_val), ignores_nan)


def _number(attribute: ir.Attribute) -> int | float:
    if isinstance(attribute, ir.FloatAttr):
        return attribute.value
    return ir.IntegerAttr(attribute).value
