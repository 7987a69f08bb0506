"""The view of one operator for its lowering: operands as values or constants, and errors."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, NoReturn, TypeVar

import numpy as np
from mlir import ir
from numpy.typing import NDArray

from forebay.frontends.errors import MalformedModel, UnsupportedModel
from forebay.frontends.tflite.file.options import OperatorOptions
from forebay.frontends.tflite.file.schema import (
    ABSENT,
    ElementType,
    Subgraph,
    TfliteOperator,
    TfliteQuantization,
    TfliteTensor,
)
from forebay.frontends.tflite.lowering import emit
from forebay.frontends.tflite.lowering.missing import UnsupportedOperator
from forebay.frontends.tflite.lowering.quantize import (
    LARGEST_EXPONENT,
    Multiplier,
    leaves_32_bits,
    quantize_multiplier,
)
from forebay.frontends.tflite.lowering.scope import ImportScope
from forebay.frontends.tflite.lowering.variables import Variable

if TYPE_CHECKING:
    from forebay.frontends.tflite.file.flexbuffer import FlexValue

_MAX_BYTES = 2**31 - 1
DIFFERENCE = 255
"""The largest magnitude of an int8 value minus its zero point."""
_Options = TypeVar("_Options", bound=OperatorOptions)
_MOVABLE = (
    ElementType.INT8,
    ElementType.UINT8,
    ElementType.FLOAT32,
    ElementType.INT16,
    ElementType.INT32,
    ElementType.INT64,
    ElementType.BOOL,
)
_LARGEST_WIDE_EXPONENT = 14
"""The largest exponent of a multiplier of 16 bits, whose shift is at least 1."""
_SYMMETRIC = (ElementType.INT16, ElementType.INT32, ElementType.INT64)


class Node:
    """One operator during its lowering."""

    def __init__(
        self, scope: ImportScope, tensors: Sequence[TfliteTensor], operator: TfliteOperator
    ) -> None:
        self.operator = operator
        self._scope = scope
        self._inputs = [None if i == ABSENT else tensors[i] for i in operator.inputs]
        self.outputs = [tensors[i] for i in operator.outputs]

    def reordered(self, *order: int) -> Node:
        """Return the operator with these operands of it; those that it lacks are left out."""
        other = copy.copy(self)
        other._inputs = [self._inputs[i] for i in order if i < len(self._inputs)]
        return other

    def on(self, scope: ImportScope, replaced: Callable[[int, TfliteTensor], TfliteTensor]) -> Node:
        """Return the operator in another scope, on other tensors for its operands."""
        other = copy.copy(self)
        other._scope = scope
        other._inputs = [t and replaced(i, t) for i, t in enumerate(self._inputs)]
        return other

    def expect_operands(self, fewest: int, most: int | None = None, results: int = 1) -> None:
        """Check the number of operands, absent ones included, and of results."""
        most = fewest if most is None else most
        given, produced = len(self._inputs), len(self.outputs)
        if not fewest <= given <= most:
            bounds = f"{fewest}" if fewest == most else f"{fewest} to {most}"
            self.malformed(f"it has {given} operands instead of {bounds}")
        if produced != results:
            self.malformed(f"it has {produced} results instead of {results}")

    def expect_rank(self, index: int, rank: int) -> None:
        """Check the rank of an operand."""
        given = len(self.shape(index))
        if given != rank:
            self.malformed(f"operand {index} has rank {given} instead of {rank}")

    def expect_types(self, *sets: tuple[ElementType, ...]) -> None:
        """Check the types of the operands that are present, then of the results."""
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
    def is_constant(self) -> bool:
        """Return whether it computes constants: it has results, and all operands are known."""
        known = all(t is None or t.data is not None for t in self._inputs)
        return known and self.arity > 0 and len(self.outputs) > 0

    @property
    def output(self) -> TfliteTensor:
        """The first result."""
        return self.outputs[0]

    def has(self, index: int) -> bool:
        """Return whether the operand is present."""
        return index < len(self._inputs) and self._inputs[index] is not None

    def input(self, index: int) -> TfliteTensor:
        """Return the tensor of an operand."""
        tensor = self._inputs[index]
        if tensor is None:
            self.malformed(f"operand {index} is absent")
        return tensor

    def present(self) -> list[TfliteTensor]:
        """Return the tensors of the operands that are present."""
        return [tensor for tensor in self._inputs if tensor is not None]

    def inputs(self) -> list[TfliteTensor]:
        """Return the tensors of all operands, none of which may be absent."""
        return [self.input(i) for i in range(len(self._inputs))]

    def value(self, index: int) -> ir.Value:
        """Return the value of an operand."""
        return self._scope.value(self.input(index))

    def shape(self, index: int) -> emit.Shape:
        """Return the shape of an operand in this import, after shape overrides."""
        tensor = self.input(index)
        return tensor.shape if tensor.data is not None else emit.static_shape_of(self.value(index))

    def constant(self, index: int) -> NDArray[np.generic]:
        """Return the elements of an operand that must be constant."""
        tensor = self.input(index)
        if tensor.data is None:
            self.refuse(
                f"operand {index} ('{tensor.name}') computed at run time",
                "fold it to a constant when converting the model",
            )
        return self._scope.elements(tensor)

    def elements(self, index: int) -> NDArray[np.generic] | None:
        """Return the elements of a constant operand; None where it is absent."""
        return self.constant(index) if self.has(index) else None

    def integers(self, index: int) -> list[int]:
        """Return the elements of a constant int32 or int64 operand of rank 0 or 1."""
        tensor = self.input(index)
        values = self.constant(index)
        if tensor.type not in (ElementType.INT32, ElementType.INT64) or values.ndim > 1:
            self.malformed(f"operand {index} ('{tensor.name}') is no vector of integers")
        return [int(x) for x in values.reshape(-1)]

    def integer(self, index: int) -> int:
        """Return the single element of a constant integer operand."""
        values = self.integers(index)
        if len(values) != 1:
            self.malformed(
                f"operand {index} ('{self.input(index).name}') has {len(values)} elements"
            )
        return values[0]

    def custom_options(self) -> Mapping[str, FlexValue]:
        """Return the options of a custom operator that are a FlexBuffer: a map of scalars."""
        from forebay.frontends.tflite.file.flexbuffer import flexbuffer_map  # noqa: PLC0415

        try:
            return flexbuffer_map(self.operator.custom_options)
        except MalformedModel as error:
            self.malformed(error.what)

    def options(self, cls: type[_Options]) -> _Options:
        """Return the operator's options, which must be of class `cls`."""
        if not isinstance(self.operator.options, cls):
            self.malformed(f"it has no {cls.__name__}")
        return self.operator.options

    def quantization(self, tensor: TfliteTensor, *, symmetric: bool = True) -> TfliteQuantization:
        """Return the per-tensor quantisation of an activation.

        `symmetric` refuses zero points of wide integers, which most kernels do not subtract.
        """
        quantization = tensor.quantization
        if quantization is None or quantization.scale <= 0:
            self.malformed(f"'{tensor.name}' of type {tensor.type_name} has no scale")
        if len(quantization.scales) > 1:
            self.refuse(f"'{tensor.name}' quantised per channel", "quantise activations per tensor")
        low, high = tensor.type.range
        if not low <= quantization.zero_point <= high:
            self.malformed(f"'{tensor.name}' has zero point {quantization.zero_point}")
        if symmetric and quantization.zero_point and tensor.type in _SYMMETRIC:
            self.refuse(
                f"'{tensor.name}' of {tensor.type_name} with a zero point",
                "quantise it symmetrically",
            )
        return quantization

    def expect_same_types(self, data: int = 0) -> None:
        """Check that operand `data` and the results have one type that data movement supports."""
        source = self.input(data)
        if source.type not in _MOVABLE:
            self.refuse(
                f"data of type {source.type_name}",
                f"supported are {', '.join(e.name for e in _MOVABLE)}",
            )
        for tensor in self.outputs:
            if tensor.type is not source.type:
                self.malformed(f"'{tensor.name}' is {tensor.type_name}, not {source.type_name}")

    def expect_same_quantization(self) -> None:
        """Check that operands and results agree in scale and zero point, where they have any."""
        first = self.output.quantization
        for tensor in (*self._inputs, *self.outputs):
            other = tensor.quantization if tensor else None
            if tensor is None or first is None or other is None:
                continue
            if (first.scales, first.zero_points) != (other.scales, other.zero_points):
                self.refuse(
                    f"'{tensor.name}' quantised unlike '{self.output.name}'",
                    "quantise both with one scale",
                )

    def expect_size(self, shape: Sequence[int]) -> None:
        """Check that a result has elements, and that its size in bytes fits into 31 bits."""
        size = math.prod(shape) * max(1, self.output.type.bytes)
        if size < 1:
            self.refuse(f"a result of shape {list(shape)}, without elements", "remove it")
        if size > _MAX_BYTES:
            self.refuse(f"a result of {size:,} bytes", f"at most {_MAX_BYTES:,} are")

    def axis(self, axis: int, rank: int) -> int:
        """Return an axis in `[0, rank)`; a negative one counts from the end."""
        if not -rank <= axis < rank:
            self.malformed(f"axis {axis} is not one of rank {rank}")
        return axis % rank

    def variable(self, index: int) -> Variable:
        """Return the variable whose handle is the operand."""
        variable = self._scope.variable(self.input(index))
        if variable is None:
            self.malformed(f"operand {index} ('{self.input(index).name}') is no variable")
        return variable

    def state(self, index: int) -> str:
        """Return the name of the variable whose value is the operand."""
        name = self._scope.state(self.input(index))
        if name is None:
            self.malformed(f"operand {index} ('{self.input(index).name}') is no state")
        return name

    def new_state(self, name: str, initial: NDArray[np.generic]) -> str:
        """Declare a variable of that initial value, and return its name."""
        return self._scope.new_state(f"{name}_{self.operator.index}", initial)

    def graph(self, index: int) -> Subgraph:
        """Return a subgraph that the operator names, on its own tensors."""
        return self._scope.graph(self, index)

    def subgraph(
        self, index: int, operands: Sequence[TfliteTensor], results: Sequence[int] | None = None
    ) -> list[TfliteTensor]:
        """Lower the operators of a subgraph here, on these tensors, and return its results.

        `results` are the positions of the results that are wanted, None for all.
        """
        return self._scope.subgraph(self, index, operands, results)

    def of_value(self, like: TfliteTensor, value: ir.Value) -> TfliteTensor:
        """Return a new tensor of that value, else like another one."""
        return self._scope.of_value(like, value)

    def constants_before(self, op: ir.Operation) -> AbstractContextManager[None]:
        """Create constants in front of an op with regions, not where they are used first."""
        return self._scope.constants_before(op)

    def value_of(self, tensor: TfliteTensor) -> ir.Value:
        """Return the value of a tensor of a subgraph."""
        return self._scope.value(tensor)

    def result(self, tensor: TfliteTensor) -> ir.Value | NDArray[np.generic]:
        """Return a tensor of a subgraph as a result: its elements, or its value."""
        return self._scope.value(tensor) if tensor.data is None else tensor.data

    def multiplier(
        self, real: float, largest_exponent: int = LARGEST_EXPONENT, *, reach: int = 0
    ) -> Multiplier:
        """Return the fixed-point form of a ratio of scales, for values in `[-reach, reach]`."""
        try:
            found = quantize_multiplier(real, largest_exponent)
        except OverflowError as error:
            self.refuse(str(error), "check the scales of its tensors")
        self.expect_reach(found, reach, real)
        return found

    def wide_multiplier(self, real: float, reach: int) -> Multiplier:
        """Return the fixed-point form of a factor of 64-bit sums in `[-reach, reach]`.

        TFLite multiplies these by 16 bits. Outside of 48 bits, and of 32 bits for the result, its
        results are undefined.
        """
        if reach >= 1 << 47 or reach * real >= 1 << 31:
            self.refuse(
                f"sums up to {reach:,} rescaled by {real:g}, which is undefined in TFLite",
                "check the scales of its tensors",
            )
        return self.multiplier(real, _LARGEST_WIDE_EXPONENT)

    def expect_reach(self, multiplier: Multiplier, reach: int, real: float) -> None:
        """Check that values in `[-reach, reach]` can be rescaled within 32 bits."""
        if leaves_32_bits(reach, multiplier):
            self.refuse(
                f"a rescaling by {real:g} of values up to {reach:,}, which leaves 32 bits "
                "and is undefined in TFLite",
                "check the scales of its tensors",
            )

    def constant_location(self, index: int) -> AbstractContextManager[object]:
        """Return the location of an op that holds the constant operand: named as its tensor."""
        return self._scope.location(self.input(index).name, self.operator)

    def refuse(self, what: str, way_out: str) -> NoReturn:
        """Raise the error for a well-formed operator that is not supported."""
        operator = self.operator
        raise UnsupportedOperator(
            self._scope.file_name, operator.index, operator.name, what, way_out
        )

    def malformed(self, what: str) -> NoReturn:
        """Raise the error for an operator that violates the format, or the shapes of the user."""
        if self._scope.is_reshaped:
            raise UnsupportedModel(
                f"{self.described}: {what}; "
                "the shapes given for the inputs may not suit this network"
            )
        raise MalformedModel(f"{self.described}: {what}")

    @property
    def described(self) -> str:
        """File, index and name of the operator, for messages."""
        return f"{self.file_name}: operator {self.operator.index} ({self.operator.name})"

    @property
    def file_name(self) -> str:
        """The name of the model's file."""
        return self._scope.file_name
