"""The tensor of the model that a planned buffer holds, and so the quantisation of its integers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from mlir import ir
from mlir.dialects import memref
from msgspec import Struct, field

from forebay.dialects import accel, memref_pool
from forebay.frontends.tensors import ModelTensor, ModelTensors
from forebay.ir.liveness.liveness import Liveness
from forebay.ir.locations import name_hint, operator_of
from forebay.ir.machine.pools import element_bytes
from forebay.ir.memory.access_constraints import AccessConstraints
from forebay.ir.memory.underlying_buffers import UnderlyingBuffer
from forebay.ir.state.carried_rows import carried_rows_of
from forebay.planning import Kind

_COPIES = (memref_pool.CopyOp, accel.MoveOp, accel.StartOp)


class _Use(Struct):
    """The writers and readers of a buffer: operators of the model, and ops that copy into it."""

    writers: set[int] = field(default_factory=set[int])
    readers: set[int] = field(default_factory=set[int])
    copies: list[ir.OpView] = field(default_factory=list[ir.OpView])
    others: int = 0


def tensors_in_buffers(
    liveness: Liveness, constraints: AccessConstraints, model: ModelTensors
) -> tuple[ModelTensor | None, ...]:
    """Return, per underlying buffer, the tensor of the model that it holds.

    It is None for buffers that the compiler made, including rearranged constants. The result of an
    operator is a buffer of its size that another operator reads. A constant has the bytes of the
    model's constant, or its name and other numbers in the same unit, such as a bias into which a
    zero point was folded.
    """
    uses = _uses(liveness, constraints)
    found = [_own(root, use, model) for root, use in zip(liveness.buffers, uses, strict=True)]
    return tuple(
        tensor if tensor is not None else _copied(root, use, found, liveness)
        for root, use, tensor in zip(liveness.buffers, uses, found, strict=True)
    )


def _uses(liveness: Liveness, constraints: AccessConstraints) -> list[_Use]:
    uses = [_Use() for _ in liveness.buffers]
    for op in liveness.ops:
        operator = operator_of(op.location)
        for demand in constraints.of(op):
            for number in liveness.aliases.get(demand.value, ()):
                use = uses[number]
                if operator is not None and demand.reads:
                    use.readers.add(operator.index)
                if demand.writes:
                    _written(use, op, None if operator is None else operator.index)
    return uses


def _written(use: _Use, op: ir.OpView, operator: int | None) -> None:
    if operator is not None:
        use.writers.add(operator)
    if isinstance(op, _COPIES):
        use.copies.append(op)
    else:
        use.others += 1


def _own(root: UnderlyingBuffer, use: _Use, model: ModelTensors) -> ModelTensor | None:
    if root.kind is Kind.CONSTANT:
        return _only(_constants(root, use, model))
    if root.kind in {Kind.INPUT, Kind.OUTPUT}:
        return _port(root, root.arguments[0].attributes)
    if root.kind is Kind.STATE:
        return _fitting(root, model.variables.get(root.name))
    return _result(root, use, model)


def _port(root: UnderlyingBuffer, attributes: Mapping[str, Any]) -> ModelTensor | None:
    """Return the tensor that the attributes of an input or output describe."""
    if "accel.scale" not in attributes or "accel.dtype" not in attributes:
        return None
    scale, zero_point = attributes["accel.scale"].value, attributes["accel.zero_point"].value
    elements = math.prod(root.type.shape)
    dtype = attributes["accel.dtype"].value
    return ModelTensor(root.name, dtype, elements, (scale,), (zero_point,), elements)


def _result(root: UnderlyingBuffer, use: _Use, model: ModelTensors) -> ModelTensor | None:
    operator = operator_of(root.location)
    if operator is None or name_hint(root.location) is not None or use.readers <= {operator.index}:
        return None
    tensor = _fitting(root, model.results.get((operator.index, operator.tensor)))
    # One buffer may hold one operator's result after another's.
    later = [
        _fitting(root, other)
        for (index, _), other in model.results.items()
        if index in use.writers - {operator.index}
    ]
    return _only([tensor, *(other for other in later if other is not None)])


def _constants(
    root: UnderlyingBuffer, use: _Use, model: ModelTensors
) -> Iterator[ModelTensor | None]:
    """Yield the model's constants that the buffer may be, from the operators that read it."""
    if not isinstance(root.op, memref.GlobalOp):
        return
    value = root.op.initial_value
    if not isinstance(value, ir.DenseElementsAttr) or _width(root) is None:
        return
    data, name = np.array(value).tobytes(), _name(root)
    is_vector = sum(size > 1 for size in root.type.shape) <= 1
    for operator in sorted(use.readers):
        for tensor in model.constants.get(operator, ()):
            if tensor.data == data or (is_vector and tensor.name == name):
                yield _fitting(root, tensor)


def _name(root: UnderlyingBuffer) -> str | None:
    operator = operator_of(root.location)
    return None if operator is None else operator.tensor


def _copied(
    root: UnderlyingBuffer, use: _Use, found: Sequence[ModelTensor | None], liveness: Liveness
) -> ModelTensor | None:
    """Return the tensor of a buffer that only copies write: the one that they copy."""
    if use.others or not use.copies:
        return None
    numbers = [liveness.aliases.get(op.operands[0], frozenset[int]()) for op in use.copies]
    sources = {number for held in numbers for number in held}
    return _only([_fitting(root, found[number]) for number in sources])


def _only(
    tensors: Iterator[ModelTensor | None] | Sequence[ModelTensor | None],
) -> ModelTensor | None:
    """Return the first tensor if all tensors are quantised in the same way, else None."""
    found = list(tensors)
    kinds = {None if t is None else (t.dtype, t.scales, t.zero_points, t.stride) for t in found}
    return found[0] if len(kinds) == 1 else None


def _fitting(root: UnderlyingBuffer, tensor: ModelTensor | None) -> ModelTensor | None:
    if tensor is None or _elements(root) != tensor.elements:
        return None
    return tensor if _width(root) == np.dtype(tensor.dtype).itemsize else None


def _elements(root: UnderlyingBuffer) -> int:
    """Return the number of elements, of a variable those that last from run to run."""
    carried = carried_rows_of(root.op) if isinstance(root.op, memref.GlobalOp) else None
    shape = list(root.type.shape)
    return math.prod(shape if carried is None else carried.shape(shape))


def _width(root: UnderlyingBuffer) -> int | None:
    """Return the bytes per element of an integer type of whole bytes, else None."""
    element = root.type.element_type
    if not isinstance(element, ir.IntegerType) or element.width % 8:
        return None
    return element_bytes(element)
