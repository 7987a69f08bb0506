"""Write digits_int8.tflite from the float weights; needs only NumPy and the `tflite` package.

python examples/digits/export.py [PATH]
"""

import sys
from pathlib import Path

import flatbuffers
import numpy as np
import tflite
from net import LAYERS, Layer
from quantise import Quantisation, TensorSpec, quantised_tensors
from writer import aligned_bytes, ints, offsets, table

MODEL = Path(__file__).with_name("digits_int8.tflite")
# The first version of each operator that supports int8 tensors.
VERSIONS = {
    "CONV_2D": 3,
    "DEPTHWISE_CONV_2D": 3,
    "ADD": 2,
    "MAX_POOL_2D": 2,
    "AVERAGE_POOL_2D": 2,
    "RESHAPE": 1,
    "FULLY_CONNECTED": 4,
    "SOFTMAX": 2,
}
OPTIONS = {
    "CONV_2D": "Conv2DOptions",
    "DEPTHWISE_CONV_2D": "DepthwiseConv2DOptions",
    "ADD": "AddOptions",
    "MAX_POOL_2D": "Pool2DOptions",
    "AVERAGE_POOL_2D": "Pool2DOptions",
    "RESHAPE": "ReshapeOptions",
    "FULLY_CONNECTED": "FullyConnectedOptions",
    "SOFTMAX": "SoftmaxOptions",
}
TENSOR_TYPES = {"int8": tflite.TensorType.INT8, "int32": tflite.TensorType.INT32}


def model_bytes(tensors: list[TensorSpec]) -> bytes:
    """Return the .tflite file of the network with these tensors."""
    builder = flatbuffers.Builder(1 << 16)
    index = {tensor.name: i for i, tensor in enumerate(tensors)}
    constants = [tensor.data for tensor in tensors if tensor.data is not None]
    buffers = [table(builder, "Buffer")]  # buffer 0 is empty by TFLite's convention
    buffers += [table(builder, "Buffer", Data=aligned_bytes(builder, x)) for x in constants]
    numbers = iter(range(1, len(buffers)))
    tables = [_tensor(builder, x, 0 if x.data is None else next(numbers)) for x in tensors]
    kinds = list(VERSIONS)
    codes = [_operator_code(builder, kind) for kind in kinds]
    operators = [_operator(builder, x, index, kinds.index(x.operator)) for x in LAYERS]
    graph = table(
        builder,
        "SubGraph",
        Tensors=offsets(builder, tables),
        Inputs=ints(builder, [index[LAYERS[0].inputs[0]]]),
        Outputs=ints(builder, [index[LAYERS[-1].output]]),
        Operators=offsets(builder, operators),
        Name=builder.CreateString("main"),
    )
    model = table(
        builder,
        "Model",
        Version=3,
        OperatorCodes=offsets(builder, codes),
        Subgraphs=offsets(builder, [graph]),
        Description=builder.CreateString("Handwritten digits, 8x8, int8"),
        Buffers=offsets(builder, buffers),
    )
    builder.Finish(model, file_identifier=b"TFL3")
    return bytes(builder.Output())


def _tensor(builder: flatbuffers.Builder, tensor: TensorSpec, buffer: int) -> int:
    fields = {
        "Name": builder.CreateString(tensor.name),
        "Shape": ints(builder, tensor.shape),
        "Type": TENSOR_TYPES["int8" if tensor.data is None else str(tensor.data.dtype)],
        "Buffer": buffer,
    }
    if tensor.quantisation is not None:
        fields["Quantization"] = _quantisation(builder, tensor.quantisation)
    return table(builder, "Tensor", **fields)


def _quantisation(builder: flatbuffers.Builder, quantisation: Quantisation) -> int:
    zero_points = np.full(len(quantisation.scale), quantisation.zero_point, np.int64)
    return table(
        builder,
        "QuantizationParameters",
        Scale=builder.CreateNumpyVector(quantisation.scale),
        ZeroPoint=builder.CreateNumpyVector(zero_points),
        QuantizedDimension=quantisation.axis,
    )


def _operator_code(builder: flatbuffers.Builder, kind: str) -> int:
    code = getattr(tflite.BuiltinOperator, kind)
    return table(
        builder,
        "OperatorCode",
        DeprecatedBuiltinCode=code,
        BuiltinCode=code,
        Version=VERSIONS[kind],
    )


def _operator(builder: flatbuffers.Builder, layer: Layer, index: dict[str, int], code: int) -> int:
    names = list(layer.inputs)
    if layer.has_weights:
        names += [f"{layer.output}/weight", f"{layer.output}/bias"]
    if layer.operator == "RESHAPE":
        names.append(f"{layer.output}/shape")
    kind = OPTIONS[layer.operator]
    return table(
        builder,
        "Operator",
        OpcodeIndex=code,
        Inputs=ints(builder, [index[name] for name in names]),
        Outputs=ints(builder, [index[layer.output]]),
        BuiltinOptionsType=getattr(tflite.BuiltinOptions, kind),
        BuiltinOptions=table(builder, kind, **_options(builder, layer, kind)),
    )


def _options(builder: flatbuffers.Builder, layer: Layer, kind: str) -> dict[str, float]:
    relu = tflite.ActivationFunctionType.RELU if layer.relu else tflite.ActivationFunctionType.NONE
    window = {"Padding": tflite.Padding.SAME, "StrideW": layer.stride, "StrideH": layer.stride}
    fused = {"FusedActivationFunction": relu}
    match kind:
        case "Conv2DOptions":
            return window | fused
        case "DepthwiseConv2DOptions":
            return window | fused | {"DepthMultiplier": 1}
        case "Pool2DOptions":
            return window | fused | {"FilterWidth": layer.kernel, "FilterHeight": layer.kernel}
        case "ReshapeOptions":
            return {"NewShape": ints(builder, layer.shape)}
        case "SoftmaxOptions":
            return {"Beta": 1.0}
    return fused


if __name__ == "__main__":
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else MODEL
    path.write_bytes(model_bytes(quantised_tensors()))
    print(f"wrote {path}: {path.stat().st_size:,} bytes")
