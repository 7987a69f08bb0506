"""Compare the lowering of a user's operator with its NumPy form, on drawn operands.

The reference interpreter runs the lowering on constants; constant operands of the network keep
their values. Integers must be equal, floats up to 1e-5 of the largest one.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from contextlib import AbstractContextManager

import numpy as np
from mlir import ir
from msgspec.structs import replace
from numpy.typing import NDArray

from forebay.errors import Error
from forebay.frontends.tflite.file.schema import (
    ElementType,
    Subgraph,
    TfliteOperator,
    TfliteTensor,
)
from forebay.frontends.tflite.lowering import emit
from forebay.frontends.tflite.lowering.fold import fold_operator
from forebay.frontends.tflite.lowering.node import Node
from forebay.frontends.tflite.lowering.registry import Lower, Reference
from forebay.frontends.tflite.lowering.scope import NamingOperator
from forebay.frontends.tflite.lowering.variables import Variable
from forebay.support.user_code import error_summary, location_of

_Array = NDArray[np.generic]
_DRAWS = 2
_LARGEST_DIFFERENCE = 1e-5


class OperatorReferenceError(Error):
    """The lowering of a user's operator and its NumPy form differ, or the latter fails."""


def compare(reference: Reference, lower: Lower, node: Node, where: str) -> None:
    """Raise `OperatorReferenceError` where the lowering and the NumPy form differ."""
    if any(t.is_variable or t.type is ElementType.RESOURCE for t in node.present()):
        return  # the state has no value before the first run
    rng = np.random.default_rng(zlib.crc32(node.described.encode()))
    for _ in range(_DRAWS):
        scope = _Constants(node.file_name)
        drawn = node.on(scope, lambda i, t: _constant(node.shape(i), t, rng))
        try:
            lowered = fold_operator(drawn, lower)
        except _NotConstantError:
            return
        operands = [drawn.elements(i) for i in range(drawn.arity)]
        expected = _expected(reference, drawn, operands, where)
        for tensor, ours, theirs in zip(node.outputs, lowered, expected, strict=True):
            _check(ours, theirs, f"{where}: {node.described}: '{tensor.name}'")


def _constant(shape: Sequence[int], tensor: TfliteTensor, rng: np.random.Generator) -> TfliteTensor:
    if tensor.data is not None:
        return tensor
    return replace(tensor, shape=tuple(shape), data=_drawn(shape, tensor.type, rng))


def _drawn(shape: Sequence[int], kind: ElementType, rng: np.random.Generator) -> _Array:
    dtype = np.dtype(kind.value)
    if dtype.kind == "f":
        return (3 * rng.standard_normal(shape)).astype(dtype)
    if dtype.kind == "b":
        return rng.integers(0, 2, shape).astype(dtype)
    low, high = kind.range
    return rng.integers(low, high, shape, dtype=dtype, endpoint=True)


def _expected(
    reference: Reference, node: Node, operands: Sequence[_Array | None], where: str
) -> Sequence[_Array]:
    try:
        given = reference(node, *operands)
    except Exception as error:
        raise OperatorReferenceError(
            f"{location_of(error) or where}: {error_summary(error)}, in the NumPy form of "
            f"{node.described}"
        ) from error
    arrays = [np.asarray(x) for x in (given if isinstance(given, list | tuple) else [given])]
    if len(arrays) != len(node.outputs):
        raise OperatorReferenceError(
            f"{where}: the NumPy form of {node.described} returns {len(arrays)} arrays "
            f"instead of {len(node.outputs)}"
        )
    return arrays


def _check(ours: _Array, theirs: _Array, what: str) -> None:
    if ours.shape != theirs.shape or ours.dtype != theirs.dtype:
        raise OperatorReferenceError(
            f"{what} is {ours.dtype} of shape {list(ours.shape)} by the lowering, "
            f"{theirs.dtype} of shape {list(theirs.shape)} by the NumPy form"
        )
    differs = ours != theirs
    if ours.dtype.kind == "f":
        largest = np.abs(theirs).max(initial=0, where=np.isfinite(theirs))
        is_close = np.abs(np.subtract(ours, theirs)) <= _LARGEST_DIFFERENCE * largest
        differs &= ~is_close & ~(np.isnan(ours) & np.isnan(theirs))
    if differs.any():
        place = tuple(int(i) for i in np.argwhere(differs)[0])
        raise OperatorReferenceError(
            f"{what}{list(place)} is {ours[place]} by the lowering, {theirs[place]} by the NumPy "
            f"form; {int(differs.sum()):,} of {differs.size:,} elements differ"
        )


class _NotConstantError(Error):
    """The lowering needs a state or a subgraph."""


class _Constants:
    """An `ImportScope` of constants alone."""

    is_reshaped = False

    def __init__(self, file_name: str) -> None:
        self.file_name = file_name

    def value(self, tensor: TfliteTensor) -> ir.Value:
        return emit.tosa_constant(self.elements(tensor))

    def elements(self, tensor: TfliteTensor) -> _Array:
        assert tensor.data is not None
        return tensor.data

    def variable(self, tensor: TfliteTensor) -> Variable | None:
        return None

    def state(self, tensor: TfliteTensor) -> str | None:
        return None

    def new_state(self, name: str, initial: _Array) -> str:
        raise _NotConstantError

    def graph(self, node: NamingOperator, index: int) -> Subgraph:
        raise _NotConstantError

    def subgraph(
        self,
        node: NamingOperator,
        index: int,
        operands: Sequence[TfliteTensor],
        results: Sequence[int] | None = None,
    ) -> list[TfliteTensor]:
        raise _NotConstantError

    def of_value(self, like: TfliteTensor, value: ir.Value) -> TfliteTensor:
        raise _NotConstantError

    def constants_before(self, op: ir.Operation) -> AbstractContextManager[None]:
        raise _NotConstantError

    def location(self, tensor_name: str, operator: TfliteOperator) -> ir.Location:
        place = ir.Location.file(self.file_name, operator.index, 0)
        return ir.Location.name(tensor_name, ir.Location.name(operator.name, place))
