"""The loop nest of an operator: its dimensions in blocks, and the scalars of a tile.

A dimension whose axis is blocked in the layout of any operand becomes two: the number of the block,
which is cut, and the number inside, which is not. So blocks are whole in every tile.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from forebay.computations.computation import Computation
from forebay.computations.layout import LayoutPart, OperandLayout, common_blocks
from forebay.regions import Affine, LoopNest, OperandAccess, OperandRegion


@dataclass(frozen=True)
class NestDimension:
    """A dimension of the nest: of the computation's, which has blocks of this size."""

    name: str
    block: int = 1
    is_inside: bool = False


@dataclass(frozen=True, eq=False)
class ComputedNest:
    """The loop nest of an operator of a computation, on the operands `reads` and `writes`.

    `scalars` are those of the whole operator, with dimensions of whole blocks.
    """

    computation: Computation
    layouts: Mapping[str, OperandLayout]
    scalars: Mapping[str, int]
    reads: Sequence[str]
    writes: Sequence[str]

    @cached_property
    def dimensions(self) -> tuple[NestDimension, ...]:
        """The dimensions of the domain."""
        return self._dimensions(self.computation.parallel) + self._dimensions(
            self.computation.reduction
        )

    @cached_property
    def nest(self) -> LoopNest:
        """The loop nest."""
        parallel = self._dimensions(self.computation.parallel)
        return LoopNest(
            tuple(map(self._extent, parallel)),
            tuple(map(self._extent, self.dimensions[len(parallel) :])),
            tuple(map(self.access, self.reads)),
            tuple(map(self.access, self.writes)),
        )

    def access(self, operand: str) -> OperandAccess:
        """Return the access of an operand, in its layout."""
        computation, layout = self.computation, self.layouts[operand]
        return OperandAccess(
            layout.shape(self.scalars),
            tuple(map(self._index, layout.parts)),
            bits=computation.elements()[operand].width,
            clamped=any(axis in computation.sliding for axis in layout.axes),
        )

    def tile_scalars(
        self, sizes: Sequence[int], regions: Mapping[str, OperandRegion] | None = None
    ) -> dict[str, int]:
        """Return the scalars of a call on a tile of the domain that has these sizes.

        `regions` has the region of each operand; what is inside of the operand is in memory.
        Without them, a tile that no border cuts is assumed.
        """
        scalars = dict(self.scalars)
        for dimension, size in zip(self.dimensions, sizes, strict=True):
            if not dimension.is_inside:
                scalars[dimension.name] = size * dimension.block
        for axis, sliding in self.computation.sliding.items():
            reach = (scalars[sliding.position] - 1) * self._whole(sliding.stride)
            reach += (scalars[sliding.offset] - 1) * self._whole(sliding.dilation) + 1
            scalars[axis] = min(reach, self.scalars[axis])
        for operand, region in (regions or {}).items():
            parts = self.layouts[operand].parts
            pairs = zip(parts, region.inside.spans, region.padding, strict=True)
            for part, span, padding in pairs:
                if part.axis in self.computation.sliding:
                    scalars[part.axis] = span.size
                    scalars[self.computation.sliding[part.axis].before] = padding.before
        return scalars

    def _index(self, part: LayoutPart) -> Affine:
        """Return the index of a point along a part of a layout."""
        if part.block > 1:
            dimension = NestDimension(part.axis, part.block, part.is_inside)
            return Affine.dimension(self.dimensions.index(dimension))
        sliding = self.computation.sliding.get(part.axis)
        if sliding is None:
            return self._induction[part.axis]
        position = self._induction[sliding.position] * self._whole(sliding.stride)
        offset = self._induction[sliding.offset] * self._whole(sliding.dilation)
        return position + offset - self._whole(sliding.before)

    def _whole(self, scalar: str) -> int:
        """Return a scalar of the operator; one that the computation lacks has no effect."""
        default = 0 if scalar in self._befores else 1
        return self.scalars.get(scalar, default)

    @cached_property
    def _befores(self) -> frozenset[str]:
        return frozenset(sliding.before for sliding in self.computation.sliding.values())

    @cached_property
    def _induction(self) -> Mapping[str, Affine]:
        """The value of each dimension of the computation."""
        values: dict[str, Affine] = {}
        for number, dimension in enumerate(self.dimensions):
            factor = 1 if dimension.is_inside else dimension.block
            term = Affine.dimension(number) * factor
            values[dimension.name] = values.get(dimension.name, Affine()) + term
        return values

    @cached_property
    def _blocks(self) -> Mapping[str, int]:
        return common_blocks([self.layouts[name] for name in (*self.reads, *self.writes)])

    def _dimensions(self, names: Sequence[str]) -> tuple[NestDimension, ...]:
        outer = tuple(NestDimension(name, self._blocks.get(name, 1)) for name in names)
        inner = (NestDimension(d.name, d.block, is_inside=True) for d in outer if d.block > 1)
        return outer + tuple(inner)

    def _extent(self, dimension: NestDimension) -> int:
        if dimension.is_inside:
            return dimension.block
        return self.scalars[dimension.name] // dimension.block
