"""Compute operators by ONNX's own reference evaluator, which defines what they mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray
from onnx import helper
from onnx.defs import get_schema
from onnx.reference import ReferenceEvaluator
from onnx.reference.ops import load_op

from forebay.frontends.errors import MalformedModel
from forebay.frontends.onnx.model.graph import NO_OPERAND, Graph, OnnxOperator, OnnxTensor

_DEQUANTIZE = "DequantizeLinear"
_FIRST_DEQUANTIZE = 19
_KEPT = frozenset({_DEQUANTIZE, "RandomNormal", "RandomUniform"})
"""Operators that stay: integer operators read the stored constants."""


def evaluate_operators(
    graph: Graph, operators: Sequence[OnnxOperator], feeds: Mapping[str, NDArray[np.generic]]
) -> dict[str, NDArray[np.generic]]:
    """Return the results of the operators, by name; `feeds` has every operand."""
    outputs = [name for o in operators for name in o.outputs if name != NO_OPERAND]
    made = helper.make_graph(
        [o.proto for o in operators],
        "part",
        [helper.make_tensor_value_info(n, _code(a), a.shape) for n, a in feeds.items()],
        [helper.make_value_info(name, _any_type()) for name in outputs],
    )
    model = helper.make_model(
        made,
        opset_imports=[
            helper.make_opsetid("", graph.opset),
            helper.make_opsetid("com.microsoft", 1),
        ],
    )
    try:
        evaluator = ReferenceEvaluator(model, new_ops=_replacements(graph.opset))
        found = evaluator.run(outputs, dict(feeds))
    except Exception as error:  # an evaluator of NumPy raises whatever NumPy raises
        first = operators[0]
        raise MalformedModel(
            f"operator {first.index} ({first.name}) on constants: {error}", graph.file_name
        ) from error
    return dict(zip(outputs, (np.asarray(a) for a in found), strict=True))


def _replacements(opset: int) -> list[Any]:
    """Return the classes that the evaluator lacks for an opset.

    It has no DequantizeLinear before 19, whose definition has only grown since: by types, and by
    blocks in 21.
    """
    if opset >= _FIRST_DEQUANTIZE:
        return []
    newer = load_op("", _DEQUANTIZE, _FIRST_DEQUANTIZE)
    schema = get_schema(_DEQUANTIZE, _FIRST_DEQUANTIZE)
    return [type(_DEQUANTIZE, (newer,), {"op_domain": "", "op_schema": schema})]


def fold_constants(graph: Graph) -> Graph:
    """Return the graph with the results of operators on constants alone as constants."""
    tensors = dict(graph.tensors)
    kept: list[OnnxOperator] = []
    for operator in graph.operators:
        known = all(n == NO_OPERAND or _is_known(tensors, n) for n in operator.inputs)
        if known and operator.kind not in _KEPT and not _has_subgraph(operator):
            feeds = {n: tensors[n].data for n in operator.inputs if n != NO_OPERAND}
            results = evaluate_operators(
                graph, [operator], {n: a for n, a in feeds.items() if a is not None}
            )
            for name, data in results.items():
                tensors[name] = OnnxTensor(name, data.dtype, data.shape, data)
        else:
            kept.append(operator)
    return replace(graph, tensors=tensors).with_operators(kept)


def _is_known(tensors: Mapping[str, OnnxTensor], name: str) -> bool:
    return name in tensors and tensors[name].data is not None


def _has_subgraph(operator: OnnxOperator) -> bool:
    return operator.kind in ("If", "Loop", "Scan")


def _code(array: NDArray[np.generic]) -> int:
    return helper.np_dtype_to_tensor_dtype(array.dtype)


def _any_type() -> Any:
    return helper.make_tensor_type_proto(1, None)
