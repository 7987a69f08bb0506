"""Lower an `accel.reduce` with `blocks` to loops that compute several positions at once.

The accumulators of a block are in registers, and each element is loaded once for all of them:

    for y
      for x in [1, 31) step 2                    the windows of both pixels are inside
        for c step 4
          for ky, kx, k
            a = load source[.., x - 1 + kx, k];  b = load source[.., x + kx, k]
            w = load weights[c, ky, kx, k];      acc00 += a * w;  acc10 += b * w
            w = load weights[c + 1, ky, kx, k];  acc01 += a * w;  acc11 += b * w ...
      for the other x: one at a time, with clamped windows

The points of the reduction are in the order of the op, for each position.
"""

from __future__ import annotations

from mlir import ir
from mlir.dialects import arith, scf

from forebay.dialects import accel
from forebay.ir.refused import RefusedError
from forebay.lowering.blocks.block_results import BlockResults
from forebay.lowering.blocks.blocked_op import BlockedOp, takes_blocks
from forebay.lowering.blocks.early_sums import EarlySums
from forebay.lowering.blocks.elements import NestElements
from forebay.lowering.blocks.interior import interior_of
from forebay.lowering.blocks.scope import NestScope
from forebay.lowering.blocks.subdomain import Subdomain
from forebay.lowering.kernels import scalar
from forebay.lowering.loops.box_loops import either, is_between


def lower_blocks_to_loops(op: accel.ReduceOp) -> None:
    """Emit the nest in front of the op, and erase the op.

    Raises `RefusedError` for an op that takes no blocks, or no words in its dimension of words.
    """
    if not takes_blocks(op):
        raise RefusedError(
            op.location,
            "an op with an index of several or no reduction dimensions that may leave its operand, "
            "or with a varying box of several positions, takes no blocks",
        )
    with ir.InsertionPoint(op), op.operation.location:
        try:
            nest = _BlockedNest(BlockedOp(op))
        except ValueError as error:
            raise RefusedError(op.location, str(error)) from error
        nest.emit()
    op.operation.erase()


class _BlockedNest:
    """The loops over the blocks of positions, with the border of each dimension apart."""

    def __init__(self, blocked: BlockedOp) -> None:
        self._blocked, self._scope = blocked, NestScope(blocked)
        elements = NestElements(blocked, self._scope)
        self._early = EarlySums(blocked, self._scope, elements)
        self._results = BlockResults(blocked, self._scope, elements, self._early)

    def emit(self) -> None:
        self._scope.enter_nest()
        self._parallel_loop(0)

    @property
    def _subdomain(self) -> Subdomain:
        return self._scope.subdomain

    def _parallel_loop(self, dim: int) -> None:
        if dim == self._blocked.parallel:
            self._results.emit()
        elif dim in self._blocked.box.fixed:
            self._inside(dim)
        elif dim in self._subdomain.peeled and dim in self._blocked.box.varying:
            self._inside_or_at_border(dim)
        elif self._blocked.box.sizes[dim] > 1 and self._subdomain.splits(dim):
            self._blocked_loop(dim)
        else:
            begin, end = self._blocked.box.ends(dim)
            self._loop(dim, begin, end, 1)

    def _inside_or_at_border(self, dim: int) -> None:
        """Emit the position of a box, with constant limits where its windows are inside."""
        begin, positions = self._blocked.box.ends(dim)[0], self._subdomain.counters[dim]
        interior = interior_of(dim, self._blocked.axes, self._subdomain.counters)

        def emit(subdomain: Subdomain) -> list[ir.Value]:
            with self._scope.narrowed(subdomain):
                self._enter(dim, begin)
            return []

        either(
            is_between(begin, interior, positions) if interior else False,
            [],
            lambda: emit(self._subdomain.inside(dim, interior)),
            lambda: emit(self._subdomain.one_by_one(dim)),
        )

    def _blocked_loop(self, dim: int) -> None:
        """Emit the loop over the blocks of the interior, and the loop over all other positions."""
        positions, block = self._subdomain.counters[dim], self._subdomain.blocks[dim]
        interior = interior_of(dim, self._blocked.axes, self._subdomain.counters)
        inside = range(interior.start, interior.start + len(interior) // block * block)
        if inside:
            with self._scope.narrowed(self._subdomain.inside(dim, inside)):
                self._loop_of_blocks(dim, inside, block)
        if dim in self._subdomain.peeled:
            self._peeled(dim, interior, inside)
        elif len(inside) < len(positions):
            with self._scope.narrowed(self._subdomain.one_by_one(dim)):
                self._loop_outside(dim, inside)

    def _peeled(self, dim: int, interior: range, inside: range) -> None:
        """Emit the positions of a dimension that are in no block, each border with own code."""
        positions = self._subdomain.counters[dim]
        left_over = range(inside.stop, interior.stop) if inside else interior
        if left_over:
            with self._scope.narrowed(self._subdomain.left_over(dim, left_over)):
                self._loop_of_blocks(dim, left_over, 1)
        for position in positions:
            if position not in interior:
                with self._scope.narrowed(self._subdomain.at(dim, position)):
                    self._enter(dim, _index(position))

    def _loop_of_blocks(self, dim: int, positions: range, block: int) -> None:
        if len(positions) == block:
            self._enter(dim, _index(positions.start))
        else:
            self._loop(dim, _index(positions.start), _index(positions.stop), block)

    def _loop_outside(self, dim: int, inside: range) -> None:
        """Emit a loop over the positions before and after a range; the range may be empty."""
        positions = self._subdomain.counters[dim]
        before = inside.start - positions.start
        rest = range(positions.start, positions.stop - len(inside))
        if not inside or not before:
            self._loop(dim, _index(inside.stop if inside else rest.start), self._stop(dim), 1)
            return
        loop = scf.ForOp(_index(rest.start), _index(rest.stop), _index(1))
        with ir.InsertionPoint(loop.body):
            counter = loop.induction_variable
            is_before = arith.CmpIOp(arith.CmpIPredicate.slt, counter, _index(inside.start)).result
            behind = scalar.add_constant(counter, len(inside))
            self._enter(dim, arith.SelectOp(is_before, counter, behind).result)
            scf.YieldOp([])

    def _stop(self, dim: int) -> ir.Value:
        return _index(self._subdomain.counters[dim].stop)

    def _loop(self, dim: int, begin: ir.Value, end: ir.Value, step: int) -> None:
        if self._blocked.box.sizes[dim] == 1:
            self._enter(dim, begin)
            return
        loop = scf.ForOp(begin, end, _index(step))
        with ir.InsertionPoint(loop.body):
            self._enter(dim, loop.induction_variable)
            scf.YieldOp([])

    def _enter(self, dim: int, counter: ir.Value) -> None:
        """Emit what is inside of a parallel loop; the values of its counter end with it."""
        with self._scope.parallel_loop(dim, counter):
            self._inside(dim)

    def _inside(self, dim: int) -> None:
        """Emit what is inside of a parallel loop, whose counter is known."""
        with self._early.inside(dim):
            self._parallel_loop(dim + 1)


def _index(value: int) -> ir.Value:
    return scalar.scalar_constant(value, ir.IndexType.get())
