"""Effects of an op on the bytes of its operands: the basis of access constraints.

The op itself is asked: for memrefs its memory effects, for tensors what bufferization will do to
their buffers.
"""

from __future__ import annotations

from collections.abc import Iterator

from mlir import ir
from mlir.dialects import bufferization, tensor
from msgspec import Struct

from forebay.ir.interfaces import (
    TensorAccess,
    declared_effects_of,
    destinations_of,
    forwarded_values_of,
    tensor_accesses_of,
    tensor_aliases_of,
)


class OperandEffect(Struct, frozen=True):
    """The effect on one operand, or on the result if `operand` is None."""

    operand: int | None
    reads: bool = False
    writes: bool = False


_BOUNDARIES = (bufferization.ToBufferOp, bufferization.ToTensorOp)
"""Ops between tensors and memrefs; the users on the other side access the bytes."""

_INSERTIONS = (tensor.InsertOp, tensor.InsertSliceOp)
"""Ops that need the old elements of their destination, but leave them where they are."""


def operand_effects_of(op: ir.OpView) -> Iterator[OperandEffect]:
    """Yield the effects on each operand, then those on new buffers.

    Control flow and views have no effects of their own. An op that says nothing of itself reads all
    its operands, and writes all if one of them is a memref.
    """
    if isinstance(op, _BOUNDARIES):
        return
    accesses, effects = tensor_accesses_of(op), declared_effects_of(op)
    if accesses is None and effects is None:
        if forwarded_values_of(op) is None:
            yield from _unknown(op)
        return
    reads = {effect.operand for effect in effects or () if effect.kind == "read"}
    writes = {effect.operand for effect in effects or () if effect.kind == "write"}
    if accesses is not None:
        direct = [access for access in accesses if not _is_view(op, access)]
        reads |= {a.operand for a in direct if a.reads and not _keeps_rest(op, a)} | _inputs(op)
        writes |= {a.operand for a in direct if a.writes and a.operand is not None}
    elif op.results:
        reads |= {number for number, value in enumerate(op.operands) if _is_tensor(value)}
    yield from _in_order(reads, writes)
    if any(access.result is not None and access.writes for access in accesses or ()):
        yield OperandEffect(None, writes=True)


def _unknown(op: ir.OpView) -> Iterator[OperandEffect]:
    writes = any(isinstance(value.type, ir.MemRefType) for value in op.operands)
    for index, _ in enumerate(op.operands):
        yield OperandEffect(index, reads=True, writes=writes)


def _in_order(reads: set[int | None], writes: set[int | None]) -> Iterator[OperandEffect]:
    for operand in sorted(number for number in reads | writes if number is not None):
        yield OperandEffect(operand, operand in reads, operand in writes)


def _inputs(op: ir.OpView) -> set[int]:
    """Return the tensors that a destination-style op takes: it reads them, used or not."""
    destinations = destinations_of(op)
    if destinations is None:
        return set()
    tensors = {number for number, value in enumerate(op.operands) if _is_tensor(value)}
    return tensors.difference(destinations)


def _is_view(op: ir.OpView, access: TensorAccess) -> bool:
    """Return whether the op only shows an operand's bytes: it will be an op that makes a view."""
    if access.operand is None or access.writes:
        return False
    return any(alias.operand == access.operand for alias in tensor_aliases_of(op) or ())


def _keeps_rest(op: ir.OpView, access: TensorAccess) -> bool:
    return isinstance(op, _INSERTIONS) and access.writes


def _is_tensor(value: ir.Value) -> bool:
    return isinstance(value.type, ir.RankedTensorType)
