"""Read and write operands of structured ops over their domain, for all parallel points at once.

A value of the body is an array with one axis per parallel dimension; the axis has size 1 if the
value does not depend on the dimension. Reduction dimensions are numbers: the body runs once for
each of their points.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from mlir import ir
from msgspec import Struct

from forebay.reference.affine import dims_of, evaluate, linear
from forebay.reference.types import Array

Point = list[Any]
"""One entry per dimension: a number, or an array of all values if the dimension is parallel."""


class Domain(Struct, frozen=True, eq=False):
    """The extents of all dimensions, and the parallel ones, which index the outputs."""

    extents: tuple[int, ...]
    parallel: tuple[int, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """Return the shape of a value that depends on all parallel dimensions."""
        return tuple(self.extents[dim] for dim in self.parallel)

    def points(self) -> Iterator[Point]:
        """Yield the points of the reduction in order; yields one point if there is no reduction."""
        point: Point = [np.int64(0)] * len(self.extents)
        for axis, dim in enumerate(self.parallel):
            shape = [1] * len(self.parallel)
            shape[axis] = -1
            point[dim] = np.arange(self.extents[dim]).reshape(shape)
        others = [dim for dim in range(len(self.extents)) if dim not in self.parallel]
        for numbers in itertools.product(*(range(self.extents[dim]) for dim in others)):
            for dim, number in zip(others, numbers, strict=True):
                point[dim] = np.int64(number)
            yield point


class Indexed:
    """The indices of an operand: one affine expression per axis."""

    def __init__(self, map_: ir.AffineMap, domain: Domain) -> None:
        self._domain = domain
        self._exprs = list(map_.results)
        self._linear = [linear(expr, len(domain.extents)) for expr in self._exprs]
        used = [dim for expr in self._exprs for dim in dims_of(expr) if dim in domain.parallel]
        self._is_sliced = len(used) == len(set(used)) and all(
            form is not None and self._slices(form.factors) for form in self._linear
        )
        self.is_permutation = self._is_sliced and set(used) == set(domain.parallel)

    def _slices(self, factors: Any) -> bool:
        """Return whether at most one parallel dimension is used, with a positive factor."""
        steps = [factor for dim, factor in factors.items() if dim in self._domain.parallel]
        return len(steps) <= 1 and all(step > 0 for step in steps)

    def read(self, values: Array, point: Point) -> Array:
        """Return the elements at a point of the reduction."""
        if not self._is_sliced:
            return values[self._indices(point)]
        index, axes = self._slice(point)
        return values[index].transpose(np.argsort(axes)).reshape(self._shape(axes))

    def write(self, values: Array, elements: Any) -> None:
        """Store the elements of all parallel points."""
        point = next(self._domain.points())
        if not self._is_sliced:
            values[self._indices(point)] = elements
            return
        index, axes = self._slice(point)
        whole = np.broadcast_to(elements, self._domain.shape)
        missing = tuple(a for a in range(len(self._domain.parallel)) if a not in axes)
        values[index] = whole.transpose([*axes, *missing])[(..., *[0] * len(missing))]

    def _indices(self, point: Point) -> tuple[Any, ...]:
        return tuple(evaluate(expr, point) for expr in self._exprs)

    def _slice(self, point: Point) -> tuple[tuple[Any, ...], list[int]]:
        """Return the NumPy index, and the domain's axis for each axis of the result."""
        index: list[Any] = []
        axes: list[int] = []
        for form in self._linear:
            assert form is not None
            start, step, counted = form.constant, 0, -1
            for dim, factor in form.factors.items():
                if dim in self._domain.parallel:
                    step, counted = factor, dim
                else:
                    start += factor * int(point[dim])
            if counted < 0:
                index.append(start)
                continue
            extent = self._domain.extents[counted]
            index.append(slice(start, start + (extent - 1) * step + 1, step))
            axes.append(self._domain.parallel.index(counted))
        return tuple(index), axes

    def _shape(self, axes: Sequence[int]) -> tuple[int, ...]:
        return tuple(
            extent if axis in axes else 1 for axis, extent in enumerate(self._domain.shape)
        )
