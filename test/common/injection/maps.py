"""Kernels that address their operands at other elements."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from mlir import ir

from common.injection.mutants import Change, Wrong
from common.injection.right import Right
from forebay.dialects.accel import ReduceOp
from forebay.ir.nested import ops_nested_in


@dataclass(frozen=True)
class Axis:
    """The dimension that a row is counted by."""

    itself: ir.AffineExpr
    one: ir.AffineExpr


Shift = Callable[[ir.AffineExpr, Axis], ir.AffineExpr]


def maps_elsewhere(right: Right, *shifts: Shift) -> Iterator[Wrong]:
    """Reductions whose windows lie elsewhere: the first index of an input that is no constant.

    Windows are clamped, so each of these still reads what is there.
    """
    for number, op in right.numbered(lambda op: isinstance(op, ReduceOp)):
        with right.module.context:
            maps = [ir.AffineMapAttr(map_).value for map_ in op.maps]
            for operand in range(len(op.inputs)):
                place = _row_of(maps[operand])
                for which, shift in enumerate(shifts if place is not None else ()):
                    changed = [*maps]
                    changed[operand] = _shifted(maps[operand], place, shift)
                    what = f"operand {operand} of op {number}, {which}"
                    yield what, _addressed(number, changed)


def _row_of(map_: ir.AffineMap) -> int | None:
    """The first index that a dimension is part of, but for the batch's."""
    places = [n for n, row in enumerate(map_.results) if not isinstance(row, ir.AffineConstantExpr)]
    return places[0] if places else None


def _shifted(map_: ir.AffineMap, place: int | None, shift: Shift) -> ir.AffineMap:
    assert place is not None
    results = list(map_.results)
    dims = [ir.AffineExpr.get_dim(n) for n in range(map_.n_dims)]
    used = next(dim for dim in dims if _uses(results[place], dim))
    results[place] = shift(results[place], Axis(used, ir.AffineExpr.get_constant(1)))
    return ir.AffineMap.get(map_.n_dims, 0, results)


def _uses(expr: ir.AffineExpr, dim: ir.AffineExpr) -> bool:
    if isinstance(expr, ir.AffineBinaryExpr):
        return _uses(expr.lhs, dim) or _uses(expr.rhs, dim)
    return expr == dim


def _addressed(number: int, maps: list[ir.AffineMap]) -> Change:
    def change(module: ir.Operation) -> None:
        with module.context:
            attributes = [ir.AffineMapAttr.get(map_) for map_ in maps]
            ops_nested_in(module)[number].operation.attributes["maps"] = ir.ArrayAttr.get(
                attributes
            )

    return change
