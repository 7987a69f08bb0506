"""The parts that int8 computations share: the end of a reference, and facts about it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from mlir import ir
from numpy.typing import NDArray

from forebay.computations.computation import ConstantElements
from forebay.computations.condition import Condition
from forebay.ir.epilogue import Epilogue
from forebay.ir.fused import Fused, is_int8, shape_of
from forebay.ir.tosa_constants import elements_of
from forebay.tracing.integers import Int8, Int32
from forebay.tracing.pointers import TypedPointer
from forebay.tracing.requantise import requantise

Scalar = Int32 | int
"""A scalar of a reference: traced, or a number that the intrinsic does not take."""

LOW, HIGH = -128, 127
TABLES = {"multipliers": "multiplier", "shifts": "shift"}
"""Operands with a factor per channel, and the scalars of one factor."""

_SINGLE_WORD_SHIFT = 31


def finished(
    total: Int32,
    channel: Int32,
    tables: tuple[TypedPointer[Int32] | None, TypedPointer[Int32] | None],
    factor: tuple[Scalar, Scalar],
    result: tuple[Scalar, Scalar, Scalar],
) -> Int8:
    """Requantise a sum by the factor of its channel, or by the one of all channels.

    `tables` and `factor` are multipliers and shifts, `result` is the zero point and both ends of
    the activation.
    """
    (multipliers, shifts), (multiplier, shift) = tables, factor
    if multipliers is not None:
        multiplier = multipliers[channel]
    if shifts is not None:
        shift = shifts[channel]
    zero_point, low, high = result
    scaled = requantise(total, multiplier, shift, zero_point=zero_point, low=low, high=high)
    return scaled.truncate(Int8)


def factor_tables(epilogue: Epilogue, channels: int) -> dict[str, ConstantElements]:
    """Return a multiplier and a shift for each channel."""
    assert epilogue.rescale is not None
    factors = {"multipliers": epilogue.rescale.multipliers, "shifts": epilogue.rescale.shifts}
    return {name: for_each_channel(np.array(n), channels) for name, n in factors.items()}


def result_scalars(epilogue: Epilogue) -> dict[str, int]:
    """Return zero point and activation of the result, and the factor if there is only one."""
    rescale = epilogue.rescale
    assert rescale is not None
    found = {"y_zero_point": rescale.output_zero_point, **activation(epilogue)}
    if len(set(zip(rescale.multipliers, rescale.shifts, strict=True))) == 1:
        found |= {"multiplier": rescale.multipliers[0], "shift": rescale.shifts[0]}
    return found


def activation(epilogue: Epilogue) -> dict[str, int]:
    """Return the ends of the activation."""
    clamp = epilogue.clamp
    low, high = (LOW, HIGH) if clamp is None else (int(clamp.low), int(clamp.high))
    return {"low": max(low, LOW), "high": min(high, HIGH)}


def for_each_channel(elements: NDArray[Any], channels: int) -> ConstantElements:
    """Return int32 elements, one for each channel."""
    return np.ascontiguousarray(np.broadcast_to(elements.reshape(-1), (channels,)), np.int32)


def constant(value: ir.Value) -> NDArray[Any]:
    """Return the elements of an operand that a condition found to be constant."""
    elements = elements_of(value)
    assert elements is not None
    return elements


def conditions_on_types(*values: str) -> tuple[Condition, ...]:
    """Return the condition that operands of a view, by name, and its result are int8."""

    def holds(view: Any) -> bool:
        return all(is_int8(getattr(view, value)) for value in (*values, "result"))

    return (("int8 operands and results", holds),)


def _is_requantised(view: Fused) -> bool:
    rescale = view.epilogue.rescale
    if rescale is None or view.epilogue.factor is not None:
        return False
    return not (rescale.input_unsigned or rescale.output_unsigned or rescale.input_zero_point)


def _rounds_twice(view: Fused) -> bool:
    rescale = view.epilogue.rescale
    assert rescale is not None
    return rescale.double_round or max(rescale.shifts) <= _SINGLE_WORD_SHIFT


REQUANTISED: tuple[Condition, ...] = (
    ("a requantisation to int8", _is_requantised),
    ("TFLite's double rounding", _rounds_twice),
)
WEIGHTED: tuple[Condition, ...] = (
    *conditions_on_types("source", "weights"),
    ("constant weights", lambda view: elements_of(view.weights) is not None),
    ("a constant bias", lambda view: elements_of(view.bias) is not None),
    ("weights with zero point 0", lambda view: view.weights_zero_point == 0),
    *REQUANTISED,
)
"""Conditions of layers with weights."""

ONE_IMAGE: Condition = ("a batch of 1", lambda view: shape_of(view.source)[0] == 1)


def window_scalars(view: Any) -> Mapping[str, int]:
    """Return the sizes of an image, of its result, and of the window between them."""
    _, height, width, _ = shape_of(view.source)
    _, y_height, y_width, _ = shape_of(view.result)
    window = view.window
    pairs = {
        ("height", "width"): (height, width),
        ("y_height", "y_width"): (y_height, y_width),
        ("kernel_height", "kernel_width"): window.kernel,
        ("stride_y", "stride_x"): window.stride,
        ("dilation_y", "dilation_x"): window.dilation,
        ("top", "left"): window.before,
    }
    return {n: v for names, values in pairs.items() for n, v in zip(names, values, strict=True)}
