"""Records of an ONNX graph: tensors, operators and their quantisation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

NO_OPERAND = ""
"""The name of an operand that is left out."""
_QUANTISED = {2: np.uint8, 3: np.int8, 4: np.uint16, 5: np.int16}
"""Types of stored integers by their numbers in ONNX."""


class OnnxQuantization(Struct, frozen=True, eq=False):
    """The numbers that stored integers represent: `real = (stored - zero point) * scale`.

    The arrays have no dimension, or one entry for each index along `axis`. Scales are float32.
    """

    scale: NDArray[np.float32]
    zero_point: NDArray[np.generic]
    axis: int = 0

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the stored integers."""
        return self.zero_point.dtype

    @property
    def is_per_tensor(self) -> bool:
        """Return whether there is one scale."""
        return self.scale.size == 1

    def equals(self, other: OnnxQuantization) -> bool:
        """Return whether both represent each number by the same integer."""
        return (
            self.dtype == other.dtype
            and np.array_equal(self.scale.reshape(-1), other.scale.reshape(-1))
            and np.array_equal(self.zero_point.reshape(-1), other.zero_point.reshape(-1))
            and (self.is_per_tensor or self.axis == other.axis)
        )


class OnnxTensor(Struct, frozen=True, eq=False):
    """An input of the network, or a constant with its elements."""

    name: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    data: NDArray[np.generic] | None = None


class OnnxOperator(Struct, frozen=True, eq=False):
    """One operator.

    `kind` is the operation, `name` the operator in the file that it comes from. With a `target`,
    it is an integer operator: its operands are the stored integers that `sources` describe, and it
    gives stored integers. The real result is limited to `bounds` before it is quantised.
    """

    index: int
    kind: str
    name: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: Mapping[str, Any] = {}
    proto: Any = None
    """The node in the form that ONNX's reference evaluator runs."""
    sources: tuple[OnnxQuantization | None, ...] = ()
    target: OnnxQuantization | None = None
    bounds: tuple[float, float] | None = None
    has_single_factor: bool = False
    """Whether the factor of a sum of products is rounded to float32, as QLinearConv does."""

    def operand(self, index: int) -> str:
        """Return the name of an operand, `NO_OPERAND` for one that is left out."""
        return self.inputs[index] if index < len(self.inputs) else NO_OPERAND


class Graph(Struct, frozen=True, eq=False):
    """A network: operators in an order in which each comes after its operands."""

    file_name: str
    opset: int
    tensors: Mapping[str, OnnxTensor]
    """Inputs and constants, by name."""
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    output_types: Mapping[str, np.dtype[Any]]
    operators: tuple[OnnxOperator, ...]
    types: Mapping[str, Any] = {}
    """The types that ONNX infers, by tensor, in its own form."""

    def constant(self, name: str) -> NDArray[np.generic] | None:
        """Return the elements of a constant, None for another tensor."""
        tensor = self.tensors.get(name)
        return tensor.data if tensor is not None else None

    def with_operators(self, operators: Iterable[OnnxOperator]) -> Graph:
        """Return the graph with other operators, less those whose results nobody reads."""
        needed = set(self.outputs)
        kept: list[OnnxOperator] = []
        for operator in reversed(list(operators)):
            if not needed.isdisjoint(operator.outputs):
                kept.append(operator)
                needed.update(operator.inputs)
        return replace(self, operators=tuple(reversed(kept)))

    def producers(self) -> dict[str, OnnxOperator]:
        """Return the operator of each tensor that one computes."""
        return {name: o for o in self.operators for name in o.outputs if name != NO_OPERAND}

    def uses(self) -> dict[str, int]:
        """Return how often each tensor is read; an output of the network counts as a read."""
        counts: dict[str, int] = {}
        for name in (*(n for o in self.operators for n in o.inputs), *self.outputs):
            counts[name] = counts.get(name, 0) + 1
        return counts


def quantization_of(graph: Graph, operator: OnnxOperator) -> OnnxQuantization | None:
    """Return what QuantizeLinear or DequantizeLinear does, None where it is not constant."""
    scale = graph.constant(operator.inputs[1])
    if scale is None or scale.dtype != np.float32 or operator.attributes.get("block_size", 0):
        return None
    name = operator.operand(2)
    zero_point = graph.constant(name) if name else np.zeros(scale.shape, _stored(graph, operator))
    if zero_point is None:
        return None
    if (scale.size > 1 and scale.ndim != 1) or not (scale.astype(np.float32) > 0).all():
        return None
    return OnnxQuantization(
        scale.astype(np.float32), zero_point, int(operator.attributes.get("axis", 1))
    )


def _stored(graph: Graph, operator: OnnxOperator) -> np.dtype[Any]:
    """Return the type of the stored integers of an operator without a zero point."""
    tensor = graph.tensors.get(operator.operand(0))
    if operator.kind == "DequantizeLinear" and tensor is not None:
        return tensor.dtype
    return quantised_type(operator)


def quantised_type(operator: OnnxOperator) -> np.dtype[Any]:
    """Return the type of the result of QuantizeLinear without a zero point."""
    return np.dtype(_QUANTISED.get(int(operator.attributes.get("output_dtype", 0)), np.uint8))
