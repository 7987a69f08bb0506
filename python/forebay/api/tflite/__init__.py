"""Add a TFLite operator: its lowering to ops of MLIR, and its NumPy form.

A file with an `OperatorLowering` is given to `--operators` or `forebay.compile(operators=...)`.
"""

from forebay.frontends.elementwise import map_elements, map_indexed
from forebay.frontends.tflite.file.schema import (
    ElementType,
    TfliteOperator,
    TfliteQuantization,
    TfliteTensor,
)
from forebay.frontends.tflite.lowering.emit import (
    mlir_type_of,
    static_shape_of,
    tensor_type,
    tosa_constant,
    tosa_rescale,
    tosa_reshape,
)
from forebay.frontends.tflite.lowering.node import Node
from forebay.frontends.tflite.lowering.quantize import Multiplier
from forebay.frontends.tflite.lowering.registry import OperatorLowering
from forebay.lowering.kernels.reduce import (
    KernelDomain,
    ReduceKernel,
    ReduceOperand,
    affine_dimensions,
    build_reduce,
)

__all__ = [
    "ElementType",
    "KernelDomain",
    "Multiplier",
    "Node",
    "OperatorLowering",
    "ReduceKernel",
    "ReduceOperand",
    "TfliteOperator",
    "TfliteQuantization",
    "TfliteTensor",
    "affine_dimensions",
    "build_reduce",
    "map_elements",
    "map_indexed",
    "mlir_type_of",
    "static_shape_of",
    "tensor_type",
    "tosa_constant",
    "tosa_rescale",
    "tosa_reshape",
]
