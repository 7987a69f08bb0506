"""Loads and stores of elements: which memory they access, and which part of it."""

from __future__ import annotations

from mlir import ir
from mlir.dialects import memref, vector

from forebay.dialects.accel import LoadBetweenOp, LoadExtendedOp, StoreRescaledOp
from forebay.ir.plan_check.integers.arithmetic import Arithmetic
from forebay.ir.plan_check.integers.numbers import ZERO, LinearForm, number
from forebay.ir.plan_check.memory.references import Reference

_VectorAccess = vector.LoadOp | vector.StoreOp | LoadExtendedOp | LoadBetweenOp | StoreRescaledOp
ElementAccess = memref.LoadOp | memref.StoreOp | _VectorAccess
"""An op that loads or stores one element, or several side by side, and does nothing else."""

Load = memref.LoadOp | vector.LoadOp | LoadExtendedOp | LoadBetweenOp
LOADS = (memref.LoadOp, vector.LoadOp, LoadExtendedOp, LoadBetweenOp)
"""Those that only load."""


_LINEAR = (vector.LoadOp, vector.StoreOp, LoadExtendedOp, StoreRescaledOp)


def memory_of(op: ElementAccess) -> ir.Value:
    """Return the memref of which an op loads or stores elements."""
    return op.base if isinstance(op, _VectorAccess) else op.memref


def accessed(op: ir.OpView, value: ir.Value, reference: Reference, run: Arithmetic) -> Reference:
    """Return the accessed part of a memref: the elements of a load or a store, or all of it."""
    if isinstance(op, (memref.LoadOp, memref.StoreOp)) and op.memref == value:
        return reference.at([run.of(index) for index in op.indices], run.numbers)
    if isinstance(op, _LINEAR) and op.base == value:
        first = reference.at([run.of(index) for index in op.indices], run.numbers)
        (lanes,) = ir.VectorType(_elements_of(op).type).shape
        return first._replace(shape=(number(lanes),), strides=(number(first.element),))
    if isinstance(op, LoadBetweenOp) and op.base == value:
        return _row_between(op, reference, run)
    return reference


def _elements_of(
    op: vector.LoadOp | vector.StoreOp | LoadExtendedOp | StoreRescaledOp,
) -> ir.Value:
    """Return the vector that an op loads or stores."""
    if isinstance(op, vector.StoreOp):
        return op.valueToStore
    return op.sum if isinstance(op, StoreRescaledOp) else op.result


def _row_between(op: LoadBetweenOp, reference: Reference, run: Arithmetic) -> Reference:
    """Return the elements along the last axis, at the other indices as far as these are inside.

    The loaded elements are inside of all axes. So there are none where an index is outside, nor
    where the last element is before the first one.
    """
    *outer, _ = (run.of(index) for index in op.indices)
    is_empty = run.numbers.upper(run.of(op.end).minus(run.of(op.begin))) <= 0
    inside: list[LinearForm] = []
    for index, extent in zip(outer, reference.shape, strict=False):
        last = run.numbers.upper(extent) - 1
        is_empty |= run.numbers.upper(index) < 0 or run.numbers.lower(index) > last
        inside.append(index if is_empty else run.numbers.within(index, 0, last))
    row = reference.at([*inside, ZERO], run.numbers)
    shape = (ZERO,) if is_empty else reference.shape[-1:]
    return row._replace(shape=shape, strides=reference.strides[-1:])
