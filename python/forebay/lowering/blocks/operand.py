"""An operand of a blocked nest: the rows that a block reads, and windows of the innermost loop."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

from mlir import ir

from forebay.ir.memory.linear import Linear
from forebay.ir.rows.row_shape import row_of_shape
from forebay.lowering.blocks.subdomain import Subdomain
from forebay.lowering.kernels import scalar
from forebay.lowering.loops.counters import Counters
from forebay.lowering.loops.loop_operand import LoopOperand

BlockOffsets = Mapping[int, int]
"""Distances from the first position of a block, by dimension; 0 for dimensions that have none."""

Memories = Mapping[tuple[int, ...], ir.Value]
"""Memories by the distances of their row from the first one of the block; one without rows."""


class BlockOperand(LoopOperand):
    """An operand; `windows`, if there are some, are its memories from the innermost loop on.

    That loop begins at the point `first`.
    """

    def __init__(self, number: int, value: ir.Value, index: list[Linear[int]]) -> None:
        super().__init__(value, index)
        self.number, self.first = number, 0
        self.windows: Memories | None = None

    def with_windows(self, windows: Memories, first: int) -> BlockOperand:
        """Return the operand in the innermost loop."""
        result = BlockOperand(self.number, self.value, self.index)
        result.windows, result.first = windows, first
        return result

    def level(self, subdomain: Subdomain) -> int:
        """Return the innermost loop on which the rows of a block depend, or -1.

        An unrolled loop at the end of the index has constant counters.
        """
        dims = sorted({dim for form in self.row for dim in form.terms})
        while dims and subdomain.is_unrolled(dims[-1]):
            dims.pop()
        return dims[-1] if dims else -1

    def take_rows(self, level: int, counters: Counters, subdomain: Subdomain) -> Memories:
        """Take the rows that a block reads, in the loop over `level`, which is that of the rows."""
        dims = sorted({dim for form in self.row for dim in form.terms})
        first = {dim: subdomain.counters[dim].start for dim in dims if dim > level}
        result: dict[tuple[int, ...], ir.Value] = {}
        for offsets in product(*(range(subdomain.blocks[dim]) for dim in dims)):
            at = dict(zip(dims, offsets, strict=True))
            if self.distances(at) not in result:
                indices = [self._row_index(form, level, first, at, counters) for form in self.row]
                result[self.distances(at)] = row_of_shape(self.value, indices)
        return result

    def distances(self, at: BlockOffsets) -> tuple[int, ...]:
        """Return the distances of the row of a position from the first one of the block."""
        return tuple(distance(form, at) for form in self.row)

    @staticmethod
    def _row_index(
        form: Linear[int], level: int, first: BlockOffsets, at: BlockOffsets, counters: Counters
    ) -> ir.Value | int:
        outer, constant = form.kept(lambda d: d <= level), distance(form, first)
        constant += distance(form, at)
        if outer.terms:
            return scalar.add_constant(counters.value(outer), constant)
        return outer.constant + constant


def distance(form: Linear[int], at: BlockOffsets) -> int:
    """Return by how much offsets change a form."""
    return sum(form.factor(dim) * offset for dim, offset in at.items())
