"""Operators that patterns and stages see: whole operators of TOSA, and the facts about tensors.

A view of an operator refers to values and ops of the IR. It is valid only while the pattern or the
pass runs that was given it.
"""

from forebay.ir.epilogue import Clamp, Epilogue, Rescale
from forebay.ir.fused import (
    Add,
    AveragePool,
    Convolution,
    Depthwise,
    Fused,
    MatMul,
    MaxPool,
    Reduction,
    SingleOp,
    TransposeConvolution,
    element_type,
    is_int8,
    match,
    shape_of,
)
from forebay.ir.machine.pools import element_bytes
from forebay.ir.softmax import QuantizedSoftmax, softmax_of
from forebay.ir.tosa_constants import UnsupportedFormError, elements_of
from forebay.ir.window import Pair, Window

__all__ = [
    "Add",
    "AveragePool",
    "Clamp",
    "Convolution",
    "Depthwise",
    "Epilogue",
    "Fused",
    "MatMul",
    "MaxPool",
    "Pair",
    "QuantizedSoftmax",
    "Reduction",
    "Rescale",
    "SingleOp",
    "TransposeConvolution",
    "UnsupportedFormError",
    "Window",
    "element_bytes",
    "element_type",
    "elements_of",
    "is_int8",
    "match",
    "shape_of",
    "softmax_of",
]
