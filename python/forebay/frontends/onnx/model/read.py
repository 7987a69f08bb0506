"""Read an ONNX file into a graph: one opset, static shapes, constants as arrays."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import helper, inliner, numpy_helper, shape_inference

from forebay.frontends.errors import MalformedModel, UnsupportedModel
from forebay.frontends.onnx.model.graph import Graph, OnnxOperator, OnnxTensor
from forebay.frontends.onnx.model.opsets import in_known_opset
from forebay.support.files import printable

_DOMAINS = ("", "ai.onnx", "com.microsoft")


def read_onnx(path: Path, shapes: Mapping[str, tuple[int, ...]]) -> Graph:
    """Read and check a file; `shapes` gives inputs of dynamic shape their sizes, by name.

    A file of an opset that is older than the first one that the importer knows is converted to it.
    """
    name = printable(path.name)
    try:
        model = onnx.load(path)
        onnx.checker.check_model(model)
    except OSError:
        raise
    except Exception as error:  # protobuf, onnx and its checker raise many kinds of errors
        raise _malformed(error, name) from error
    model = in_known_opset(model, _opset(model), name)
    try:
        model = inliner.inline_local_functions(model)
        inferred = shape_inference.infer_shapes(model, check_type=True)
    except Exception as error:
        raise _malformed(error, name) from error
    graph = model.graph
    constants = {t.name: _array(t, name) for t in graph.initializer}
    if graph.sparse_initializer:
        raise UnsupportedModel("sparse constants are not supported", name)
    tensors = {n: OnnxTensor(n, data.dtype, data.shape, data) for n, data in constants.items()}
    inputs = [value for value in graph.input if value.name not in constants]
    for value in inputs:
        tensors[value.name] = _input(value, shapes, name)
    _check_shapes(shapes, [value.name for value in inputs], name)
    return Graph(
        name,
        _opset(model),
        tensors,
        tuple(value.name for value in inputs),
        tuple(value.name for value in graph.output),
        {value.name: _dtype(value, name) for value in graph.output},
        tuple(read_operator(i, node, name) for i, node in enumerate(graph.node)),
        _types(inferred),
    )


def _types(model: Any) -> dict[str, Any]:
    graph = model.graph
    types = {
        c.name: helper.make_tensor_type_proto(c.data_type, list(c.dims)) for c in graph.initializer
    }
    values = (*graph.input, *graph.value_info, *graph.output)
    return types | {value.name: value.type for value in values}


def _malformed(error: Exception, name: str) -> MalformedModel:
    return MalformedModel(f"not a valid ONNX model: {error}".split("\n")[0], name)


def _opset(model: Any) -> int:
    """Return the version of ONNX's own operators; 0 for a model without any."""
    versions = {o.domain: int(o.version) for o in model.opset_import}
    return versions.get("", versions.get("ai.onnx", 0))


def read_operator(index: int, node: Any, name: str) -> OnnxOperator:
    """Return a node of a file as an operator."""
    if node.domain not in _DOMAINS:
        raise UnsupportedModel(
            f"operator {index} ({node.op_type}): its domain {node.domain} is not supported", name
        )
    attributes = {a.name: helper.get_attribute_value(a) for a in node.attribute}
    return OnnxOperator(
        index,
        node.op_type,
        node.op_type,
        tuple(node.input),
        tuple(node.output),
        {k: _plain(v) for k, v in attributes.items()},
        node,
    )


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, onnx.TensorProto):
        return numpy_helper.to_array(value)
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return value


def _array(tensor: Any, name: str) -> NDArray[np.generic]:
    try:
        return numpy_helper.to_array(tensor)
    except (ValueError, TypeError) as error:
        raise MalformedModel(f"constant '{tensor.name}': {error}", name) from error


def _dtype(value: Any, name: str) -> np.dtype[Any]:
    kind = value.type.tensor_type.elem_type
    if not value.type.HasField("tensor_type") or kind == 0:
        raise UnsupportedModel(f"'{value.name}' is no tensor of a known type", name)
    try:
        return np.dtype(helper.tensor_dtype_to_np_dtype(kind))
    except KeyError as error:
        raise MalformedModel(f"'{value.name}' is of the unknown type {kind}", name) from error


def _input(value: Any, shapes: Mapping[str, tuple[int, ...]], name: str) -> OnnxTensor:
    dtype = _dtype(value, name)
    if not value.type.tensor_type.HasField("shape"):
        if value.name in shapes:
            return OnnxTensor(value.name, dtype, tuple(shapes[value.name]))
        raise UnsupportedModel(f"input '{value.name}' has no shape; give --shape", name)
    given = shapes.get(value.name)
    dims = value.type.tensor_type.shape.dim
    own = tuple(int(d.dim_value) if d.HasField("dim_value") else 0 for d in dims)
    if given is None:
        if any(d < 1 for d in own):
            sizes = "x".join(str(d) if d else "?" for d in own)
            raise UnsupportedModel(
                f"input '{value.name}' has the dynamic shape {sizes}; give one, as in "
                f"--shape {value.name}={'x'.join(str(d or 1) for d in own)}",
                name,
            )
        return OnnxTensor(value.name, dtype, own)
    fits = len(given) == len(own) and all(
        g > 0 and d in (0, g) for d, g in zip(own, given, strict=True)
    )
    if not fits:
        raise UnsupportedModel(
            f"the shape {list(given)} does not fit input '{value.name}', {list(own)}", name
        )
    return OnnxTensor(value.name, dtype, tuple(given))


def _check_shapes(shapes: Mapping[str, tuple[int, ...]], inputs: list[str], name: str) -> None:
    for given in shapes:
        if given not in inputs:
            raise UnsupportedModel(
                f"a shape is given for '{given}', which is no input; inputs are: "
                f"{', '.join(inputs)}",
                name,
            )


def make_operator(
    like: OnnxOperator,
    kind: str,
    inputs: tuple[str, ...],
    outputs: tuple[str, ...],
    **attributes: Any,
) -> OnnxOperator:
    """Return an operator that stands for a part of operator `like`."""
    proto = helper.make_node(kind, list(inputs), list(outputs), **attributes)
    return OnnxOperator(like.index, kind, like.name, inputs, outputs, attributes, proto)
