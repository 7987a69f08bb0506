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
"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import memref, scf

from forebay.dialects import accel
from forebay.lowering.kernels import scalar
from forebay.lowering.kernels.reduce import Domain
from forebay.lowering.loops.counters import Counters
from forebay.lowering.loops.inline import inline
from forebay.lowering.loops.linear import Linear
from forebay.lowering.loops.window_bounds import find_bounds
from forebay.lowering.loops.window_limits import Limits, is_inside


def lower_to_loops(op: accel.ReduceOp) -> None:
    """Emit the nest in front of the op, move the op's regions into it, and erase the op."""
    with ir.InsertionPoint(op), op.operation.location:
        _Nest(op).emit()
    op.operation.erase()


class _Access:
    """An operand and the linear forms of its index."""

    def __init__(self, value: ir.Value, index: list[Linear]) -> None:
        self.value = value
        self.index = index

    def axes(self) -> list[tuple[Linear, int]]:
        return list(zip(self.index, ir.MemRefType(self.value.type).shape, strict=True))


class _Nest:
    def __init__(self, op: accel.ReduceOp) -> None:
        self.op = op
        domain = Domain(tuple(op.parallel), tuple(op.reduction))
        self.parallel = len(domain.parallel)
        self.extents = domain.extents
        self.unit = [d for d, extent in enumerate(self.extents) if extent == 1]
        accesses = [self._access(i) for i in range(len(op.operation.operands))]
        ins = len(op.inputs)
        self.ins, self.params, self.out = accesses[:ins], accesses[ins:-1], accesses[-1]
        axes = [axis for access in self.ins for axis in access.axes()]
        self.bounds = find_bounds(axes, self.extents, self.parallel)
        forms = [form for access in accesses for form in access.index]
        forms += [clamp.base for clamp in self.bounds.clamps]
        self.counters = Counters(forms)
        count = op.finish.blocks[0].arguments[len(self._yield_of(op.init).operands)]
        counts = any(True for _ in count.uses)
        self.counts_points = counts and bool(self.bounds.guards)
        counts_loops = counts and not self.counts_points
        self.limits = Limits(self.bounds, domain, self.counters, counts=counts_loops)

    def emit(self) -> None:
        """Emit the whole nest at the current insertion point."""
        self.counters.enter_nest()
        self.limits.enter(-1)
        self._parallel_loop(0)

    def _access(self, index: int) -> _Access:
        map_ = ir.AffineMapAttr(self.op.maps[index]).value
        dims = len(self.extents)
        forms = [Linear.of(expr, dims).without(self.unit) for expr in map_.results]
        return _Access(self.op.operation.operands[index], forms)

    def _parallel_loop(self, dim: int) -> None:
        if dim == self.parallel:
            self._point()
        elif dim in self.unit:
            self._parallel_loop(dim + 1)
        else:
            zero, extent, one = (_index(i) for i in (0, self.extents[dim], 1))
            loop = scf.ForOp(zero, extent, one)
            with ir.InsertionPoint(loop.body):
                self.counters.enter(dim, loop.induction_variable)
                self.limits.enter(dim)
                self._parallel_loop(dim + 1)
                scf.YieldOp([])

    def _point(self) -> None:
        init, finish = self.op.init.blocks[0], self.op.finish.blocks[0]
        n = len(self._yield_of(self.op.init).operands)
        finish_params = list(finish.arguments)[n + 1 :]
        loaded = self._load_used(self.params, list(init.arguments))
        start = inline(init, loaded)
        if self.counts_points:
            start.append(scalar.constant(0, scalar.i32()))
        results = self._reduction_loop(self.parallel, start)
        count = results.pop() if self.counts_points else self.limits.count()
        late = self._load_used(self.params, finish_params, loaded)
        stored = inline(finish, [*results, count, *late])
        memref.StoreOp(stored[0], self.out.value, self._index_of(self.out))

    def _reduction_loop(self, dim: int, accumulators: list[ir.Value]) -> list[ir.Value]:
        if dim == len(self.extents):
            return self._guarded_body(accumulators)
        if dim in self.unit:
            return self._reduction_loop(dim + 1, accumulators)
        begin, end = self.limits.of_dim(dim)
        loop = scf.ForOp(begin, end, _index(1), accumulators)
        with ir.InsertionPoint(loop.body):
            self.counters.enter(dim, loop.induction_variable)
            scf.YieldOp(self._reduction_loop(dim + 1, list(loop.inner_iter_args)))
        return list(loop.results)

    def _guarded_body(self, accumulators: list[ir.Value]) -> list[ir.Value]:
        if not self.bounds.guards:
            return self._body(accumulators)
        condition = is_inside(self.bounds.guards, self.counters)
        branch = scf.IfOp(condition, [a.type for a in accumulators], has_else=True)
        then, otherwise = (region.blocks[0] for region in branch.operation.regions)
        with ir.InsertionPoint(then):
            scf.YieldOp(self._body(accumulators))
        with ir.InsertionPoint(otherwise):
            scf.YieldOp(accumulators)
        return list(branch.results)

    def _body(self, accumulators: list[ir.Value]) -> list[ir.Value]:
        body = self.op.body.blocks[0]
        n = len(body.arguments) - len(self.ins)
        loaded = self._load_used(self.ins, list(body.arguments)[n:])
        counted = [scalar.add_constant(a, 1) for a in accumulators[n:]]
        return [*inline(body, [*accumulators[:n], *loaded]), *counted]

    def _load_used(
        self,
        accesses: list[_Access],
        arguments: Sequence[ir.Value],
        loaded: Sequence[ir.Value | None] = (),
    ) -> list[ir.Value | None]:
        """Load one element for each argument that has uses, unless it is loaded already."""
        known = loaded or [None] * len(accesses)
        return [
            before or (self._load(access) if any(True for _ in argument.uses) else None)
            for access, argument, before in zip(accesses, arguments, known, strict=True)
        ]

    def _load(self, access: _Access) -> ir.Value:
        return memref.LoadOp(access.value, self._index_of(access)).result

    def _index_of(self, access: _Access) -> list[ir.Value]:
        return [self.counters.value(form) for form in access.index]

    @staticmethod
    def _yield_of(region: ir.Region) -> ir.OpView:
        operations = region.blocks[0].operations
        return operations[len(operations) - 1]


def _index(value: int) -> ir.Value:
    return scalar.constant(value, ir.IndexType.get())
