"""Networks of uint8: the same network on int8, between two conversions.

A uint8 value x with zero point z and the int8 value x - 128 with zero point z - 128 stand for the
same number, so every operator that subtracts zero points computes the same on both. Tensors on
which an operator computes become int8, and with them those from which, or into which, other
operators only move their elements. Inputs and outputs of the network stay uint8, by a QUANTIZE.

    x: uint8 -> CONV_2D -> RESHAPE -> y: uint8
    x: uint8 -> QUANTIZE -> x: int8 -> CONV_2D -> RESHAPE -> y: int8 -> QUANTIZE -> y: uint8

An operator whose rounding depends on the sign looks at `TfliteTensor.was_unsigned`.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from forebay.frontends.tflite.file.schema import (
    ABSENT,
    ElementType,
    Model,
    Subgraph,
    TfliteOperator,
    TfliteQuantization,
    TfliteTensor,
)

_HALF = 128
_MOVERS = frozenset(
    {
        *("BATCH_TO_SPACE_ND", "BROADCAST_TO", "DEPTH_TO_SPACE", "EXPAND_DIMS", "GATHER"),
        *("GATHER_ND", "PACK", "RESHAPE", "REVERSE_V2", "SELECT", "SELECT_V2", "SLICE"),
        *("SPACE_TO_DEPTH", "SPLIT", "SPLIT_V", "SQUEEZE", "STRIDED_SLICE", "TILE"),
        *("TRANSPOSE", "UNPACK"),
    }
)
_ON_STORED = frozenset({"ASSIGN_VARIABLE", "CAST", "READ_VARIABLE"})
"""Operators on the stored bits, which a shift by 128 would change."""


def without_unsigned_arithmetic(model: Model, stored: Iterable[str] = ()) -> Model:
    """Return the model with int8 in place of uint8 where an operator computes on it.

    `stored` names further operators on the stored bits: those of users.
    """
    graph = model.subgraphs[0]
    shifted = _shifted(graph, _ON_STORED.union(stored))
    if not shifted:
        return model
    return replace(model, subgraphs=(_rewritten(graph, shifted), *model.subgraphs[1:]))


def _shifted(graph: Subgraph, on_stored: frozenset[str]) -> frozenset[int]:
    """Return the tensors that become int8: whole sets that are joined by movers."""
    sets = _JoinedSets()
    computed: set[int] = set()
    kept: set[int] = set()
    for operator in graph.operators:
        tensors = _unsigned(graph, (*operator.inputs, *operator.outputs))
        if operator.name in _MOVERS or _concatenates(graph, operator):
            sets.join(tensors)
        elif operator.name in on_stored:
            kept.update(tensors)
        elif not _changes_sign(graph, operator):
            computed.update(tensors)
    kept.update(t for t in computed if graph.tensors[t].quantization is None)
    left = {sets.root(t) for t in kept}
    roots = {sets.root(t) for t in computed} - left
    return frozenset(
        t for t in _unsigned(graph, range(len(graph.tensors))) if sets.root(t) in roots
    )


def _concatenates(graph: Subgraph, operator: TfliteOperator) -> bool:
    """Return whether a CONCATENATION only moves elements: all have one quantisation."""
    if operator.name != "CONCATENATION":
        return False
    tensors = [graph.tensors[t] for t in (*operator.inputs, *operator.outputs)]
    return all(_same(t.quantization, tensors[0].quantization) for t in tensors)


def _same(a: TfliteQuantization | None, b: TfliteQuantization | None) -> bool:
    if a is None or b is None:
        return a is b
    return (a.scales, a.zero_points) == (b.scales, b.zero_points)


def _changes_sign(graph: Subgraph, operator: TfliteOperator) -> bool:
    """Return whether a QUANTIZE converts between uint8 and int8, which needs no shift."""
    types = {graph.tensors[t].type for t in (*operator.inputs, *operator.outputs)}
    return operator.name == "QUANTIZE" and types == {ElementType.UINT8, ElementType.INT8}


def _unsigned(graph: Subgraph, tensors: Iterable[int]) -> list[int]:
    present = (t for t in tensors if t != ABSENT)
    return [t for t in present if graph.tensors[t].type is ElementType.UINT8]


class _JoinedSets:
    """Disjoint sets of tensors."""

    def __init__(self) -> None:
        self._parents: dict[int, int] = {}

    def root(self, tensor: int) -> int:
        """Return the tensor that stands for the set."""
        while (parent := self._parents.get(tensor, tensor)) != tensor:
            self._parents[tensor] = self._parents.get(parent, parent)
            tensor = parent
        return tensor

    def join(self, tensors: list[int]) -> None:
        """Make one set of all."""
        for tensor in tensors[1:]:
            self._parents[self.root(tensor)] = self.root(tensors[0])


def _rewritten(graph: Subgraph, shifted: frozenset[int]) -> Subgraph:
    tensors = [_as_int8(t) if t.index in shifted else t for t in graph.tensors]
    operators: list[TfliteOperator] = []
    ports: dict[int, int] = {}

    def port(tensor: int) -> int:
        """Return the uint8 tensor of an input or output of the network."""
        if tensor not in shifted:
            return tensor
        if tensor not in ports:
            ports[tensor] = len(tensors)
            tensors.append(replace(graph.tensors[tensor], index=len(tensors)))
        return ports[tensor]

    inputs = tuple(port(t) for t in graph.inputs)
    operators += [
        _conversion(0, new, old)
        for old, new in zip(graph.inputs, inputs, strict=True)
        if new != old
    ]
    operators += graph.operators
    last = graph.operators[-1].index
    converted = set(graph.inputs)
    outputs = tuple(port(t) for t in graph.outputs)
    for old, new in zip(graph.outputs, outputs, strict=True):
        if new != old and old not in converted:
            converted.add(old)
            operators.append(_conversion(last, old, new))
    return Subgraph(tuple(tensors), inputs, outputs, tuple(operators))


def _conversion(index: int, source: int, target: int) -> TfliteOperator:
    return TfliteOperator(index, "QUANTIZE", 1, (source,), (target,), None)


def _as_int8(tensor: TfliteTensor) -> TfliteTensor:
    quantization, data = tensor.quantization, tensor.data
    if quantization is not None:
        zero_points = tuple(z - _HALF for z in quantization.zero_points)
        quantization = replace(quantization, zero_points=zero_points)
    return replace(
        tensor,
        type=ElementType.INT8,
        type_name=ElementType.INT8.name,
        quantization=quantization,
        data=None if data is None else (data.view("uint8") ^ _HALF).view("int8"),
        was_unsigned=True,
    )
