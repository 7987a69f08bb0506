"""What the lowering of an op with blocks reads from the op: its operands, dimensions and words."""

from __future__ import annotations

from mlir import ir

from forebay.dialects import accel
from forebay.ir.memory.linear import Linear, linear_of_map
from forebay.ir.structured.reduce_box import box_of, mapped_operands_of
from forebay.lowering.blocks.filled import dim_of_borders, dim_of_fill
from forebay.lowering.blocks.hoisted import dims_of_factors, sums_elements, sums_factors
from forebay.lowering.blocks.lanes import lanes_of
from forebay.lowering.blocks.operand import BlockOffsets, BlockOperand, distance
from forebay.lowering.blocks.subdomain import Subdomain
from forebay.lowering.blocks.words import offset_of_words, words_of
from forebay.lowering.loops.box_loops import BoxLoops
from forebay.lowering.loops.window_bounds import Bounds, find_bounds


class BlockedOp:
    """An `accel.reduce` with blocks, on buffers.

    `ins` are the operands of the reduction, `params` those of `init` and `finish`, `out` is the
    result's. `innermost` is the innermost reduction dimension with a loop, or -1. `factors` are the
    second operand, which is multiplied by the offset. `factor_dims` are the dimensions that select
    them if their sums are computed early. `fill_dim` is the dimension along which elements outside
    of the first operand are filled. Positions at borders of the dimension `border_dim` have loops
    apart; at all others, sums begin with the part of the offset. A position has `sums`
    accumulators.
    """

    def __init__(self, op: accel.ReduceOp) -> None:
        assert op.blocks is not None, "the nest is for ops with blocks"
        box = box_of(op)
        self.op = op
        self.box = BoxLoops(box)
        self.parallel, self.dims = box.parallel, len(box.extents)
        values = mapped_operands_of(op)
        accesses = [_access_of(op, number, value, self.box) for number, value in enumerate(values)]
        ins = len(op.inputs)
        self.ins, self.params, self.out = accesses[:ins], accesses[ins:-1], accesses[-1]
        self.factors = self.ins[-1]
        self.axes = [axis for access in self.ins for axis in access.axes()]
        self.offset = offset_of_words(op) or 0
        self.has_elements = sums_elements(op)
        is_hoisted = self.has_elements or sums_factors(op)
        bounds = find_bounds(self.axes, self.box.counters, self.parallel, self.box.varying)
        self.factor_dims = dims_of_factors(op) if is_hoisted else None
        fill_dim = dim_of_fill(op, bounds.clamps)
        # Only elements of the first operand are filled; those of the second are skipped.
        is_skipped = any(fill_dim in form.terms for form, _ in self.factors.axes())
        peeled = list(op.peeled or [])
        self.fill_dim = None if is_skipped or fill_dim in peeled else fill_dim
        self.border_dim = self.fill_dim
        if self.fill_dim is None and self.factor_dims is not None and sums_factors(op):
            self.border_dim = dim_of_borders(op)
        self.domain = Subdomain(
            self.axes,
            self.box.counters,
            list(op.blocks),
            self.parallel,
            self.box.varying,
            words=words_of(op),
            lanes=lanes_of(op),
            fill_dim=self.fill_dim,
            border_dim=self.border_dim,
            has_starts=self.has_elements and self.factor_dims is not None,
            peeled=peeled,
        )
        """All positions of the op."""
        words = self.domain.words
        self._inside = {self.dims - 1} if words is not None and words.dot_length > 1 else set[int]()
        outside = self.box.fixed.keys() | self._inside
        reduced = [d for d in range(self.parallel, self.dims) if d not in outside]
        self.innermost = max(reduced, default=-1)
        arguments = list(op.finish.blocks[0].arguments)
        self.sums = len(arguments) - 1 - len(self.params)
        self.counts_points = any(True for _ in arguments[self.sums].uses)

    @property
    def accesses(self) -> list[BlockOperand]:
        """Return all operands."""
        return [*self.ins, *self.params, self.out]

    def forms(self) -> list[Linear[int]]:
        """Return the linear forms of counters whose values the nest needs."""
        forms = [form for access in self.accesses for form in access.index]
        forms += [clamp.base for clamp in self.domain.bounds.clamps]
        forms += [form.kept(self.is_outside) for form in forms]
        inner = {form.factor(self.innermost) for access in self.ins for form in access.index}
        return forms + [Linear.of(self.innermost).times(factor) for factor in sorted(inner)]

    def is_outside(self, dim: int) -> bool:
        """Return whether a dimension is not that of the innermost loop, or of words inside."""
        return dim != self.innermost and dim not in self._inside

    def key_of_factors(self, at: BlockOffsets) -> tuple[int, ...]:
        """Return by which distances a position selects its second factors."""
        return tuple(distance(form, at) for form in self.factors.index)


def takes_blocks(op: accel.ReduceOp) -> bool:
    """Return whether the op, on buffers, can be lowered with blocks.

    Windows at whose points conditions are checked cannot: of an index that has several reduction
    dimensions, or none. A varying box must be of one position in the dimensions that vary.
    """
    box = BoxLoops(box_of(op))
    varies = any(dim >= len(op.parallel) or box.sizes[dim] > 1 for dim in box.varying)
    return not varies and not window_bounds_of(op).guards and not op.accumulators


def window_bounds_of(op: accel.ReduceOp) -> Bounds:
    """Return the clamps and guards that keep the loops of an op inside its operands."""
    box = BoxLoops(box_of(op))
    values = mapped_operands_of(op)[: len(op.inputs)]
    accesses = [_access_of(op, number, value, box) for number, value in enumerate(values)]
    axes = [axis for access in accesses for axis in access.axes()]
    return find_bounds(axes, box.counters, len(op.parallel), box.varying)


def _access_of(op: accel.ReduceOp, number: int, value: ir.Value, box: BoxLoops) -> BlockOperand:
    forms = [f for f in linear_of_map(ir.AffineMapAttr(op.maps[number]).value) if f is not None]
    return BlockOperand(number, value, [form.at(box.fixed) for form in forms])
