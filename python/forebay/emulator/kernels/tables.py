"""Loads in compiled kernels whose indices depend on data.

Each load from a table marks its element in a map of bytes. An index out of the table's range is
marked in the map's last byte, and element 0 is loaded instead::

    %in = all indices < sizes
    accessed[%in ? linear index : N] = 1
    memref.load %table[%in ? index : 0, ...]
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from mlir import ir
from mlir.dialects import arith, memref
from numpy.typing import NDArray

from forebay.emulator.machine.machine import Machine
from forebay.emulator.memory.faults import NotEmulatedError
from forebay.emulator.memory.footprint import Footprint
from forebay.emulator.memory.program_point import ProgramPoint
from forebay.emulator.memory.view import MemoryView
from forebay.ir.nested import ops_nested_in


def tables_of(op: ir.OpView) -> list[ir.Value]:
    """Return the memrefs from which regions of a kernel load.

    Raises `NotEmulatedError` for any other use of memory in a region.
    """
    found: dict[ir.Value, None] = {}
    for nested in ops_nested_in(op):
        for value in (*nested.operands, *nested.results):
            if not isinstance(value.type, ir.MemRefType):
                continue
            if not isinstance(nested, memref.LoadOp):
                raise NotEmulatedError(nested, "uses memory inside a kernel; only loads do that")
            found[value] = None
    return list(found)


def map_type(table: ir.Value) -> ir.MemRefType:
    """Return the type of the map for a table."""
    elements = math.prod(ir.MemRefType(table.type).shape)
    return ir.MemRefType.get([elements + 1], ir.IntegerType.get_signless(8))


def watch(op: ir.OpView, maps: Mapping[ir.Value, ir.Value]) -> None:
    """Make every load from a table in the kernel's regions mark its element."""
    for nested in ops_nested_in(op):
        if isinstance(nested, memref.LoadOp) and nested.memref in maps:
            with ir.InsertionPoint(nested), nested.location:
                _watch(nested, maps[nested.memref])


def _watch(load: memref.LoadOp, accessed: ir.Value) -> None:
    shape = ir.MemRefType(load.memref.type).shape
    inside: ir.Value = arith.ConstantOp(ir.IntegerType.get_signless(1), 1).result
    linear: ir.Value = _index(0)
    for index, size in zip(load.indices, shape, strict=True):
        is_below = arith.CmpIOp(arith.CmpIPredicate.ult, index, _index(size)).result
        inside = arith.AndIOp(inside, is_below).result
        scaled = arith.MulIOp(linear, _index(size)).result
        linear = arith.AddIOp(scaled, index).result
    place = arith.SelectOp(inside, linear, _index(math.prod(shape))).result
    mark = arith.ConstantOp(ir.IntegerType.get_signless(8), 1).result
    memref.StoreOp(mark, accessed, [place])
    for number, index in enumerate(list(load.indices)):
        load.operation.operands[1 + number] = arith.SelectOp(inside, index, _index(0)).result


def _index(value: int) -> ir.Value:
    return arith.ConstantOp(ir.IndexType.get(), value).result


def new_maps(tables: Sequence[ir.Value]) -> list[NDArray[np.uint8]]:
    """Return a map for each table, with no element marked."""
    return [np.zeros(map_type(table).shape, np.uint8) for table in tables]


def check_loads(
    view: MemoryView, accessed: NDArray[np.uint8], machine: Machine, point: ProgramPoint
) -> None:
    """Check the elements that were loaded, and clear the map."""
    loaded = np.flatnonzero(accessed)
    accessed[:] = 0
    if len(loaded) and loaded[-1] == len(accessed) - 1:
        machine.refuse_index(view, "an element", point)
        loaded = loaded[:-1]
    indices: Any = np.unravel_index(loaded, view.shape or (1,))
    offsets = np.zeros(len(loaded), np.int64)
    for index, stride in zip(indices, view.strides or (0,), strict=True):
        offsets = offsets + index * stride
    machine.reads(view, Footprint.of([offsets], view.dtype.itemsize), point)
