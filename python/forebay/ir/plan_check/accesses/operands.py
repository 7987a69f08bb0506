"""Operands that an op reads and operands that it writes, by class of op."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from mlir import ir
from mlir.dialects import memref, vector

from forebay.dialects import linalg
from forebay.dialects.accel import (
    LoadBetweenOp,
    LoadExtendedOp,
    MoveOp,
    ReduceOp,
    StartOp,
    StoreRescaledOp,
)
from forebay.dialects.memref_pool import CopyOp

_VARIES = ir.ShapedType.get_dynamic_size()
"""The static start of a start that is a value."""


class Accesses(NamedTuple):
    """Values that an op reads, and values that it writes; a value may be in both."""

    reads: Sequence[ir.Value]
    writes: Sequence[ir.Value]


def accesses_of(op: ir.OpView) -> Accesses:
    """Return the accesses of an op to its operands; an unknown op reads and writes all of them."""
    rule = _RULES.get(type(op))
    return Accesses(list(op.operands), list(op.operands)) if rule is None else rule(op)


def _load(op: memref.LoadOp) -> Accesses:
    return Accesses([op.memref], [])


def _load_vector(op: vector.LoadOp | LoadExtendedOp | LoadBetweenOp) -> Accesses:
    return Accesses([op.base], [])


def _store_vector(op: StoreRescaledOp | vector.StoreOp) -> Accesses:
    return Accesses([], [op.base])


def _store(op: memref.StoreOp) -> Accesses:
    return Accesses([], [op.memref])


def _copy(op: memref.CopyOp | CopyOp | MoveOp | StartOp) -> Accesses:
    return Accesses([op.source], [op.target])


def _reduce(op: ReduceOp) -> Accesses:
    """Return the accesses of an op on a box of its domain, or on all of it.

    The first box of a reduction does not read the accumulators; the last one writes the output
    instead of them. A start that varies may be that of any box.
    """
    kept, read = list(op.accumulators), [*op.inputs, *op.params]
    if not kept or op.static_starts is None or op.sizes is None:
        return Accesses(read, [op.output])
    outer, extents = len(op.parallel), list(op.reduction)
    starts, sizes = list(op.static_starts)[outer:], list(op.sizes)[outer:]
    ends = [extent - size for extent, size in zip(extents, sizes, strict=True)]
    is_first = not any(starts)
    is_last = starts == ends
    may_be_last = all(s in (end, _VARIES) for s, end in zip(starts, ends, strict=True))
    writes = [*([] if is_last else kept), *([op.output] if may_be_last else [])]
    return Accesses(read if is_first else [*read, *kept], writes)


def _nothing(_: ir.OpView) -> Accesses:
    return Accesses([], [])


def _structured(op: ir.OpView) -> Accesses:
    """Return the accesses of a structured op.

    The last arguments of its body are the old elements of the outputs. An output is read where the
    body uses its old element.
    """
    operands, outputs = list(op.operands), _outputs(op)
    if not len(op.regions) or not outputs:
        return Accesses(operands, operands)
    arguments = list(op.regions[0].blocks[0].arguments)
    if len(arguments) != len(operands):
        return Accesses(operands, outputs)
    inputs, old = operands[: -len(outputs)], arguments[-len(outputs) :]
    read = [
        out for out, element in zip(outputs, old, strict=True) if any(True for _ in element.uses)
    ]
    return Accesses([*inputs, *read], outputs)


def _outputs(op: Any) -> list[ir.Value]:
    for name in ("outputs", "inits", "init"):
        found = getattr(op, name, None)
        if found is not None:
            return [found] if isinstance(found, ir.Value) else list(found)
    return []


def _linalg_classes() -> list[type]:
    return [
        value
        for value in vars(linalg).values()
        if isinstance(value, type) and issubclass(value, ir.OpView) and value is not ir.OpView
    ]


KERNELS = frozenset((*_linalg_classes(), ReduceOp))
"""Ops whose regions compute elements and may load from memory around them."""

_RULES: dict[type, Callable[[Any], Accesses]] = {
    **dict.fromkeys(_linalg_classes(), _structured),
    linalg.YieldOp: _nothing,
    ReduceOp: _reduce,
    CopyOp: _copy,
    MoveOp: _copy,
    StartOp: _copy,
    memref.CopyOp: _copy,
    memref.LoadOp: _load,
    memref.StoreOp: _store,
    vector.LoadOp: _load_vector,
    LoadExtendedOp: _load_vector,
    LoadBetweenOp: _load_vector,
    StoreRescaledOp: _store_vector,
    vector.StoreOp: _store_vector,
    memref.DimOp: _nothing,
    memref.DeallocOp: _nothing,
}
