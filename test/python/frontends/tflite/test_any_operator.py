"""Every operator on random tensors and options: imported or refused, never anything else."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest
from common.model_file import Graph, Op, T, build
from mlir import ir

from forebay.frontends.tflite import MalformedModel, UnsupportedModel, import_model
from forebay.frontends.tflite.file.options import OperatorOptions, stored_fields
from forebay.frontends.tflite.lowering.registry import lowerings

ROUNDS = 150
DTYPES = ("int8",) * 6 + ("int32",) * 3 + ("float32",) * 3 + ("uint8", "int16", "int64", "bool")
TABLES = {
    "CONV_2D": "Conv2DOptions",
    "DEPTHWISE_CONV_2D": "DepthwiseConv2DOptions",
    "AVERAGE_POOL_2D": "Pool2DOptions",
    "MAX_POOL_2D": "Pool2DOptions",
    "FULLY_CONNECTED": "FullyConnectedOptions",
    "ADD": "AddOptions",
    "SUB": "SubOptions",
    "MUL": "MulOptions",
    "RESHAPE": "ReshapeOptions",
    "SOFTMAX": "SoftmaxOptions",
    "MEAN": "ReducerOptions",
    "CONCATENATION": "ConcatenationOptions",
    "SPLIT": "SplitOptions",
    "STRIDED_SLICE": "StridedSliceOptions",
    "PACK": "PackOptions",
    "UNPACK": "UnpackOptions",
    "SQUEEZE": "SqueezeOptions",
    "LEAKY_RELU": "LeakyReluOptions",
    "RESIZE_BILINEAR": "ResizeBilinearOptions",
    "RESIZE_NEAREST_NEIGHBOR": "ResizeNearestNeighborOptions",
    "VAR_HANDLE": "VarHandleOptions",
    "CALL_ONCE": "CallOnceOptions",
}
NAMES = sorted(lowerings())
OPTIONS: dict[str, type[OperatorOptions]] = {
    kind.__name__: kind for kind in OperatorOptions.__subclasses__()
}


def any_tensor(rng: np.random.Generator) -> T:
    dtype = str(rng.choice(DTYPES))
    rank = int(rng.choice([0, 1, 2, 3, 4, 4, 4, 5]))
    shape = tuple(int(d) for d in rng.choice([0, 1, 1, 2, 3, 4, 5], rank))
    data = None
    if rng.random() < 0.5:
        data = rng.integers(
            0 if dtype in ("uint8", "bool") else -3, 2 if dtype == "bool" else 5, shape
        )
    scale: float | list[float] | None = float(rng.choice([0.0, 1e-30, 0.004, 0.05, 1.0, 1e30]))
    if rng.random() < 0.3:
        scale = None
    elif rng.random() < 0.2 and rank:
        scale = [0.1] * max(1, shape[0])
    zero_point = int(rng.choice([0, 0, -128, 127, 300]))
    return T(shape, dtype, scale, zero_point, data, dimension=int(rng.integers(0, 4)))


def any_fields(table: str, rng: np.random.Generator) -> dict[str, object]:
    found: dict[str, object] = {}
    for field in stored_fields(OPTIONS[table]):
        key = field.name
        if key in ("NewHeight", "NewWidth"):  # deprecated: the package does not write them
            continue
        if field.type is str:
            found[key] = "state"
        elif field.type is float:
            found[key] = float(rng.choice([-1.0, 0.0, 0.5, 1.0, np.inf, np.nan]))
        elif field.type is bool:
            found[key] = bool(rng.integers(2))
        elif field.type is tuple:
            found[key] = [int(x) for x in rng.integers(-2, 4, rng.integers(0, 4))]
        else:
            low = 0 if "Function" in key or key == "Padding" else -1
            found[key] = int(rng.integers(low, 4))
    return found


@pytest.mark.parametrize("name", NAMES)
def test_any_tensors_and_options(name: str, context: ir.Context) -> None:
    rng = np.random.default_rng(sum(name.encode()))
    for _ in range(ROUNDS):
        tensors = [any_tensor(rng) for _ in range(6)]
        if rng.random() < 0.6:
            for tensor in tensors[1:]:
                tensor.dtype, tensor.scale = tensors[0].dtype, tensors[0].scale
                tensor.zero_point, tensor.data = tensors[0].zero_point, None
            if tensors[0].dtype == "int8" and rng.random() < 0.5:
                tensors[5].shape = tensors[0].shape
        count = int(rng.integers(0, 5))
        inputs = [int(i) for i in rng.choice([0, 1, 2, 3, 4, -1], count)]
        outputs = [5] * int(rng.random() < 0.95)
        table = TABLES.get(name, "")
        fields = any_fields(table, rng) if table else {}
        op = Op(name, inputs, outputs, table, fields, int(rng.integers(0, 4)))
        arguments = sorted({i for i in inputs if i >= 0 and tensors[i].data is None})
        file = build(Graph(tensors, arguments, outputs, [op]))
        with contextlib.suppress(MalformedModel, UnsupportedModel):
            import_model(file)
