"""Copies of whole views, and allocation of buffers."""

from __future__ import annotations

from typing import Any

import numpy as np
from mlir import ir
from mlir.dialects import memref

from forebay.dialects.memref_pool import AllocOp, CopyOp
from forebay.emulator.interpreter.body import bind
from forebay.emulator.interpreter.registry import Action, Frame, rule
from forebay.emulator.interpreter.row_loops import is_accessed_by_rows
from forebay.emulator.interpreter.scope import FrameLayout
from forebay.emulator.machine.buffer_placement import BufferPlacement
from forebay.emulator.machine.timeline import Work
from forebay.ir.locations import name_hint, operator_of


@rule(memref.CopyOp, CopyOp)
def copy(op: Any, scope: FrameLayout) -> Action:
    """Copy all elements in one step."""
    source, target = scope.slot(op.source), scope.slot(op.target)
    point, machine = scope.point(op), scope.machine
    work = Work(point.what, point.location)

    def action(frame: Frame) -> None:
        read, written = frame[source], frame[target]
        machine.reads(read, read.whole, point)
        machine.may_write(written, written.whole, point, reading=((read, read.whole),))
        np.copyto(machine.data_of(written, point), machine.data_of(read, point))
        machine.written(written, written.whole, point)
        machine.ran(work, read.whole.size // read.dtype.itemsize)

    return action


@rule(AllocOp, memref.AllocOp, memref.AllocaOp)
def alloc(op: AllocOp | memref.AllocOp | memref.AllocaOp, scope: FrameLayout) -> Action:
    """Allocate a new buffer at each execution, at its placement."""
    alignment = None if op.alignment is None else op.alignment.value
    type_ = ir.MemRefType(op.memref.type)
    placement = (op.row_placement or op.placement) if isinstance(op, AllocOp) else None
    by_rows = is_accessed_by_rows(op.memref)
    place = BufferPlacement(_name(op), type_, placement, alignment, by_rows=by_rows)
    point, machine, result = scope.point(op), scope.machine, scope.reference_slot(op.memref)

    def action(frame: Frame) -> None:
        bind(machine, (result,), (machine.allocate(place, op, point),), frame)

    return action


@rule(memref.DeallocOp)
def dealloc(_: memref.DeallocOp, scope: FrameLayout) -> Action:
    """Do nothing: the op counts as a use of the buffer, whose lifetime ends with its last use."""
    return lambda frame: None


def _name(op: ir.OpView) -> str:
    operator = operator_of(op.location)
    return name_hint(op.location) or ("buffer" if operator is None else operator.tensor)
