"""The quantisation of a TFLite model's tensors."""

from __future__ import annotations

import math

from forebay.frontends.tensors import ModelTensor, ModelTensors
from forebay.frontends.tflite.file.schema import ABSENT, Model, TfliteTensor
from forebay.frontends.tflite.lowering.variables import variables_of


def tensors_of(model: Model) -> ModelTensors:
    """Return the quantised tensors of a model."""
    graph = model.subgraphs[0]
    results: dict[tuple[int, str], ModelTensor] = {}
    constants: dict[int, tuple[ModelTensor, ...]] = {}
    for operator in graph.operators:
        for tensor in (graph.tensors[index] for index in operator.outputs):
            if (found := _facts(tensor)) is not None:
                results[operator.index, tensor.name] = found
        read = [graph.tensors[index] for index in operator.inputs if index != ABSENT]
        facts = [_facts(tensor) for tensor in read if tensor.data is not None]
        constants[operator.index] = tuple(found for found in facts if found is not None)
    return ModelTensors(results, constants, _variables(model))


def _variables(model: Model) -> dict[str, ModelTensor]:
    """Return the state; its quantisation is that of the tensors that READ_VARIABLE returns."""
    graph, named = model.subgraphs[0], variables_of(model)
    found: dict[str, ModelTensor] = {}
    for operator in graph.operators:
        if operator.name == "READ_VARIABLE" and operator.inputs[0] in named:
            tensor = _facts(graph.tensors[operator.outputs[0]])
            if tensor is not None:
                found[named[operator.inputs[0]].name] = tensor
    return found


def _facts(tensor: TfliteTensor) -> ModelTensor | None:
    quantization = tensor.quantization
    if quantization is None or any(dimension < 1 for dimension in tensor.shape):
        return None
    elements = math.prod(tensor.shape)
    count, dimension = len(quantization.scales), quantization.dimension
    stride = elements
    if count > 1:
        # Old converters give a bias the dimension of its weights; its only dimension is 0.
        axis = dimension if dimension < len(tensor.shape) else 0
        if tensor.shape[axis] != count:
            return None
        stride = math.prod(tensor.shape[axis + 1 :])
    return ModelTensor(
        tensor.name,
        tensor.type.value,
        elements,
        tuple(quantization.scales),
        tuple(quantization.zero_points),
        stride,
        None if tensor.data is None else tensor.data.tobytes(),
    )
