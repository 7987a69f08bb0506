"""The constants of a module: their bytes, and the range of what a load of them gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from mlir.dialects import arith, memref
from mlir.ir import (
    DenseElementsAttr,
    IntegerAttr,
    IntegerType,
    Module,
    Operation,
    StringAttr,
    Value,
)
from numpy.typing import NDArray

from forebay.dialects.memref_pool import PlacementAttr

from .errors import EmissionError
from .pool_arguments import pool_name
from .ranges_arith import Range

PLACEMENT = "memref_pool.placement"


@dataclass(frozen=True)
class Constant:
    """A constant tensor at its offset in a pool."""

    name: str
    pool: str
    offset: int
    data: NDArray[Any]

    @property
    def end(self) -> int:
        """The first byte behind it."""
        return self.offset + self.data.nbytes


def constants_of(module: Module) -> tuple[Constant, ...]:
    """Return the constants in pools, ordered by pool and offset."""
    found = [_constant(op) for op in module.body.operations if isinstance(op, memref.GlobalOp)]
    return tuple(sorted(found, key=lambda c: (c.pool, c.offset, c.name)))


def _constant(op: memref.GlobalOp) -> Constant:
    name = StringAttr(op.sym_name).value
    place = op.attributes.get(PLACEMENT, None)
    if not isinstance(place, PlacementAttr):
        raise EmissionError(op.location, f"constant '{name}' has no place in a pool; plan it first")
    if op.initial_value is None or not isinstance(op.initial_value, DenseElementsAttr):
        raise EmissionError(op.location, f"constant '{name}' has no value that is known here")
    return Constant(name, place.pool, place.offset, _data(op.initial_value))


def _data(value: Any) -> NDArray[Any]:
    if value.type.element_type == IntegerType.get_signless(1, value.context):
        return np.array(list(value), dtype=np.int8).reshape(value.type.shape)
    return np.ascontiguousarray(np.array(value))


@dataclass
class ConstantRanges:
    """Bounds of what loads from constant pools can see."""

    constants: tuple[Constant, ...]

    def of_load(self, op: Any) -> Range | None:
        """Return the least and greatest value of the constant that an op loads from."""
        if not isinstance(op, memref.LoadOp) or not isinstance(op.result.type, IntegerType):
            return None
        place = _place(op.memref)
        if place is None:
            return None
        for constant in self.constants:
            if (constant.pool, constant.offset) == place:
                return _bounds(constant, op.result.type.width)
        return None


def _bounds(constant: Constant, width: int) -> Range | None:
    if constant.data.dtype.kind != "i" or constant.data.itemsize * 8 != width:
        return None
    return Range(int(constant.data.min()), int(constant.data.max()))


def _place(value: Value) -> tuple[str, int] | None:
    """Return pool and offset of the view that a memref is made from."""
    owner = value.owner
    view = owner.opview if isinstance(owner, Operation) else owner
    while isinstance(
        view, memref.SubViewOp | memref.CastOp | memref.CollapseShapeOp | memref.ExpandShapeOp
    ):
        owner = view.operation.operands[0].owner
        view = owner.opview if isinstance(owner, Operation) else owner
    if not isinstance(view, memref.ViewOp):
        return None
    pool = pool_name(view.source)
    shift = view.byte_shift.owner
    shift = shift.opview if isinstance(shift, Operation) else shift
    if pool is None or not isinstance(shift, arith.ConstantOp):
        return None
    return pool, IntegerAttr(shift.value).value
