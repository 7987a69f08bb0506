"""Find the integer operators between DequantizeLinear and QuantizeLinear.

    Q(Relu(Conv(DQ(x), DQ(w), DQ(b))))     becomes one Conv of integers, with bounds

The bias must have the scale of the products, else the operator stays one of floats.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from msgspec.structs import replace

from forebay.frontends.onnx.model.graph import (
    NO_OPERAND,
    Graph,
    OnnxOperator,
    OnnxQuantization,
    quantization_of,
)

_ELEMENTWISE = frozenset({"Add", "Div", "Max", "Min", "Mul", "Sub"})
_MEANS = frozenset({"AveragePool", "GlobalAveragePool", "ReduceMean"})
_PRODUCTS = frozenset({"Conv", "ConvTranspose", "Gemm", "MatMul"})
_STORED = (np.dtype(np.int8), np.dtype(np.uint8))


class _Operand:
    """An operand of a real operator: stored integers, or a constant of floats."""

    def __init__(self, name: str, quantization: OnnxQuantization | None) -> None:
        self.name = name
        self.quantization = quantization


def find_integer_operators(graph: Graph) -> Graph:
    """Return the graph with integer operators in place of the QuantizeLinear that end them."""
    return _Search(graph).found()


class _Search:
    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._producers = graph.producers()
        self._uses = graph.uses()

    def found(self) -> Graph:
        operators = [self._integer(o) or o for o in self._graph.operators]
        return self._graph.with_operators(operators)

    def _integer(self, quantise: OnnxOperator) -> OnnxOperator | None:
        if quantise.kind != "QuantizeLinear":
            return None
        target = quantization_of(self._graph, quantise)
        if target is None or not target.is_per_tensor or target.dtype not in _STORED:
            return None
        name, bounds = self._bounded(quantise.inputs[0])
        core = self._producers.get(name)
        if core is None or self._uses[name] != 1 or len(core.outputs) != 1 or core.target:
            return None
        operands = self._operands(core)
        if operands is None:
            return None
        return replace(
            core,
            inputs=tuple(o.name for o in operands),
            outputs=quantise.outputs,
            sources=tuple(o.quantization for o in operands),
            target=target,
            bounds=bounds,
            has_single_factor=quantise.has_single_factor,
        )

    def _bounded(self, name: str) -> tuple[str, tuple[float, float] | None]:
        """Return the tensor in front of Relu and Clip, and the range that these allow."""
        low, high = -math.inf, math.inf
        while (producer := self._producers.get(name)) is not None and self._uses[name] == 1:
            limits = self._limits(producer)
            if limits is None:
                break
            low, high = max(low, limits[0]), min(high, limits[1])
            name = producer.inputs[0]
        is_bounded = low > -math.inf or high < math.inf
        return name, (low, high) if is_bounded else None

    def _limits(self, operator: OnnxOperator) -> tuple[float, float] | None:
        if operator.kind == "Relu":
            return 0.0, math.inf
        if operator.kind != "Clip":
            return None
        limits = [-math.inf, math.inf]
        for i, name in enumerate(operator.inputs[1:3]):
            if name != NO_OPERAND:
                value = self._graph.constant(name)
                if value is None:
                    return None
                limits[i] = float(value.reshape(-1)[0])
        return (limits[0], limits[1]) if limits[0] <= limits[1] else None

    def _operands(self, core: OnnxOperator) -> list[_Operand] | None:
        found = [self._operand(name) for name in core.inputs]
        if core.kind in _MEANS and not _has_borders(core):
            rest = [_Operand(name, None) for name in core.inputs[1:]]
            return [found[0], *rest] if _is_activation(found[0]) else None
        if core.kind in _ELEMENTWISE and len(found) == 2:
            stored = [_is_activation(o) for o in found]
            known = [self._is_float_constant(o) for o in found]
            fits = all(s or k for s, k in zip(stored, known, strict=True)) and any(stored)
            return found if fits else None
        if core.kind == "Resize" and core.attributes.get("mode", "nearest") != "nearest":
            rest = [_Operand(name, None) for name in core.inputs[1:]]
            return [found[0], *rest] if _is_activation(found[0]) else None
        if core.kind not in _PRODUCTS or not self._multiplies(core, found):
            return None
        found = _of_channels(core, found)
        return found if len(found) < 3 or self._is_bias(*found[:3]) else None

    def _operand(self, name: str) -> _Operand:
        producer = self._producers.get(name)
        if producer is None or producer.kind != "DequantizeLinear":
            return _Operand(name, None)
        return _Operand(producer.inputs[0], quantization_of(self._graph, producer))

    def _is_float_constant(self, operand: _Operand) -> bool:
        data = self._graph.constant(operand.name)
        return operand.quantization is None and data is not None and data.dtype == np.float32

    def _multiplies(self, core: OnnxOperator, operands: Sequence[_Operand]) -> bool:
        a, b = operands[:2]
        if not _is_activation(a) or b.quantization is None or b.quantization.dtype not in _STORED:
            return False
        weights = self._graph.constant(b.name)
        if weights is None:
            return core.kind == "MatMul" and b.quantization.is_per_tensor
        if not _fits(core, weights.shape, b.quantization):
            return False
        plain = ("alpha", 1.0), ("beta", 1.0), ("transA", 0)
        return core.kind != "Gemm" or all(core.attributes.get(k, v) == v for k, v in plain)

    def _is_bias(self, a: _Operand, b: _Operand, bias: _Operand) -> bool:
        if bias.name == NO_OPERAND:
            return True
        q, qa, qb = bias.quantization, a.quantization, b.quantization
        if q is None or qa is None or qb is None or q.dtype != np.int32:
            return False
        if self._graph.constant(bias.name) is None or q.zero_point.any():
            return False
        products = qa.scale.reshape(-1).astype(np.float64) * qb.scale.reshape(-1)
        given = q.scale.reshape(-1).astype(np.float64)
        fits = given.size == products.size or 1 in (given.size, products.size)
        return fits and np.allclose(given, products, 1e-6, 0.0)


def _fits(core: OnnxOperator, shape: tuple[int, ...], quantization: OnnxQuantization) -> bool:
    """Return whether weights have one zero point, and one scale or one for each channel."""
    if len(shape) < 2 or len(set(quantization.zero_point.reshape(-1).tolist())) != 1:
        return False
    axis = _channel_axis(core, len(shape))
    is_along_axis = (
        quantization.axis % len(shape) == axis and quantization.scale.size == shape[axis]
    )
    return quantization.is_per_tensor or is_along_axis


def _has_borders(core: OnnxOperator) -> bool:
    """Return whether some means are of fewer elements than others, at the borders of an image."""
    attributes = core.attributes
    grows = attributes.get("ceil_mode", 0) or attributes.get("auto_pad", "").startswith("SAME")
    padded = any(attributes.get("pads", ())) and not attributes.get("count_include_pad", 0)
    return core.kind == "AveragePool" and bool(grows or padded)


def _of_channels(core: OnnxOperator, operands: list[_Operand]) -> list[_Operand]:
    """Return operands with a scale for each channel: those of ConvTranspose are of one group."""
    q = operands[1].quantization
    groups = int(core.attributes.get("group", 1))
    if core.kind != "ConvTranspose" or q is None or q.is_per_tensor or groups == 1:
        return operands
    return [operands[0], _Operand(operands[1].name, _repeated(q, groups)), *operands[2:]]


def _repeated(q: OnnxQuantization, count: int) -> OnnxQuantization:
    return replace(q, scale=np.tile(q.scale, count), zero_point=np.tile(q.zero_point, count))


def _channel_axis(core: OnnxOperator, rank: int) -> int:
    """Return the dimension of the weights that the channels of the result count."""
    if core.kind == "Conv" or (core.kind == "Gemm" and core.attributes.get("transB", 0)):
        return 0
    return 1 if core.kind == "ConvTranspose" else rank - 1


def _is_activation(operand: _Operand) -> bool:
    q = operand.quantization
    return q is not None and q.is_per_tensor and q.dtype in _STORED
