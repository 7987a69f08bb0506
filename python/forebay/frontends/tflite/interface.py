"""The interface of `@main`: argument types, and the attributes that describe tensors."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from mlir import ir

import forebay.dialects  # noqa: F401  # pyright: ignore[reportUnusedImport]  (registers)
from forebay.frontends.errors import MalformedModel, UnsupportedModel
from forebay.frontends.tflite.file.schema import ElementType, TfliteTensor
from forebay.frontends.tflite.lowering import emit

ARGUMENTS = (
    *(ElementType.FLOAT32, ElementType.INT8, ElementType.UINT8, ElementType.INT16),
    *(ElementType.INT32, ElementType.INT64, ElementType.BOOL),
)
"""The element types that inputs may have."""
CONSTANTS = (*ARGUMENTS, ElementType.UINT32, ElementType.UINT64)
"""The element types that constants may have."""

_MAX_BYTES = 2**31 - 1


def check_inputs(
    file_name: str,
    inputs: Sequence[TfliteTensor],
    names: Sequence[str],
    shapes: Mapping[str, tuple[int, ...]],
) -> None:
    """Refuse a tensor that is used as several inputs, and a shape for an unknown input."""
    if len({t.index for t in inputs}) != len(inputs):
        raise MalformedModel("one tensor is several inputs", file_name)
    for name in shapes:
        if name not in names:
            raise UnsupportedModel(
                f"a shape is given for '{name}', which is no input; inputs are: {', '.join(names)}",
                file_name,
            )


def argument_type(
    file_name: str, tensor: TfliteTensor, name: str, shape: tuple[int, ...]
) -> ir.RankedTensorType:
    """Return the type of `@main`'s argument of that name and shape."""
    where = f"input '{name}'"
    if tensor.type not in ARGUMENTS or tensor.data is not None:
        raise UnsupportedModel(
            f"{where} of type {tensor.type_name} is not supported; "
            f"supported are {', '.join(e.name for e in ARGUMENTS)}, not constant",
            file_name,
        )
    if len(shape) != len(tensor.shape):
        raise UnsupportedModel(
            f"{where} has rank {len(tensor.shape)}, the shape given for it {list(shape)}",
            file_name,
        )
    if any(d < 1 for d in shape):
        raise UnsupportedModel(
            f"{where} has the shape {list(shape)}, which is not static and positive; "
            f"give one, as in --shape {name}=1x8",
            file_name,
        )
    if math.prod(shape) * tensor.type.bytes > _MAX_BYTES:
        raise UnsupportedModel(f"{where} has more than {_MAX_BYTES:,} bytes", file_name)
    return emit.tensor_type(shape, emit.mlir_type_of(tensor.type))


def interface(tensor: TfliteTensor, name: str) -> ir.DictAttr:
    """Return name, external type and quantisation, as attributes of an argument or result."""
    attributes: dict[str, ir.Attribute] = {
        "accel.name": ir.StringAttr.get(name),
        "accel.dtype": ir.StringAttr.get(tensor.type.value),
    }
    quantization = tensor.quantization
    if quantization is not None and len(quantization.scales) == 1:
        attributes["accel.scale"] = ir.FloatAttr.get(ir.F64Type.get(), quantization.scale)
        attributes["accel.zero_point"] = ir.IntegerAttr.get(
            ir.IntegerType.get_signless(64), quantization.zero_point
        )
    return ir.DictAttr.get(attributes)
