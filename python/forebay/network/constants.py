"""The constants of a module: their bytes, and which of them a memref may refer to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from mlir.dialects import arith, func, memref, vector
from mlir.ir import (
    BlockArgument,
    DenseElementsAttr,
    FlatSymbolRefAttr,
    IntegerAttr,
    IntegerType,
    MemRefType,
    Module,
    Operation,
    StringAttr,
    Value,
)
from msgspec import Struct, field
from numpy.typing import NDArray

from forebay.dialects.accel import LoadExtendedOp
from forebay.dialects.memref_pool import PlacementAttr
from forebay.ir.interfaces import source_of_view
from forebay.ir.interleaved import Interleaving, interleaving_of, model_shape_of, repeats_model
from forebay.ir.memory.ranges_arith import Range, hull
from forebay.ir.module import ops_in_body
from forebay.ir.nested import ops_of
from forebay.ir.problem.problem import PLACEMENT
from forebay.ir.rows.row_offsets import ROW_TABLE
from forebay.ir.views.queries import is_inside_source
from forebay.network.errors import EmissionError
from forebay.network.pool_arguments import pool_name


class Constant(Struct, frozen=True, eq=False):
    """A constant tensor at its offset in a pool.

    The elements of `data` are in the order of the memory, in which channels may be `interleaved`.
    If `model_shape` is given, the constant has fewer elements in the model, and zeros after them;
    if it `repeats`, the same elements from the first one on.
    """

    name: str
    pool: str
    offset: int
    data: NDArray[Any]
    interleaved: Interleaving = Interleaving()
    model_shape: tuple[int, ...] | None = None
    repeats: bool = False

    @property
    def end(self) -> int:
        """Return the offset just past the constant, in bytes."""
        return self.offset + self.data.nbytes

    @property
    def place(self) -> tuple[str, int]:
        """Return the pool and the offset."""
        return self.pool, self.offset


def constants_of(module: Module) -> tuple[Constant, ...]:
    """Return the constants in pools, ordered by pool and offset.

    Raises EmissionError for a constant without a placement or without a known value.
    """
    found = [_constant(op) for op in _globals_in(module) if not _is_row_table(op)]
    return tuple(sorted(found, key=lambda c: (c.pool, c.offset, c.name)))


def row_tables_of(module: Module) -> Mapping[str, NDArray[Any]]:
    """Return the tables of the places of rows, which are in no pool, by symbol."""
    return {op.sym_name.value: _values(op) for op in _globals_in(module) if _is_row_table(op)}


def _globals_in(module: Module) -> list[memref.GlobalOp]:
    return ops_in_body(module.operation, memref.GlobalOp)


def _is_row_table(op: memref.GlobalOp) -> bool:
    return ROW_TABLE in op.attributes


def _constant(op: memref.GlobalOp) -> Constant:
    name = StringAttr(op.sym_name).value
    place = op.attributes.get(PLACEMENT, None)
    if not isinstance(place, PlacementAttr):
        raise EmissionError(op.location, f"constant '{name}' has no place in a pool; plan it first")
    order, shape = interleaving_of(op), model_shape_of(op)
    repeats = repeats_model(op)
    return Constant(name, place.pool, place.offset, _values(op), order, shape, repeats)


def _values(op: memref.GlobalOp) -> NDArray[Any]:
    if op.initial_value is None or not isinstance(op.initial_value, DenseElementsAttr):
        name = StringAttr(op.sym_name).value
        raise EmissionError(op.location, f"constant '{name}' has no value that is known here")
    value: Any = op.initial_value
    if value.type.element_type == IntegerType.get_signless(1, value.context):
        return np.array(list(value), dtype=np.int8).reshape(value.type.shape)
    return np.ascontiguousarray(np.array(value))


class ConstantMemory(Struct):
    """An analysis that returns the constants a memref may refer to, through views and calls."""

    constants: tuple[Constant, ...]
    calls: dict[str, list[func.CallOp]]
    row_tables: Mapping[str, NDArray[Any]] = field(default_factory=dict[str, NDArray[Any]])
    unknown: frozenset[str] = frozenset()
    """Pools that the application fills, possibly with values that are not known here."""
    known: dict[Value, tuple[Constant, ...] | None] = field(
        default_factory=dict[Value, "tuple[Constant, ...] | None"]
    )

    def behind(self, value: Value) -> tuple[Constant, ...] | None:
        """Return the constants that a memref may refer to, or None if it may be other memory."""
        if value not in self.known:
            self.known[value] = None  # recursive functions are refused elsewhere
            self.known[value] = self._find(value)
        return self.known[value]

    def of_load(self, op: Any) -> Range | None:
        """Return the range of the constants that an op loads from, or None if it is unknown."""
        loaded = _memory_loaded(op)
        if loaded is None:
            return None
        width = IntegerType(MemRefType(loaded.type).element_type).width
        if isinstance(table := _owner_of(loaded), memref.GetGlobalOp):
            entries = self.row_tables[table.name.value]
            return Range(int(entries.min()), int(entries.max()))
        constants = self.behind(loaded) or ()
        if any(constant.pool in self.unknown for constant in constants):
            return None
        found = [_bounds(constant, width) for constant in constants]
        total = found[0] if found else None
        for bounds in found[1:]:
            total = hull(total, bounds) if total is not None and bounds is not None else None
        return total

    def _find(self, value: Value) -> tuple[Constant, ...] | None:
        if isinstance(value, BlockArgument):
            return self._passed(value)
        view = _owner_of(value)
        source = source_of_view(value)
        if source is not None and is_inside_source(view):
            return self.behind(source)
        if not isinstance(view, memref.ViewOp):
            return None
        place = pool_name(view.source), _constant_index(view.byte_shift)
        found = tuple(constant for constant in self.constants if constant.place == place)
        return found or None

    def _passed(self, value: BlockArgument) -> tuple[Constant, ...] | None:
        block: Any = value.owner
        owner = block.owner
        function = owner.opview if isinstance(owner, Operation) else owner
        if not isinstance(function, func.FuncOp):
            return None
        found: list[Constant] = []
        for call in self.calls.get(function.name.value, []):
            behind = self.behind(call.operands_[value.arg_number])
            if behind is None:
                return None
            found += [constant for constant in behind if constant not in found]
        return tuple(found) or None


def constant_memory(
    module: Module, constants: tuple[Constant, ...], unknown: frozenset[str] = frozenset()
) -> ConstantMemory:
    """Return the analysis of a module."""
    calls: dict[str, list[func.CallOp]] = {}
    for call in ops_of(module.operation, func.CallOp):
        calls.setdefault(FlatSymbolRefAttr(call.callee).value, []).append(call)
    return ConstantMemory(constants, calls, row_tables_of(module), unknown)


def _bounds(constant: Constant, width: int) -> Range | None:
    if constant.data.dtype.kind != "i" or constant.data.itemsize * 8 != width:
        return None
    return Range(int(constant.data.min()), int(constant.data.max()))


def _memory_loaded(op: Any) -> Value | None:
    """Return the memory from which an op loads integers, or None for another op."""
    if not isinstance(op, (memref.LoadOp, vector.LoadOp, LoadExtendedOp)):
        return None
    memory = op.memref if isinstance(op, memref.LoadOp) else op.base
    element = MemRefType(memory.type).element_type
    return memory if isinstance(element, IntegerType) else None


def _owner_of(value: Value) -> Any:
    owner: Any = value.owner
    return owner.opview if isinstance(owner, Operation) else owner


def _constant_index(value: Value) -> int | None:
    view = _owner_of(value)
    if isinstance(view, arith.ConstantOp) and isinstance(view.value, IntegerAttr):
        return view.value.value
    return None
