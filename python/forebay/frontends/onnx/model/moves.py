"""Operators that only move elements work on the stored integers.

    DequantizeLinear -> Reshape        becomes    Reshape -> DequantizeLinear
    QuantizeLinear(Concat(a, b))       becomes    Concat(QuantizeLinear(a), QuantizeLinear(b))
    QuantizeLinear(DequantizeLinear)   vanishes if both have one quantisation

The largest of some integers stands for the largest number, so MaxPool is one of these operators.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from forebay.frontends.onnx.model.graph import (
    NO_OPERAND,
    Graph,
    OnnxOperator,
    OnnxQuantization,
    OnnxTensor,
    quantization_of,
)
from forebay.frontends.onnx.model.read import make_operator

_MOVES = frozenset(
    {
        *("DepthToSpace", "Dropout", "Expand", "Flatten", "Gather", "GlobalMaxPool", "Identity"),
        *("MaxPool", "Pad", "ReduceMax", "ReduceMin", "Reshape", "Resize", "Slice"),
        *("SpaceToDepth", "Split", "Squeeze", "Tile", "Transpose", "Unsqueeze"),
    }
)
_COMPUTES = frozenset({"GlobalMaxPool", "MaxPool", "Pad", "ReduceMax", "ReduceMin", "Resize"})
"""Those that compare elements or make new ones, which are not of all types."""
_STORED = (np.dtype(np.int8), np.dtype(np.uint8), np.dtype(np.int16))


def move_integers(graph: Graph) -> Graph:
    """Return the graph with movers before DequantizeLinear instead of after it."""
    return _Moves(graph).moved()


class _Moves:
    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._tensors = dict(graph.tensors)
        self._operators: list[OnnxOperator] = []
        self._stored: dict[str, tuple[str, OnnxQuantization, OnnxOperator]] = {}
        self._concats: dict[str, OnnxOperator] = {}

    def moved(self) -> Graph:
        for operator in self._graph.operators:
            self._visit(operator)
        return replace(self._graph, tensors=self._tensors).with_operators(self._operators)

    def _visit(self, operator: OnnxOperator) -> None:
        if not self._replaced(operator):
            self._operators.append(operator)

    def _replaced(self, operator: OnnxOperator) -> bool:
        """Add what stands for the operator, and return whether there is such a thing."""
        if operator.kind == "DequantizeLinear":
            self._note(operator)
            return False
        if operator.kind == "QuantizeLinear":
            return self._quantise(operator)
        if operator.kind == "Concat":
            return self._concatenate(operator)
        return operator.kind in _MOVES and self._move(operator)

    def _note(self, operator: OnnxOperator) -> None:
        found = quantization_of(self._graph, operator)
        if found is not None and found.dtype in _STORED:
            self._stored[operator.outputs[0]] = (operator.inputs[0], found, operator)

    def _quantise(self, operator: OnnxOperator) -> bool:
        """Take the stored integers of an equal quantisation, or quantise in front of a Concat."""
        wanted = quantization_of(self._graph, operator)
        if wanted is None or wanted.dtype not in _STORED or not wanted.is_per_tensor:
            return False
        known = self._stored.get(operator.inputs[0])
        if known is not None and known[1].equals(wanted):
            self._operators.append(
                make_operator(known[2], "Identity", (known[0],), operator.outputs)
            )
            return True
        concat = self._concats.get(operator.inputs[0])
        if concat is None:
            return False
        parts: list[str] = []
        for i, part in enumerate(concat.inputs):
            name = f"{operator.outputs[0]}/part{i}"
            parts.append(name)
            attributes = dict(operator.attributes)
            inputs = (part, *operator.inputs[1:])
            self._visit(make_operator(operator, "QuantizeLinear", inputs, (name,), **attributes))
        self._operators.append(
            make_operator(concat, "Concat", tuple(parts), operator.outputs, **concat.attributes)
        )
        return True

    def _move(self, operator: OnnxOperator) -> bool:
        known = self._stored.get(operator.operand(0))
        if known is None or any(name == NO_OPERAND for name in operator.outputs):
            return False
        stored, quantization, source = known
        if not quantization.is_per_tensor:
            return self._transpose_constant(operator, known)
        if quantization.dtype == np.int16 and operator.kind in _COMPUTES:
            return False
        inputs = self._operands(operator, stored, quantization)
        if inputs is None:
            return False
        results = tuple(f"{name}/stored" for name in operator.outputs)
        self._operators.append(
            make_operator(operator, operator.kind, inputs, results, **operator.attributes)
        )
        for name, result in zip(operator.outputs, results, strict=True):
            self._visit(_dequantise(source, result, name))
        return True

    def _operands(
        self, operator: OnnxOperator, stored: str, quantization: OnnxQuantization
    ) -> tuple[str, ...] | None:
        """Return the operands for the integers, None where the operator computes numbers."""
        rest = operator.inputs[1:]
        if operator.kind == "MaxPool" and len(operator.outputs) > 1:
            return None
        if operator.kind == "Resize" and operator.attributes.get("mode", "nearest") != "nearest":
            return None
        if operator.kind == "Pad" and operator.attributes.get("mode", "constant") == "constant":
            given = operator.operand(2)
            value = self._graph.constant(given) if given else np.zeros(())
            integer = _integer_of(value, quantization) if value is not None else None
            if integer is None:
                return None
            name = f"{operator.proto.output[0]}/padding"
            self._tensors[name] = OnnxTensor(name, integer.dtype, integer.shape, integer)
            rest = (operator.operand(1), name, *operator.inputs[3:])
        return (stored, *rest)

    def _transpose_constant(
        self, operator: OnnxOperator, known: tuple[str, OnnxQuantization, OnnxOperator]
    ) -> bool:
        """Transpose weights with a scale per channel."""
        stored, quantization, source = known
        data = self._graph.constant(stored)
        order = operator.attributes.get("perm")
        if operator.kind != "Transpose" or data is None:
            return False
        order = list(order) if order is not None else list(range(data.ndim))[::-1]
        name = f"{operator.outputs[0]}/stored"
        moved = np.ascontiguousarray(data.transpose(order))
        self._tensors[name] = OnnxTensor(name, moved.dtype, moved.shape, moved)
        axis = order.index(quantization.axis % data.ndim)
        made = _dequantise(source, name, operator.outputs[0], axis)
        self._operators.append(made)
        self._stored[operator.outputs[0]] = (name, replace(quantization, axis=axis), made)
        return True

    def _concatenate(self, operator: OnnxOperator) -> bool:
        self._concats[operator.outputs[0]] = operator
        known = [self._stored.get(name) for name in operator.inputs]
        found = [k for k in known if k is not None]
        if len(found) != len(known):
            return False
        _, first, source = found[0]
        if not first.is_per_tensor or not all(k[1].equals(first) for k in found):
            return False
        result = f"{operator.outputs[0]}/stored"
        stored = tuple(k[0] for k in found)
        self._operators.append(
            make_operator(operator, "Concat", stored, (result,), **operator.attributes)
        )
        self._visit(_dequantise(source, result, operator.outputs[0]))
        return True


def _dequantise(
    like: OnnxOperator, stored: str, result: str, axis: int | None = None
) -> OnnxOperator:
    attributes: dict[str, Any] = dict(like.attributes)
    if axis is not None:
        attributes["axis"] = axis
    inputs = (stored, *like.inputs[1:])
    return make_operator(like, "DequantizeLinear", inputs, (result,), **attributes)


def _integer_of(
    value: NDArray[np.generic], quantization: OnnxQuantization
) -> NDArray[np.generic] | None:
    """Return the integer that stands for a number exactly, None if there is none."""
    scale = np.float32(quantization.scale.reshape(-1)[0])
    zero_point = int(quantization.zero_point.reshape(-1)[0])
    limits = np.iinfo(quantization.dtype)
    stored = int(np.rint(np.float32(value.reshape(-1)[0]) / scale)) + zero_point
    if not limits.min <= stored <= limits.max:
        return None
    if np.float32(stored - zero_point) * scale != np.float32(value.reshape(-1)[0]):
        return None
    return np.array(stored, quantization.dtype)
