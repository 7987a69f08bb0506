"""Structured ops, generic and named: a body over an iteration domain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlir import ir

from forebay.dialects import linalg
from forebay.reference.affine import dims_of
from forebay.reference.domain import Domain, Indexed
from forebay.reference.errors import UnsupportedError
from forebay.reference.program import Scope
from forebay.reference.registry import Action, Frame, rule
from forebay.reference.types import shape_of

_CLASSES = [
    value
    for value in vars(linalg).values()
    if isinstance(value, type)
    and issubclass(value, ir.OpView)
    and value not in (ir.OpView, linalg.YieldOp, linalg.IndexOp)
]


@rule(*_CLASSES)
def structured(op: Any, scope: Scope) -> Action:
    """Run the body at every point; an op on buffers writes its outputs in place."""
    maps = _maps(op)
    outs = _number_of_outputs(op)
    domain = _domain(op, maps, len(maps) - outs)
    indexed = [Indexed(map_, domain) for map_ in maps]
    operands, results, point_slot = (
        scope.slots(op.operands),
        scope.slots(op.results),
        scope.point(op),
    )
    body = scope.body(op.operation.regions[0])
    is_shaped = [isinstance(operand.type, ir.ShapedType) for operand in op.operands]
    takes = len(body.arguments)
    first = len(operands) - outs

    def action(frame: Frame) -> None:
        values = [frame[slot] for slot in operands]
        point = next(domain.points())
        running: list[Any] = [
            by.read(value, point) for by, value in zip(indexed[first:], values[first:], strict=True)
        ]
        for point in domain.points():
            frame[point_slot] = point
            ins = [
                by.read(value, point) if shaped else value
                for by, value, shaped in zip(
                    indexed[:first], values[:first], is_shaped[:first], strict=True
                )
            ]
            running = body.run(frame, [*ins, *running][:takes])
        targets = [value.copy() if results else value for value in values[first:]]
        for by, target, elements in zip(indexed[first:], targets, running, strict=True):
            by.write(target, elements)
        for slot, target in zip(results, targets, strict=False):
            frame[slot] = target

    return action


@rule(linalg.IndexOp)
def index(op: Any, scope: Scope) -> Action:
    """Return the index of the current point in one dimension."""
    point, result = scope.point(op.operation.parent.opview), scope.slot(op.results[0])
    dim = ir.IntegerAttr(op.operation.attributes["dim"]).value

    def action(frame: Frame) -> None:
        frame[result] = frame[point][dim]

    return action


def _maps(op: Any) -> list[ir.AffineMap]:
    """Return one indexing map per operand."""
    found: Any = linalg.get_indexing_maps(op) or ()
    maps = [map_.value if isinstance(map_, ir.AffineMapAttr) else map_ for map_ in found]
    if len(maps) != len(op.operands) or not len(op.operation.regions):
        raise UnsupportedError(op, "is no structured op with a body; generalize it first")
    return maps


def _number_of_outputs(op: Any) -> int:
    for name in ("outputs", "inits", "init"):
        found = getattr(op, name, None)
        if found is not None:
            return 1 if isinstance(found, ir.Value) else len(found)
    raise UnsupportedError(op, "says not which of its operands it writes")


def _domain(op: Any, maps: Sequence[ir.AffineMap], first: int) -> Domain:
    """Return the domain; an extent is the size of an axis that one dimension indexes alone."""
    extents: dict[int, int] = {}
    for operand, map_ in zip(op.operands, maps, strict=True):
        for expr, size in zip(map_.results, shape_of(operand.type), strict=True):
            if isinstance(expr, ir.AffineDimExpr):
                extents.setdefault(expr.position, size)
    dims = range(maps[0].n_dims)
    if any(dim not in extents or ir.ShapedType.is_dynamic_size(extents[dim]) for dim in dims):
        raise UnsupportedError(op, "has a domain whose extents its operands do not say")
    written = [set().union(*(dims_of(expr) for expr in map_.results)) for map_ in maps[first:]]
    if any(dims != written[0] for dims in written):
        raise UnsupportedError(op, "has outputs over different dimensions")
    return Domain(tuple(extents[dim] for dim in dims), tuple(sorted(written[0])))
