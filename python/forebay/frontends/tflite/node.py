"""What a lowering sees: the operator, its operands as values or constants, and how to refuse."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import NoReturn, TypeVar

import numpy as np
from mlir import ir
from numpy.typing import NDArray

from forebay.frontends.errors import MalformedModel, UnsupportedModel
from forebay.frontends.tflite import emit
from forebay.frontends.tflite.quantize import LARGEST_EXPONENT, Multiplier, quantize_multiplier
from forebay.frontends.tflite.schema import (
    ABSENT,
    ElementType,
    Operator,
    Quantization,
    Subgraph,
    Tensor,
)

_Options = TypeVar("_Options")


class Node:
    """One operator while it is being lowered."""

    def __init__(
        self,
        file_name: str,
        subgraph: Subgraph,
        operator: Operator,
        value_of: Callable[[Tensor], ir.Value],
        location_of: Callable[[str, Operator], ir.Location],
    ) -> None:
        self.operator = operator
        self._file_name = file_name
        self._value_of = value_of
        self._location_of = location_of
        self._inputs = [None if i == ABSENT else subgraph.tensors[i] for i in operator.inputs]
        self.outputs = [subgraph.tensors[i] for i in operator.outputs]

    def expect_operands(self, fewest: int, most: int | None = None, results: int = 1) -> None:
        """Check the number of operands, counting absent ones, and of results."""
        most = fewest if most is None else most
        given, produced = len(self._inputs), len(self.outputs)
        if not fewest <= given <= most:
            bounds = f"{fewest}" if fewest == most else f"{fewest} to {most}"
            self.malformed(f"it has {given} operands instead of {bounds}")
        if produced != results:
            self.malformed(f"it has {produced} results instead of {results}")

    def expect_types(self, *sets: tuple[ElementType, ...]) -> None:
        """Check the types of the operands that are not absent, then of the results."""
        types = tuple(t.type for t in (*self._inputs, *self.outputs) if t is not None)
        if types not in sets:
            names = [t.type_name for t in (*self._inputs, *self.outputs) if t is not None]
            known = "; ".join(", ".join(e.name for e in s) for s in sets)
            self.refuse(
                f"operands and results of types {', '.join(names)}",
                f"convert the model to one of these: {known}",
            )

    @property
    def arity(self) -> int:
        """The number of operands, absent ones included."""
        return len(self._inputs)

    @property
    def output(self) -> Tensor:
        """The first result."""
        return self.outputs[0]

    def has(self, index: int) -> bool:
        """Whether the operand is there."""
        return index < len(self._inputs) and self._inputs[index] is not None

    def input(self, index: int) -> Tensor:
        """The tensor of an operand."""
        tensor = self._inputs[index]
        if tensor is None:
            self.malformed(f"operand {index} is absent")
        return tensor

    def value(self, index: int) -> ir.Value:
        """The value of an operand."""
        return self._value_of(self.input(index))

    def shape(self, index: int) -> emit.Shape:
        """The shape of an operand as it is in this import, after overrides."""
        tensor = self.input(index)
        return tensor.shape if tensor.data is not None else emit.shape_of(self.value(index))

    def constant(self, index: int) -> NDArray[np.generic]:
        """The elements of an operand that must be constant."""
        tensor = self.input(index)
        if tensor.data is None:
            self.refuse(
                f"operand {index} ('{tensor.name}') computed at run time",
                "fold it to a constant when converting the model",
            )
        return tensor.data

    def integers(self, index: int) -> list[int]:
        """The elements of a constant int32 or int64 operand of rank 0 or 1."""
        tensor = self.input(index)
        values = self.constant(index)
        if tensor.type not in (ElementType.INT32, ElementType.INT64) or values.ndim > 1:
            self.malformed(f"operand {index} ('{tensor.name}') is no vector of integers")
        return [int(x) for x in values.reshape(-1)]

    def options(self, cls: type[_Options]) -> _Options:
        """The operator's options, which must be of class `cls`."""
        if not isinstance(self.operator.options, cls):
            self.malformed(f"it has no {cls.__name__}")
        return self.operator.options

    def quantization(self, tensor: Tensor) -> Quantization:
        """The per-tensor quantisation of an activation."""
        quantization = tensor.quantization
        if quantization is None or quantization.scale <= 0:
            self.malformed(f"'{tensor.name}' of type {tensor.type_name} has no scale")
        if len(quantization.scales) > 1:
            self.refuse(f"'{tensor.name}' quantised per channel", "quantise activations per tensor")
        low, high = integer_range(tensor.type)
        if not low <= quantization.zero_point <= high:
            self.malformed(f"'{tensor.name}' has zero point {quantization.zero_point}")
        return quantization

    def expect_same_types(self) -> None:
        """Check that operand 0 and the results have one type, whatever it is."""
        for tensor in self.outputs:
            if tensor.type is not self.input(0).type:
                self.malformed(
                    f"'{tensor.name}' is {tensor.type_name}, its input {self.input(0).type_name}"
                )

    def expect_same_quantization(self) -> None:
        """Check that operand 0 and the results agree in scale and zero point, if they have any."""
        source = self.input(0).quantization
        for tensor in self.outputs:
            target = tensor.quantization
            if source is None or target is None:
                continue
            if (source.scales, source.zero_points) != (target.scales, target.zero_points):
                self.refuse(
                    f"'{tensor.name}' quantised unlike its input", "quantise both with one scale"
                )

    def multiplier(self, real: float, largest_exponent: int = LARGEST_EXPONENT) -> Multiplier:
        """The fixed-point form of a ratio of scales."""
        try:
            return quantize_multiplier(real, largest_exponent)
        except OverflowError as error:
            self.refuse(str(error), "check the scales of its tensors")

    def constant_location(self, index: int) -> AbstractContextManager[ir.Location]:
        """The location of an op that holds the constant operand: named as its tensor."""
        return self._location_of(self.input(index).name, self.operator)

    def refuse(self, what: str, way_out: str) -> NoReturn:
        """Raise: the operator is well formed and not supported as it is."""
        raise UnsupportedModel(f"{self._where}: {what} is not supported; {way_out}")

    def malformed(self, what: str) -> NoReturn:
        """Raise: the operator contradicts the format."""
        raise MalformedModel(f"{self._where}: {what}")

    @property
    def _where(self) -> str:
        return f"{self._file_name}: operator {self.operator.index} ({self.operator.name})"


def integer_range(element: ElementType) -> tuple[int, int]:
    """The lowest and the highest value of an integer type."""
    info = np.iinfo(element.value)
    return int(info.min), int(info.max)
