"""Globals, which persist across runs: constants with their bytes, and state."""

from __future__ import annotations

from typing import Any

import numpy as np
from mlir import ir
from mlir.dialects import memref

from forebay.emulator.machine.buffer_placement import BufferPlacement
from forebay.emulator.machine.machine import Machine
from forebay.emulator.memory.view import MemoryView
from forebay.ir.problem.problem import PLACEMENT


def lasting_views(module: ir.Operation, machine: Machine) -> dict[str, MemoryView]:
    """Return a view for each global of the module; constants are written by the program's image."""
    image = machine.points.outside("the program's image")
    views: dict[str, MemoryView] = {}
    for op in module.regions[0].blocks[0].operations:
        if isinstance(op, memref.GlobalOp):
            view = _place(op, machine)
            views[op.sym_name.value] = view
            value = op.initial_value
            if isinstance(value, ir.DenseElementsAttr | ir.DenseResourceElementsAttr):
                machine.data_of(view)[...] = _elements(value, view)
                machine.fill(view, image)
    return views


def _place(op: memref.GlobalOp, machine: Machine) -> MemoryView:
    placement = op.attributes.get(PLACEMENT)
    type_ = ir.MemRefType(op.type_.value)
    alignment = None if op.alignment is None else op.alignment.value
    place = BufferPlacement(op.sym_name.value, type_, placement, alignment, lasting=True)
    view = machine.allocate(place, op, machine.points.of_op(op, machine.points.host))
    assert isinstance(view, MemoryView), "a global is one run of memory"
    return view


def _elements(value: Any, view: MemoryView) -> Any:
    """Return the constant as an array; boolean constants of MLIR offer no buffer to NumPy."""
    element = value.type.element_type
    if isinstance(element, ir.IntegerType) and element.width == 1:
        return np.array([int(item) for item in value], view.dtype).reshape(view.shape)
    return np.array(value).reshape(view.shape).view(view.dtype)
