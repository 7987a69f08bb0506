"""The loop nest of an operator: its iteration domain, and the access map of each operand.

A convolution with stride 2 and one row of padding at the top::

    for y in 0..16: for ky in 0..3:    out[y] += source[2 * y + ky - 1] * weights[ky]

    domain    parallel (y: 16), reduction (ky: 3)
    source    shape (32,), index (2 * y + ky - 1,), clamped
    weights   shape (3,),  index (ky,), clamped
    out       shape (16,), index (y,)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from forebay.regions.affine import Affine
from forebay.regions.box import Box, Span
from forebay.regions.point_set import Constraint, PointSet
from forebay.support.records import record


@record
class OperandAccess:
    """The element of an operand that a point of the domain uses: an expression per dimension.

    `bits` is the size of an element. A clamped operand may be indexed outside of its shape: points
    at which any clamped operand is, are skipped, and clamped operands are read at the other points
    only. Operands that are not clamped are accessed at every point.
    """

    shape: tuple[int, ...]
    index: tuple[Affine, ...]
    bits: int = 8
    clamped: bool = False

    @cached_property
    def terms(self) -> tuple[tuple[tuple[int, int], ...], ...]:
        """The pairs of dimension and factor of each index, without those in quotients."""
        return tuple(expression.terms for expression in self.index)

    @cached_property
    def linear_dimensions(self) -> frozenset[int]:
        """The dimensions in `terms`."""
        return frozenset(d for terms in self.terms for d, _ in terms)

    def inside(self, box: Box) -> tuple[Constraint, ...]:
        """Return the conditions that the element is in a box of the operand."""
        return tuple(Constraint(e, span) for e, span in zip(self.index, box.spans, strict=True))


@record
class LoopNest:
    """Parallel dimensions, reduction dimensions, and the accesses of inputs and outputs.

    Dimension `d` of the index expressions counts the parallel ones first. Outputs are indexed by
    parallel dimensions only. Raises `ValueError` for accesses that do not fit to the domain.
    """

    parallel: tuple[int, ...]
    reduction: tuple[int, ...]
    inputs: tuple[OperandAccess, ...]
    outputs: tuple[OperandAccess, ...]

    def __post_init__(self) -> None:
        """Check the accesses."""
        for number, access in enumerate(self.inputs):
            self._check(f"input {number}", access, len(self.domain.spans))
        for number, access in enumerate(self.outputs):
            if access.clamped:
                raise ValueError(f"output {number} is clamped, but only inputs can be")
            self._check(f"output {number}", access, len(self.parallel))

    @property
    def domain(self) -> Box:
        """The box of the whole domain."""
        return Box.of((*self.parallel, *self.reduction))

    def points(self, at: Box | None = None) -> PointSet:
        """Return the points in a box of the domain that are not skipped."""
        clamped = (access for access in self.inputs if access.clamped)
        constraints = [c for access in clamped for c in access.inside(Box.of(access.shape))]
        return PointSet(at or self.domain, tuple(dict.fromkeys(constraints)))

    def points_of(self, result: Box, output: int = 0) -> PointSet:
        """Return the points that compute a box of an output, with those that are skipped."""
        return PointSet(self.domain, self.outputs[output].inside(result))

    def domain_box(self, result: Box, output: int = 0) -> Box:
        """Return the box of the domain that computes exactly a box of an output.

        Raises `ValueError` if no box does: where an index is `4 * c + m`, the indices `[2, 8)`
        are not the product of a range of `c` and a range of `m`.
        """
        points = self.points_of(result, output)
        if not points.is_box:
            raise ValueError(
                f"the points of the domain that compute {_text(result.spans)} of output {output} "
                f"are not a box; the smallest box around them is {_text(points.hull.spans)}"
            )
        return points.hull

    def _check(self, name: str, access: OperandAccess, dimensions: int) -> None:
        if len(access.index) != len(access.shape):
            raise ValueError(
                f"{name} has {len(access.shape)} dimensions but {len(access.index)} index "
                "expressions"
            )
        used = frozenset[int]().union(*(e.dimensions for e in access.index))
        unknown = sorted(d for d in used if d >= dimensions)
        if unknown:
            raise ValueError(
                f"the index of {name} uses dimension {unknown[0]}, but may use only the first "
                f"{dimensions}"
            )
        if not access.clamped:
            self._check_bounds(name, access)

    def _check_bounds(self, name: str, access: OperandAccess) -> None:
        whole = PointSet(self.domain)
        for axis, (expression, size) in enumerate(zip(access.index, access.shape, strict=True)):
            values = whole.values(expression)
            if not Span(0, size).contains(values):
                raise ValueError(
                    f"{name} is addressed at {values.start} to {values.stop - 1} in dimension "
                    f"{axis}, whose size is {size}; only a clamped input may be indexed outside"
                )


def induction_variables(count: int) -> Iterator[Affine]:
    """Yield the expressions of the first dimensions of a domain."""
    return map(Affine.dimension, range(count))


def _text(spans: Sequence[Span]) -> str:
    return " x ".join(f"[{span.start}, {span.stop})" for span in spans)
