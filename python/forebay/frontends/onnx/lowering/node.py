"""The view of one operator for its lowering: operands as values or constants, and errors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NoReturn, Protocol

import numpy as np
from mlir import ir
from numpy.typing import NDArray

from forebay.frontends import tosa as emit
from forebay.frontends.errors import MalformedModel, UnsupportedModel
from forebay.frontends.onnx.lowering.layout import LaidOut
from forebay.frontends.onnx.model.graph import NO_OPERAND, OnnxOperator, OnnxQuantization

_MAX_BYTES = 2**31 - 1
_WIDTHS = {"bool": 1, "int8": 8, "uint8": 8, "int16": 16, "int32": 32, "int64": 64}
ONNX_TYPES = ("float32", *_WIDTHS)
"""The element types that a tensor may have."""
_SPATIAL = frozenset(
    {
        *("AveragePool", "Conv", "ConvInteger", "ConvTranspose", "GlobalAveragePool"),
        *("GlobalMaxPool", "MaxPool"),
    }
)
HALF = 128
"""The number that is subtracted from a uint8 value, because the compiler stores it as an int8."""


def onnx_element(dtype: np.dtype[Any]) -> ir.Type | None:
    """Return the MLIR type of an element, None for one that is not supported."""
    if dtype == np.float32:
        return ir.F32Type.get()
    width = _WIDTHS.get(dtype.name)
    return emit.signless(width) if width is not None else None


def stored_elements(data: NDArray[np.generic]) -> NDArray[np.generic]:
    """Return the elements as the compiler stores them: uint8 as int8, 128 lower."""
    if data.dtype != np.uint8:
        return data
    return (data.astype(np.int16) - HALF).astype(np.int8)


class UnsupportedNode(UnsupportedModel):
    """A well-formed operator that is not supported; the importer lists all of them."""


class OnnxScope(Protocol):
    """The values of a network during its import."""

    file_name: str
    opset: int

    def operand(self, name: str) -> LaidOut:
        """Return the value of a tensor; a constant is created."""
        ...

    def constant(self, name: str) -> NDArray[np.generic] | None:
        """Return the elements of a constant tensor, None for another."""
        ...

    def dtype(self, name: str) -> np.dtype[Any]:
        """Return the type of a tensor in ONNX."""
        ...

    def readers(self, name: str) -> frozenset[str]:
        """Return the kinds of the operators that read a tensor, "" for the network's caller."""
        ...


class OnnxNode:
    """One operator during its lowering."""

    def __init__(self, scope: OnnxScope, operator: OnnxOperator) -> None:
        self.operator = operator
        self._scope = scope

    @property
    def opset(self) -> int:
        """The version of ONNX's operators."""
        return self._scope.opset

    @property
    def arity(self) -> int:
        """The number of operands, absent ones included."""
        return len(self.operator.inputs)

    def has(self, index: int) -> bool:
        """Return whether the operand is present."""
        return index < self.arity and self.operator.inputs[index] != NO_OPERAND

    def operand(self, index: int) -> LaidOut:
        """Return an operand with the order of its elements."""
        return self._scope.operand(self._name(index))

    def value(self, index: int) -> ir.Value:
        """Return an operand in ONNX's order."""
        return self.operand(index).logical()

    def shape(self, index: int) -> emit.Shape:
        """Return the shape of an operand in ONNX."""
        data = self._scope.constant(self._name(index))
        return tuple(data.shape) if data is not None else self.operand(index).shape

    def dtype(self, index: int) -> np.dtype[Any]:
        """Return the type of an operand in ONNX."""
        return self._scope.dtype(self._name(index))

    def is_float(self, index: int = 0) -> bool:
        """Return whether an operand is of float32."""
        return self.dtype(index) == np.float32

    def known(self, index: int) -> NDArray[np.generic] | None:
        """Return the elements of a constant operand, None for one that is computed."""
        return self._scope.constant(self._name(index)) if self.has(index) else None

    def constant(self, index: int) -> NDArray[np.generic]:
        """Return the elements of an operand that must be constant."""
        data = self.known(index)
        if data is None:
            self.refuse(
                f"operand {index} ('{self._name(index)}') computed at run time",
                "make it a constant of the model",
            )
        return data

    def integers(self, index: int) -> list[int]:
        """Return the elements of a constant vector of integers."""
        data = self.constant(index)
        if data.ndim > 1 or data.dtype.kind not in "iu":
            self.malformed(f"operand {index} ('{self._name(index)}') is no vector of integers")
        return [int(x) for x in data.reshape(-1)]

    def attribute(self, name: str, default: Any) -> Any:
        """Return an attribute."""
        found = self.operator.attributes.get(name, default)
        return list(found) if isinstance(default, (list, tuple)) else found

    def axes(self, index: int, default: Sequence[int] | None = None) -> list[int] | None:
        """Return axes, an operand since opset 13 and an attribute before, as in Squeeze."""
        if self.has(index):
            return self.integers(index)
        found = self.operator.attributes.get("axes")
        return list(found) if found is not None else (list(default) if default else None)

    def axis(self, axis: int, rank: int) -> int:
        """Return an axis in `[0, rank)`; a negative one counts from the end."""
        if not -rank <= axis < rank:
            self.malformed(f"axis {axis} is not one of rank {rank}")
        return axis % rank

    @property
    def is_read_with_channels_last(self) -> bool:
        """Return whether all operators that read the result take its channels last."""
        return self._scope.readers(self.operator.outputs[0]) <= _SPATIAL

    def is_read(self, output: int) -> bool:
        """Return whether an operator or the caller reads a result."""
        names = self.operator.outputs[output : output + 1]
        return any(name != NO_OPERAND and self._scope.readers(name) for name in names)

    @property
    def target(self) -> OnnxQuantization | None:
        """The quantisation of the result of an integer operator."""
        return self.operator.target

    def source(self, index: int) -> OnnxQuantization:
        """Return the quantisation of an operand of an integer operator."""
        found = self.operator.sources[index]
        if found is None:
            self.malformed(f"operand {index} has no quantisation")
        return found

    def expect_floats(self, *indices: int) -> None:
        """Check that operands are of float32."""
        for index in indices:
            if self.has(index) and not self.is_float(index):
                self.refuse(
                    f"operand {index} of type {self.dtype(index).name}", "float32 is supported"
                )

    def expect_size(self, shape: Sequence[int], bytes_: int = 1) -> None:
        """Check that a result has elements, and that its size in bytes fits into 31 bits."""
        size = math.prod(shape) * bytes_
        if size < 1:
            self.refuse(f"a result of shape {list(shape)}, without elements", "remove it")
        if size > _MAX_BYTES:
            self.refuse(f"a result of {size:,} bytes", f"at most {_MAX_BYTES:,} are")

    def refuse(self, what: str, way_out: str) -> NoReturn:
        """Raise the error for a well-formed operator that is not supported."""
        operator = self.operator
        raise UnsupportedNode(
            f"operator {operator.index} ({operator.name}): not supported: {what}; {way_out}",
            self._scope.file_name,
        )

    def malformed(self, what: str) -> NoReturn:
        """Raise the error for an operator that violates ONNX's definition."""
        operator = self.operator
        raise MalformedModel(
            f"operator {operator.index} ({operator.name}): {what}", self._scope.file_name
        )

    def _name(self, index: int) -> str:
        if not self.has(index):
            self.malformed(f"operand {index} is absent")
        return self.operator.inputs[index]
