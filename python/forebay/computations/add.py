"""Elementwise addition with TFLite's requantisation."""

from __future__ import annotations

import math
from typing import ClassVar

from forebay.computations.computation import Computation, ComputedOperator
from forebay.computations.condition import Condition
from forebay.computations.requantised import (
    HIGH,
    LOW,
    REQUANTISED,
    Scalar,
    conditions_on_types,
    result_scalars,
)
from forebay.ir.epilogue import Rescale
from forebay.ir.fused import Add, shape_of
from forebay.tracing.control import loop
from forebay.tracing.integers import Int8, Int32
from forebay.tracing.pointers import TypedPointer
from forebay.tracing.requantise import requantise

_SINGLE_WORD_SHIFT = 31
_LEFT_SHIFT = 20
"""TFLite adds 20 bits to both sides before it scales them."""


def int8_add(
    x: TypedPointer[Int8],
    other: TypedPointer[Int8],
    y: TypedPointer[Int8],
    *,
    count: Scalar,
    x_zero_point: Scalar = 0,
    x_multiplier: Scalar,
    x_shift: Scalar,
    other_zero_point: Scalar = 0,
    other_multiplier: Scalar,
    other_shift: Scalar,
    multiplier: Scalar,
    shift: Scalar,
    y_zero_point: Scalar = 0,
    low: Scalar = LOW,
    high: Scalar = HIGH,
) -> None:
    """Add `count` elements; each side and the sum have a factor, all as TFLite computes them."""
    for i in loop(count):
        left = (x[i].extend(Int32) - x_zero_point) << _LEFT_SHIFT
        right = (other[i].extend(Int32) - other_zero_point) << _LEFT_SHIFT
        total = requantise(left, x_multiplier, x_shift) + requantise(
            right, other_multiplier, other_shift
        )
        scaled = requantise(total, multiplier, shift, zero_point=y_zero_point, low=low, high=high)
        y[i] = scaled.truncate(Int8)


class Int8Add(Computation):
    """`int8_add` on operands of one shape, as `count` elements."""

    title: ClassVar[str] = "addition"
    parallel: ClassVar = ("count",)
    axes: ClassVar = {"x": ("count",), "other": ("count",), "y": ("count",)}
    of: ClassVar = (Add,)
    conditions: ClassVar[tuple[Condition, ...]] = (
        *conditions_on_types("source", "other"),
        ("operands of one shape", lambda view: shape_of(view.source) == shape_of(view.other)),
        *REQUANTISED,
        ("one factor for all channels", lambda view: not view.epilogue.rescale.per_channel),
        (
            "operands that are scaled as TFLite does",
            lambda view: None not in (_scaled(view.source_rescales), _scaled(view.other_rescales)),
        ),
    )
    reference: ClassVar = staticmethod(int8_add)

    def operator(self, view: Add) -> ComputedOperator:
        """Return the sum."""
        scalars = {"count": math.prod(shape_of(view.result)), **result_scalars(view.epilogue)}
        for side, rescales in ("x", view.source_rescales), ("other", view.other_rescales):
            factor = _scaled(rescales)
            assert factor is not None
            scalars |= {f"{side}_zero_point": rescales[0].input_zero_point}
            scalars |= {f"{side}_multiplier": factor[0], f"{side}_shift": factor[1]}
        return ComputedOperator({"x": view.source, "other": view.other}, scalars)


def _scaled(rescales: tuple[Rescale, ...]) -> tuple[int, int] | None:
    """Return multiplier and shift of a side after the left shift; None if it has another form.

    The left shift is a rescale of its own, or it is in the shift of the only one, which must then
    round once.
    """
    if not rescales or any(_is_unsupported(r) for r in rescales):
        return None
    first, *rest = rescales
    if any(r.output_zero_point for r in rescales):
        return None
    if not rest:
        shift = first.shifts[0] + _LEFT_SHIFT
        return None if shift > _SINGLE_WORD_SHIFT else (first.multipliers[0], shift)
    shifts_left = (first.multipliers[0], first.shifts[0]) == (1 << 30, 30 - _LEFT_SHIFT)
    if len(rest) > 1 or not shifts_left or rest[0].input_zero_point:
        return None
    (multiplier,), (shift,) = rest[0].multipliers, rest[0].shifts
    rounds_once_only = shift > _SINGLE_WORD_SHIFT and not rest[0].double_round
    return None if rounds_once_only else (multiplier, shift)


def _is_unsupported(rescale: Rescale) -> bool:
    return rescale.per_channel or rescale.input_unsigned or rescale.output_unsigned
