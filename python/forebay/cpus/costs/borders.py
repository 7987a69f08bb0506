"""The positions of a loop nest at borders, whose windows are partly outside."""

from __future__ import annotations

from itertools import product

from forebay.regions import Affine, LoopNest, OperandAccess


def clamped_by(nest: LoopNest, dim: int) -> frozenset[int]:
    """Return the reduction dimensions whose loops a parallel dimension may limit."""
    return frozenset(
        dimension
        for access in nest.inputs
        for expression in access.index
        if access.clamped and dim in expression.dimensions
        for dimension in expression.dimensions
        if dimension >= len(nest.parallel)
    )


def uses(access: OperandAccess, dim: int) -> bool:
    """Return whether an operand has other elements along a dimension."""
    return any(dim in expression.dimensions for expression in access.index)


def share_of_points(nest: LoopNest, dim: int, share: float) -> float:
    """Return the share of the points that are inside, at the positions that are not in blocks.

    These are a share of the positions of a dimension, those at its borders first.
    """
    extents = (*nest.parallel, *nest.reduction)
    outside = 0.0
    for access in nest.inputs:
        for expression, axis in zip(access.index, access.shape, strict=True):
            terms = dict(expression.terms)
            step, reduced = terms.pop(dim, 0), [d for d in terms if d >= len(nest.parallel)]
            if access.clamped and step and list(terms) == reduced and len(reduced) == 1:
                factor, points = terms[reduced[0]], extents[reduced[0]]
                indices = [
                    expression.constant + step * position + factor * point
                    for position, point in product(range(extents[dim]), range(points))
                ]
                missed = sum(not 0 <= index < axis for index in indices)
                outside = max(outside, missed / points)
    return 1 - outside / (share * extents[dim])


def borders_of(nest: LoopNest, dim: int) -> int:
    """Return how many positions of a dimension have windows that may reach over a border."""
    borders = 0
    for access in nest.inputs:
        for expression, axis in zip(access.index, access.shape, strict=True):
            terms = dict(expression.terms)
            if access.clamped and dim in terms:
                low, high = _reach(expression, dim, nest)
                step = abs(terms[dim])
                outside = max(0, -(low // step)) + max(0, -((axis - 1 - high) // step))
                borders = max(borders, outside)
    return borders


def _reach(expression: Affine, dim: int, nest: LoopNest) -> tuple[int, int]:
    """Return the least and the greatest index, as far as windows around `dim` reach."""
    extents = (*nest.parallel, *nest.reduction)
    ends = [(0, factor * (extents[d] - 1)) for d, factor in expression.terms]
    return (
        expression.constant + sum(min(end) for end in ends),
        expression.constant + sum(max(end) for end in ends),
    )
