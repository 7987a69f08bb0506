"""The conditions under which an operator is a layer, with the words of the off-load report."""

from __future__ import annotations

from forebay.api.operators import Convolution, Depthwise, MatMul, elements_of, shape_of
from forebay.api.target import Condition
from forebay.targets.int32_convolution.layers import LayerView, is_int8_layer, multiplies_vectors

OPERATORS = (Convolution, Depthwise, MatMul)
"""The views of operators that a pattern of a layer is for."""


def _has_constants(view: LayerView) -> bool:
    if isinstance(view, MatMul):
        return elements_of(view.other) is not None
    return elements_of(view.weights) is not None and elements_of(view.bias) is not None


def _weights_are_centred(view: LayerView) -> bool:
    return (view.other_zero_point if isinstance(view, MatMul) else view.weights_zero_point) == 0


def _is_requantised(view: LayerView) -> bool:
    rescale = view.epilogue.rescale
    if rescale is None or view.epilogue.factor is not None:
        return False
    return not (rescale.input_unsigned or rescale.output_unsigned or rescale.input_zero_point)


def _has_one_image(view: LayerView) -> bool:
    return shape_of(view.source)[0] == 1 or (
        multiplies_vectors(view) and not isinstance(view, MatMul)
    )


CONDITIONS: tuple[Condition, ...] = (
    ("int8 operands and results", is_int8_layer),
    ("constant weights and biases", _has_constants),
    ("weights with zero point 0", _weights_are_centred),
    ("a requantisation to int8", _is_requantised),
    ("a batch of 1, or a kernel of 1x1 that covers all", _has_one_image),
)
"""Each may rely on those before it."""
