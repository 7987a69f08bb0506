"""Lower `accel.reduce` on memrefs to a nest of `scf.for` with the accumulators in registers.

The parallel loops come first, in order, then the reduction loops; an extent of 1 gets no loop.
Each partial sum of an address and each bound of a window is computed in the outermost loop where
it is known:

    for y
      row = y * stride - before
      first, last = max(0, -row), min(kernel, height - row)
      for x ...
        for ky in [first, last)
          for kx ... acc = body(acc, load source[row + ky, ...], load weights[ky, ...])
        store finish(acc, count)

On a box of the domain, the loops run over its positions, and the clamps are those of the whole
operands. A box that cuts the reduction loads the accumulators instead of `init`, and stores them
instead of `finish`; an `scf.if` decides where that depends on a start.

A row of an operand whose rows lie anywhere is taken in the outermost loop where its index is known.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import memref, scf

from forebay.dialects import accel
from forebay.ir.memory.linear import linear_of_map
from forebay.ir.structured.reduce_box import box_of, mapped_operands_of
from forebay.lowering.kernels import scalar
from forebay.lowering.loops.box_loops import BoxLoops, either
from forebay.lowering.loops.counters import Counters
from forebay.lowering.loops.inline import inline
from forebay.lowering.loops.loop_operand import LoopOperand
from forebay.lowering.loops.window_bounds import find_bounds
from forebay.lowering.loops.window_limits import Limits, emit_is_inside


def lower_to_loops(op: accel.ReduceOp) -> None:
    """Emit the nest in front of the op, move the op's regions into it, and erase the op."""
    with ir.InsertionPoint(op), op.operation.location:
        ReduceLoops(op).emit()
    op.operation.erase()


class ReduceLoops:
    """The nest of an op on buffers, which computes one position after the other."""

    def __init__(self, op: accel.ReduceOp) -> None:
        self.op = op
        box = box_of(op)
        self.box = BoxLoops(box)
        self.parallel, self.dims = box.parallel, len(box.extents)
        self.cuts_reduction = box.cuts_reduction
        self.position: dict[int, ir.Value] = {}
        accesses = [self._access(i, v) for i, v in enumerate(mapped_operands_of(op))]
        ins = len(op.inputs)
        self.accesses = accesses
        self.ins, self.params, self.out = accesses[:ins], accesses[ins:-1], accesses[-1]
        axes = [axis for access in self.ins for axis in access.axes()]
        self.bounds = find_bounds(axes, self.box.counters, self.parallel, self.box.varying)
        forms = [form for access in accesses for form in access.index]
        forms += [clamp.base for clamp in self.bounds.clamps]
        self.counters = Counters(forms)
        if self.bounds.guards:
            # A row that may not exist is taken after the condition that it does.
            for access in self.ins:
                access.known_at = self.dims
        count = op.finish.blocks[0].arguments[len(self._yield_of(op.init).operands)]
        self.counts = any(True for _ in count.uses)
        self.counts_points = self.counts and bool(self.bounds.guards)
        counts_loops = self.counts and not self.counts_points
        self.limits = Limits(self.bounds, self.box, self.counters, counts=counts_loops)

    def emit(self) -> None:
        """Emit the whole nest at the current insertion point."""
        self.box.enter_nest()
        self.counters.enter_nest()
        self.limits.enter(-1)
        self._take_rows(-1)
        self._parallel_loop(0)

    def _access(self, index: int, value: ir.Value) -> LoopOperand:
        map_ = ir.AffineMapAttr(self.op.maps[index]).value
        forms = [form for form in linear_of_map(map_) if form is not None]
        assert len(forms) == len(map_.results), "the op's verifier checks that maps are linear"
        return LoopOperand(value, [form.at(self.box.fixed) for form in forms])

    def _parallel_loop(self, dim: int) -> None:
        if dim == self.parallel:
            self._point()
        elif dim in self.box.fixed:
            self._parallel_loop(dim + 1)
        else:
            begin, end = self.box.ends(dim)
            if self.box.sizes[dim] == 1:
                self._enter(dim, begin)
            else:
                self._loop_over(dim, begin, end)

    def _loop_over(self, dim: int, begin: ir.Value, end: ir.Value, step: int = 1) -> None:
        loop = scf.ForOp(begin, end, _index(step))
        with ir.InsertionPoint(loop.body):
            self._enter(dim, loop.induction_variable)
            scf.YieldOp([])

    def _enter(self, dim: int, counter: ir.Value) -> None:
        """Emit what is inside of a parallel loop."""
        self.counters.enter(dim, counter)
        self.limits.enter(dim)
        self._take_rows(dim)
        self.position[dim] = counter
        self._parallel_loop(dim + 1)

    def _take_rows(self, dim: int) -> None:
        """Take the rows that are known inside of the loop over `dim`, outside of all for -1."""
        for access in self.accesses:
            access.enter(dim, self.counters)

    def _point(self) -> None:
        if self.cuts_reduction:
            self._point_of_cut_reduction()
            return
        init, finish = self.op.init.blocks[0], self.op.finish.blocks[0]
        loaded = self._load_used(self.params, list(init.arguments))
        start = inline(init, loaded)
        results, count = self._reduce(start, None)
        late = self._load_used(self.params, self._finish_params(), loaded)
        self._store(inline(finish, [*results, count, *late]))

    def _reduce(
        self, accumulators: list[ir.Value], count: ir.Value | None
    ) -> tuple[list[ir.Value], ir.Value | None]:
        """Emit the reduction and return the accumulators and the count, if it is needed.

        The count begins at `count`, or at 0 for None.
        """
        if self.counts_points:
            accumulators = [*accumulators, count or scalar.scalar_constant(0, scalar.i32())]
            *results, total = self._reduction_loop(self.parallel, accumulators)
            return results, total
        results, own = self._reduction_loop(self.parallel, accumulators), self.limits.count()
        return results, scalar.add(count, own) if count is not None and own is not None else own

    # ---- Boxes that cut the reduction ------------------------------------------------------------

    def _point_of_cut_reduction(self) -> None:
        index = self._index_in_box()
        types = [ir.MemRefType(value.type).element_type for value in self.op.accumulators]
        start = either(
            self.box.is_first, types, self._initialised, lambda: self._load_accumulators(index)
        )
        count = start.pop() if self.counts else None
        results, total = self._reduce(start, count)
        reduced = [*results, *([total] if self.counts and total is not None else [])]

        def finished() -> list[ir.Value]:
            finish = self.op.finish.blocks[0]
            late = self._load_used(self.params, self._finish_params())
            self._store(inline(finish, [*results, total, *late]))
            return []

        def kept() -> list[ir.Value]:
            for value, target in zip(reduced, self.op.accumulators, strict=True):
                memref.StoreOp(value, target, index)
            return []

        either(self.box.is_last, [], finished, kept)

    def _initialised(self) -> list[ir.Value]:
        init = self.op.init.blocks[0]
        values = inline(init, self._load_used(self.params, list(init.arguments)))
        return [*values, scalar.scalar_constant(0, scalar.i32())] if self.counts else values

    def _load_accumulators(self, index: list[ir.Value]) -> list[ir.Value]:
        return [memref.LoadOp(value, index).result for value in self.op.accumulators]

    def _index_in_box(self) -> list[ir.Value]:
        """Return the position of a point in the parallel part of the box."""
        return [
            self.box.in_box(dim, self.position[dim])
            if dim in self.position and self.box.sizes[dim] > 1
            else _index(0)
            for dim in range(self.parallel)
        ]

    # ---- The points of the reduction -------------------------------------------------------------

    def _reduction_loop(self, dim: int, accumulators: list[ir.Value]) -> list[ir.Value]:
        if dim == self.dims:
            return self._guarded_body(accumulators)
        if dim in self.box.fixed:
            return self._reduction_loop(dim + 1, accumulators)
        begin, end = self.limits.of_dim(dim)
        if self.box.sizes[dim] == 1 and not self.bounds.of_dim(dim):
            self.counters.enter(dim, begin)
            self._take_rows(dim)
            return self._reduction_loop(dim + 1, accumulators)
        loop = scf.ForOp(begin, end, _index(1), accumulators)
        with ir.InsertionPoint(loop.body):
            self.counters.enter(dim, loop.induction_variable)
            self._take_rows(dim)
            scf.YieldOp(self._reduction_loop(dim + 1, list(loop.inner_iter_args)))
        return list(loop.results)

    def _guarded_body(self, accumulators: list[ir.Value]) -> list[ir.Value]:
        if not self.bounds.guards:
            return self._body(accumulators)
        condition = emit_is_inside(self.bounds.guards, self.counters)
        branch = scf.IfOp(condition, [a.type for a in accumulators], has_else=True)
        then, otherwise = (region.blocks[0] for region in branch.operation.regions)
        with ir.InsertionPoint(then):
            scf.YieldOp(self._body(accumulators))
        with ir.InsertionPoint(otherwise):
            scf.YieldOp(accumulators)
        return list(branch.results)

    def _body(self, accumulators: list[ir.Value]) -> list[ir.Value]:
        self._take_rows(self.dims)
        body = self.op.body.blocks[0]
        n = len(body.arguments) - len(self.ins)
        loaded = self._load_used(self.ins, list(body.arguments)[n:])
        counted = [scalar.add_constant(a, 1) for a in accumulators[n:]]
        return [*inline(body, [*accumulators[:n], *loaded]), *counted]

    def _finish_params(self) -> Sequence[ir.Value]:
        arguments = list(self.op.finish.blocks[0].arguments)
        return arguments[len(arguments) - len(self.params) :]

    def _store(self, stored: list[ir.Value]) -> None:
        memref.StoreOp(stored[0], self.out.memory, self.out.position(self.counters))

    def _load_used(
        self,
        accesses: list[LoopOperand],
        arguments: Sequence[ir.Value],
        loaded: Sequence[ir.Value | None] = (),
    ) -> list[ir.Value | None]:
        """Load one element for each argument that has uses, unless it is loaded already."""
        known = loaded or [None] * len(accesses)
        return [
            before or (self._load(access) if any(True for _ in argument.uses) else None)
            for access, argument, before in zip(accesses, arguments, known, strict=True)
        ]

    def _load(self, access: LoopOperand) -> ir.Value:
        return memref.LoadOp(access.memory, access.position(self.counters)).result

    @staticmethod
    def _yield_of(region: ir.Region) -> ir.OpView:
        operations = region.blocks[0].operations
        return operations[len(operations) - 1]


def _index(value: int) -> ir.Value:
    return scalar.scalar_constant(value, ir.IndexType.get())
