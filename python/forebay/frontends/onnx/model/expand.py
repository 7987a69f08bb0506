"""Write QLinear operators as their definitions: dequantise, compute, quantise.

    QLinearAdd(a, sa, za, b, sb, zb, sy, zy) = Q(Add(DQ(a, sa, za), DQ(b, sb, zb)), sy, zy)

The passes after this one find the integer operators again, as in a network of the QDQ form. The
factor of QLinearConv and QLinearMatMul is computed in float32, which the operator remembers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from msgspec.structs import replace

from forebay.frontends.errors import UnsupportedModel
from forebay.frontends.onnx.model.graph import NO_OPERAND, Graph, OnnxOperator, OnnxTensor
from forebay.frontends.onnx.model.read import make_operator

_SINGLE_FACTOR = frozenset({"QLinearConv", "QLinearMatMul"})
_UNARY = {
    "QLinearSigmoid": "Sigmoid",
    "QLinearLeakyRelu": "LeakyRelu",
    "QLinearSoftmax": "Softmax",
    "QLinearAveragePool": "AveragePool",
    "QLinearGlobalAveragePool": "GlobalAveragePool",
    "QLinearReduceMean": "ReduceMean",
}
_BINARY = {"QLinearAdd": "Add", "QLinearMul": "Mul", "QLinearMatMul": "MatMul"}


def expand_qlinear(graph: Graph) -> Graph:
    """Return the graph without QLinear operators."""
    builder = _Builder(graph)
    for operator in graph.operators:
        expand = _EXPANSIONS.get(operator.kind)
        if expand is None:
            builder.operators.append(operator)
        else:
            expand(builder, operator)
    return replace(graph, tensors=builder.tensors).with_operators(builder.operators)


class _Builder:
    """The operators and constants so far."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.tensors = dict(graph.tensors)
        self.operators: list[OnnxOperator] = []

    def dequantised(
        self, like: OnnxOperator, first: int, scale: str | None = None, axis: int = 0
    ) -> str:
        """Return the real form of operand `first`, whose scale and zero point follow."""
        stored, own_scale, zero_point = like.inputs[first : first + 3]
        name = f"{like.outputs[0]}/real{first}"
        operands = (stored, scale or own_scale, *((zero_point,) if zero_point else ()))
        self.operators.append(make_operator(like, "DequantizeLinear", operands, (name,), axis=axis))
        return name

    def bias(self, like: OnnxOperator, stored: str, scales: tuple[str, str]) -> str:
        """Return the real form of a bias, whose scale is the product of two."""
        a, b = (self.constant(like, name) for name in scales)
        scale = f"{like.outputs[0]}/bias_scale"
        self.add(scale, np.asarray(a * b, np.float32))
        name = f"{like.outputs[0]}/bias"
        operator = make_operator(like, "DequantizeLinear", (stored, scale), (name,), axis=0)
        self.operators.append(operator)
        return name

    def compute(self, like: OnnxOperator, kind: str, inputs: tuple[str, ...]) -> str:
        """Return the real result of the operation."""
        name = f"{like.outputs[0]}/real"
        attributes = {k: v for k, v in like.attributes.items() if k != "channels_last"}
        self.operators.append(make_operator(like, kind, inputs, (name,), **attributes))
        return name

    def quantised(self, like: OnnxOperator, real: str, scale: str, zero_point: str) -> None:
        """Give the result of the operator."""
        operands = (real, scale, *((zero_point,) if zero_point else ()))
        made = make_operator(like, "QuantizeLinear", operands, (like.outputs[0],))
        self.operators.append(replace(made, has_single_factor=like.kind in _SINGLE_FACTOR))

    def constant(self, like: OnnxOperator, name: str) -> Any:
        """Return the elements of a constant."""
        data = self.tensors[name].data if name in self.tensors else None
        if data is None:
            raise UnsupportedModel(
                f"operator {like.index} ({like.name}): not supported: '{name}' computed at run "
                "time; quantise with constant scales",
                self.graph.file_name,
            )
        return data

    def add(self, name: str, data: Any) -> None:
        """Add a constant."""
        self.tensors[name] = OnnxTensor(name, data.dtype, data.shape, data)


def _padded(operator: OnnxOperator, count: int) -> OnnxOperator:
    missing = count - len(operator.inputs)
    return replace(operator, inputs=(*operator.inputs, *(NO_OPERAND,) * missing))


def _unary(builder: _Builder, operator: OnnxOperator) -> None:
    like = _padded(operator, 5)
    if like.attributes.get("channels_last", 0):
        raise UnsupportedModel(
            f"operator {like.index} ({like.name}): not supported: channels_last; use the NCHW form",
            builder.graph.file_name,
        )
    if like.kind == "QLinearSoftmax":
        like = replace(like, attributes={"axis": like.attributes.get("axis", -1)})
    real = builder.compute(like, _UNARY[like.kind], (builder.dequantised(like, 0),))
    builder.quantised(like, real, like.inputs[3], like.inputs[4])


def _binary(builder: _Builder, operator: OnnxOperator) -> None:
    like = _padded(operator, 8)
    last = -1 if like.kind == "QLinearMatMul" else 0
    operands = (builder.dequantised(like, 0), builder.dequantised(like, 3, axis=last))
    real = builder.compute(like, _BINARY[like.kind], operands)
    builder.quantised(like, real, like.inputs[6], like.inputs[7])


def _conv(builder: _Builder, operator: OnnxOperator) -> None:
    like = _padded(operator, 9)
    operands = [builder.dequantised(like, 0), builder.dequantised(like, 3)]
    if like.inputs[8]:
        operands.append(builder.bias(like, like.inputs[8], (like.inputs[1], like.inputs[4])))
    real = builder.compute(like, "Conv", tuple(operands))
    builder.quantised(like, real, like.inputs[6], like.inputs[7])


def _gemm(builder: _Builder, operator: OnnxOperator) -> None:
    like = _padded(operator, 9)
    axis = 0 if like.attributes.get("transB", 0) else 1
    operands = [builder.dequantised(like, 0), builder.dequantised(like, 3, axis=axis)]
    if like.inputs[6]:
        operands.append(builder.bias(like, like.inputs[6], (like.inputs[1], like.inputs[4])))
    if like.inputs[7]:
        real = builder.compute(like, "Gemm", tuple(operands))
        builder.quantised(like, real, like.inputs[7], like.inputs[8])
    else:
        builder.operators.append(
            make_operator(like, "Gemm", tuple(operands), like.outputs, **like.attributes)
        )


def _concat(builder: _Builder, like: OnnxOperator) -> None:
    operands = [builder.dequantised(like, i) for i in range(2, len(like.inputs), 3)]
    real = builder.compute(like, "Concat", tuple(operands))
    builder.quantised(like, real, like.inputs[0], like.inputs[1])


_EXPANSIONS: Mapping[str, Callable[[_Builder, OnnxOperator], None]] = {
    **dict.fromkeys(_UNARY, _unary),
    **dict.fromkeys(_BINARY, _binary),
    "QLinearConv": _conv,
    "QGemm": _gemm,
    "QLinearConcat": _concat,
}
