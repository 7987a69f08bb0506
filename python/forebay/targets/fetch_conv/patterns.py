"""The operators that the machine takes: int8 convolution, depthwise and fully-connected layers."""

from __future__ import annotations

from functools import partial

from forebay.api import operators
from forebay.api.operators import elements_of
from forebay.api.target import Condition, Pattern
from forebay.targets.fetch_conv.build import build_layers
from forebay.targets.fetch_conv.constants import bytes_per_block
from forebay.targets.fetch_conv.shape import folded, is_pointwise

_Weighted = operators.Convolution | operators.Depthwise
_LARGEST_KERNEL = 7
_SINGLE_WORD_SHIFT = 31


def _is_int8(view: _Weighted) -> bool:
    return all(map(operators.is_int8, (view.source, view.weights, view.result)))


def _has_constants(view: _Weighted) -> bool:
    return elements_of(view.weights) is not None and elements_of(view.bias) is not None


def _is_requantised(view: _Weighted) -> bool:
    rescale = view.epilogue.rescale
    if rescale is None or view.epilogue.factor is not None:
        return False
    return not (rescale.input_unsigned or rescale.output_unsigned or rescale.input_zero_point)


def _rounds_twice(view: _Weighted) -> bool:
    rescale = view.epilogue.rescale
    assert rescale is not None
    return rescale.double_round or max(rescale.shifts) <= _SINGLE_WORD_SHIFT


def _has_one_image(view: _Weighted) -> bool:
    return operators.shape_of(view.source)[0] == 1 or is_pointwise(view)


def _strides_are_small(view: _Weighted) -> bool:
    return all(stride in (1, 2) for stride in view.window.stride)


def _kernel_fits(view: _Weighted) -> bool:
    return all(size <= _LARGEST_KERNEL for size in folded(view).kernel)


def _keeps_channels(view: _Weighted) -> bool:
    return isinstance(view, operators.Convolution) or 1 in (
        operators.shape_of(view.weights)[3],
        operators.shape_of(view.source)[3],
    )


_CONDITIONS: tuple[Condition, ...] = (
    ("int8 operands and results", _is_int8),
    ("constant weights and biases", _has_constants),
    ("weights with zero point 0", lambda view: view.weights_zero_point == 0),
    ("a requantisation to int8", _is_requantised),
    ("TFLite's double rounding", _rounds_twice),
    ("a batch of 1, or a kernel of 1x1 that covers all", _has_one_image),
    ("no dilation", lambda view: view.window.dilation == (1, 1)),
    ("strides of 1 or 2", _strides_are_small),
    ("a depth multiplier of 1, or one input channel", _keeps_channels),
    ("a kernel of at most 7x7, or 14 in a direction with stride 2", _kernel_fits),
)


def patterns(wei_mem: int | None = None, act_mem: int | None = None) -> tuple[Pattern, ...]:
    """Return the machine's patterns; `wei_mem` limits the bytes of weights of one call."""
    fits: Condition = (
        f"weights of 16 output channels in {wei_mem or 0:,} bytes",
        lambda view: wei_mem is None or bytes_per_block(view) <= wei_mem,
    )
    return (
        Pattern(
            "conv2d",
            device="accel",
            of=(operators.Convolution, operators.Depthwise),
            conditions=(*_CONDITIONS, fits),
            build=partial(build_layers, act_mem=act_mem),
        ),
    )
