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

import functools
from collections.abc import Callable, Iterator, Sequence
from itertools import product

from mlir import ir
from mlir.dialects import arith, memref, scf

from forebay.dialects import accel
from forebay.ir.memory.linear import Linear, linear_of_map
from forebay.ir.refused import RefusedError
from forebay.ir.structured.reduce_box import box_of, mapped_operands_of
from forebay.lowering.blocks.cloned import cloned
from forebay.lowering.blocks.filled import dim_of_fill, load_filled
from forebay.lowering.blocks.hoisted import dims_of_factors, sums_elements, sums_factors
from forebay.lowering.blocks.interior import interior_of
from forebay.lowering.blocks.lanes import (
    Lanes,
    LaneScalar,
    gather_sums,
    lanes_of,
    load_extended,
    load_lanes,
    multiply_add,
    splat,
    store_rescaled,
)
from forebay.lowering.blocks.operand import BlockOffsets, BlockOperand, Memories, distance
from forebay.lowering.blocks.subdomain import Subdomain
from forebay.lowering.blocks.words import (
    Words,
    add_elements,
    add_products,
    load_word,
    no_sums,
    offset_of_words,
    total_of,
    totals_of,
    with_offset,
    words_of,
)
from forebay.lowering.kernels import scalar
from forebay.lowering.loops.box_loops import BoxLoops, either, is_between
from forebay.lowering.loops.counters import Counters
from forebay.lowering.loops.window_bounds import IndexClamp, find_bounds
from forebay.lowering.loops.window_limits import Limits

_Loaded = dict[tuple[int, str, tuple[tuple[Linear[int], int], ...]], ir.Value]
"""Elements and vectors in registers: the operand, how it is loaded, and the index of the first
element as counted forms with distances.
"""
_Starts = dict[tuple[int, ...], ir.Value]
"""Sums with the part of the offset, by the number of their second factors."""
_Loader = Callable[[ir.Value, list[ir.Value]], ir.Value]
"""Loads from an index of a memory on."""


def takes_blocks(op: accel.ReduceOp) -> bool:
    """Return whether the op, on buffers, can be lowered with blocks.

    Windows at whose points conditions are checked cannot: of an index that has several reduction
    dimensions, or none. A varying box must be of one position in the dimensions that vary.
    """
    box = BoxLoops(box_of(op))
    values = mapped_operands_of(op)[: len(op.inputs)]
    accesses = [_access_of(op, number, value, box) for number, value in enumerate(values)]
    axes = [axis for access in accesses for axis in access.axes()]
    bounds = find_bounds(axes, box.counters, len(op.parallel), box.varying)
    varies = any(dim >= len(op.parallel) or box.sizes[dim] > 1 for dim in box.varying)
    return not varies and not bounds.guards and not op.accumulators


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
            nest = _BlockedNest(op)
        except ValueError as error:
            raise RefusedError(op.location, str(error)) from error
        nest.emit()
    op.operation.erase()


class _BlockedNest:
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
        self.subdomain = Subdomain(
            self.axes,
            self.box.counters,
            list(op.blocks),
            self.parallel,
            self.box.varying,
            words=words_of(op),
            lanes=lanes_of(op),
            fill_dim=self.fill_dim,
            has_starts=self.has_elements and self.factor_dims is not None,
            peeled=peeled,
        )
        forms = [form for access in accesses for form in access.index]
        forms += [clamp.base for clamp in self.subdomain.bounds.clamps]
        reduced = [d for d in range(self.parallel, self.dims) if d not in self.box.fixed]
        self.innermost = max(reduced, default=-1)
        forms += [form.kept(self._is_outside) for form in forms]
        inner = {form.factor(self.innermost) for access in self.ins for form in access.index}
        forms += [Linear.of(self.innermost).times(factor) for factor in sorted(inner)]
        self.counters = Counters(forms)
        arguments = list(op.finish.blocks[0].arguments)
        self.sums = len(arguments) - 1 - len(self.params)
        counts = any(True for _ in arguments[self.sums].uses)
        self.limits = Limits(self.subdomain.bounds, self.box, self.counters, counts=counts)
        self.sums_only_factors = False
        self.memories: dict[int, Memories] = {
            access.number: {(): access.value} for access in accesses if not access.row
        }
        """The memories of each operand that are known at the insertion point."""
        self.starts: dict[tuple[range, ...], _Starts] = {}
        """Sums with the part of the offset, by the points that are added to them."""

    def emit(self) -> None:
        self.box.enter_nest()
        self.counters.enter_nest()
        self.limits.enter(-1)
        self._take_rows(-1)
        self._parallel_loop(0)

    def _take_rows(self, dim: int) -> None:
        """Take the rows that are known inside of the loop over `dim`, outside of all for -1."""
        taken = {
            access.number: access.take_rows(dim, self.counters, self.subdomain)
            for access in (*self.ins, *self.params, self.out)
            if access.row and access.level(self.subdomain) == dim
        }
        self.memories = {**self.memories, **taken}

    # ---- Parallel loops --------------------------------------------------------------------------

    def _parallel_loop(self, dim: int) -> None:
        if dim == self.parallel:
            self._block()
        elif dim in self.box.fixed:
            self._inside(dim)
        elif dim in self.subdomain.peeled and dim in self.box.varying:
            self._inside_or_at_border(dim)
        elif self.box.sizes[dim] > 1 and self.subdomain.splits(dim):
            self._blocked_loop(dim)
        else:
            begin, end = self.box.ends(dim)
            self._loop(dim, begin, end, 1)

    def _inside_or_at_border(self, dim: int) -> None:
        """Emit the position of a box, with constant limits where its windows are inside."""
        begin, positions = self.box.ends(dim)[0], self.subdomain.counters[dim]
        interior = interior_of(dim, self.axes, self.subdomain.counters)

        def emit(subdomain: Subdomain) -> list[ir.Value]:
            self._with(subdomain, functools.partial(self._enter, dim, begin))
            return []

        either(
            is_between(begin, interior, positions) if interior else False,
            [],
            lambda: emit(self.subdomain.inside(dim, interior)),
            lambda: emit(self.subdomain.one_by_one(dim)),
        )

    def _blocked_loop(self, dim: int) -> None:
        """Emit the loop over the blocks of the interior, and the loop over all other positions."""
        positions, block = self.subdomain.counters[dim], self.subdomain.blocks[dim]
        interior = interior_of(dim, self.axes, self.subdomain.counters)
        inside = range(interior.start, interior.start + len(interior) // block * block)
        if inside:
            with_blocks = self.subdomain.inside(dim, inside)
            self._with(with_blocks, lambda: self._loop_of_blocks(dim, inside, block))
        if dim in self.subdomain.peeled:
            self._peeled(dim, interior, inside)
        elif len(inside) < len(positions):
            self._with(self.subdomain.one_by_one(dim), lambda: self._loop_outside(dim, inside))

    def _peeled(self, dim: int, interior: range, inside: range) -> None:
        """Emit the positions of a dimension that are in no block, each border with own code."""
        positions = self.subdomain.counters[dim]
        left_over = range(inside.stop, interior.stop) if inside else interior
        if left_over:
            subdomain = self.subdomain.left_over(dim, left_over)
            self._with(subdomain, lambda: self._loop_of_blocks(dim, left_over, 1))
        for position in positions:
            if position not in interior:
                subdomain = self.subdomain.at(dim, position)
                self._with(subdomain, functools.partial(self._enter, dim, _index(position)))

    def _loop_of_blocks(self, dim: int, positions: range, block: int) -> None:
        if len(positions) == block:
            self._enter(dim, _index(positions.start))
        else:
            self._loop(dim, _index(positions.start), _index(positions.stop), block)

    def _loop_outside(self, dim: int, inside: range) -> None:
        """Emit a loop over the positions before and behind a range; the range may be empty."""
        positions = self.subdomain.counters[dim]
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
        return _index(self.subdomain.counters[dim].stop)

    def _loop(self, dim: int, begin: ir.Value, end: ir.Value, step: int) -> None:
        if self.box.sizes[dim] == 1:
            self._enter(dim, begin)
            return
        loop = scf.ForOp(begin, end, _index(step))
        with ir.InsertionPoint(loop.body):
            self._enter(dim, loop.induction_variable)
            scf.YieldOp([])

    def _enter(self, dim: int, counter: ir.Value) -> None:
        """Emit what is inside of a parallel loop; the values of its counter end with it."""
        counters, limits, memories = self.counters, self.limits, self.memories
        self.counters = counters.copy()
        self.limits = limits.with_counters(self.counters)
        self.counters.enter(dim, counter)
        self.limits.enter(dim)
        self._take_rows(dim)
        self._inside(dim)
        self.counters, self.limits, self.memories = counters, limits, memories

    def _inside(self, dim: int) -> None:
        """Emit what is inside of a parallel loop, whose counter is known."""
        starts = self.starts
        level = self.dims if self.factor_dims is None else self.factor_dims[-1]
        is_same_inside = self.fill_dim is not None or dim in self.box.varying
        if dim == level or (dim > level and is_same_inside and self._clamps_begin(dim)):
            clamping, counters = self._axes_known_in(dim), self.subdomain.counters
            self.starts = {self.subdomain.points: self._start_sums(clamping, counters)}
            for own in self._borders_with_starts() if dim == level else ():
                self.starts[own.points] = self._start_sums(clamping, own.counters)
        self._parallel_loop(dim + 1)
        self.starts = starts

    def _borders_with_starts(self) -> Iterator[Subdomain]:
        """Yield the positions of peeled dimensions at borders, where all rows take them.

        In a box of one row the sums of the factors would cost more than they save.
        """
        found = {self.subdomain.points}
        for dim in () if self.box.varying else self.subdomain.peeled:
            interior = interior_of(dim, self.axes, self.subdomain.counters)
            for position in self.subdomain.counters[dim]:
                own = self.subdomain if position in interior else self.subdomain.at(dim, position)
                if own.points not in found:
                    found.add(own.points)
                    yield own

    def _with(self, subdomain: Subdomain, emit: Callable[[], None]) -> None:
        before, limits = self.subdomain, self.limits
        self.subdomain = subdomain
        self.limits = limits.narrowed(subdomain.bounds, subdomain.points)
        emit()
        self.subdomain, self.limits = before, limits

    # ---- One block -------------------------------------------------------------------------------

    def _block(self) -> None:
        lanes, loaded = self.subdomain.lanes, _Loaded()
        if lanes is not None and lanes.has_sums:
            self._block_of_vectors(lanes, loaded)
            return
        positions = self._positions()
        sums = self._sums(positions, loaded)
        if lanes is not None:
            self._store_lanes(lanes, positions, sums, loaded)
            return
        sums = self._totals(positions, sums, loaded)
        finish, count = self.op.finish.blocks[0], self.limits.count()
        for number, at in enumerate(positions):
            own = sums[number * self.sums : (number + 1) * self.sums]
            params = self._params(finish, self.sums + 1, at, loaded)
            (result,) = cloned(finish, [*own, count, *params])
            memref.StoreOp(result, self._memory(self.out, at), self._index(self.out, at))

    def _sums(self, positions: Sequence[BlockOffsets], loaded: _Loaded) -> list[ir.Value]:
        """Return the accumulators of each position behind the reduction, or its partial sums."""
        if (partial := self._with_partial_sums()) is not None:
            sums = [no_sums(partial)] * len(positions)
            return self._reduction_loop(self.parallel, {}, sums, loaded)
        if self._takes_all_points():
            starts = self.starts[self.subdomain.points]
            sums = [starts[self._key_of_factors(at)] for at in positions]
            return self._reduction_loop(self.parallel, {}, sums, loaded)
        init = self.op.init.blocks[0]
        sums = [v for at in positions for v in cloned(init, self._params(init, 0, at, loaded))]
        groups = self._groups(positions)
        sums += [scalar.scalar_constant(0, scalar.i32()) for _ in {*groups}]
        sums = self._reduction_loop(self.parallel, {}, sums, loaded)
        if groups:
            factors = sums[len(positions) :]
            sums = [
                with_offset(v, factors[g], self.offset) for v, g in zip(sums, groups, strict=False)
            ]
        return sums

    def _with_partial_sums(self) -> Words | None:
        """Return the words whose products are added to partial sums, if there are any."""
        words = self.subdomain.words
        return words if words is not None and words.sums > 1 else None

    def _totals(
        self, positions: Sequence[BlockOffsets], sums: list[ir.Value], loaded: _Loaded
    ) -> list[ir.Value]:
        """Return the accumulators of each position, of its partial sums if it has some."""
        if self._with_partial_sums() is None:
            return sums
        init = self.op.init.blocks[0]
        starts = [v for at in positions for v in cloned(init, self._params(init, 0, at, loaded))]
        return [total_of(own, start) for own, start in zip(sums, starts, strict=True)]

    # ---- Lanes -----------------------------------------------------------------------------------

    def _block_of_vectors(self, lanes: Lanes, loaded: _Loaded) -> None:
        """Emit a block whose sums are vectors from the beginning."""
        positions, bias = self._positions(), lanes.requantisation.bias
        sums = [self._lane_scalars(bias, lanes, at, loaded) for at in positions]
        sums = self._reduction_loop(self.parallel, {}, sums, loaded)
        for at, own in zip(positions, sums, strict=True):
            self._store_vector(lanes, at, own, loaded)

    def _store_lanes(
        self, lanes: Lanes, positions: list[BlockOffsets], sums: list[ir.Value], loaded: _Loaded
    ) -> None:
        """Make vectors of the sums of neighbouring positions, and store these."""
        found = {tuple(sorted(at.items())): own for at, own in zip(positions, sums, strict=True)}
        for at in positions:
            if at[lanes.dim] % lanes.count == 0:
                own = [{**at, lanes.dim: at[lanes.dim] + lane} for lane in range(lanes.count)]
                near = [found[tuple(sorted(each.items()))] for each in own]
                if self._with_partial_sums() is None:
                    vector = gather_sums(near)
                else:
                    bias = self._lane_scalars(lanes.requantisation.bias, lanes, at, loaded)
                    vector = totals_of(near, bias)
                self._store_vector(lanes, at, vector, loaded)

    def _store_vector(
        self, lanes: Lanes, at: BlockOffsets, sums: ir.Value, loaded: _Loaded
    ) -> None:
        by = lanes.requantisation
        multiplier = self._lane_scalars(by.multiplier, lanes, at, loaded)
        shift = self._lane_scalars(by.shift, lanes, at, loaded)
        target = (self._memory(self.out, at), self._index(self.out, at))
        store_rescaled(sums, (multiplier, shift), target, by)

    def _lane_scalars(
        self, own: LaneScalar, lanes: Lanes, at: BlockOffsets, loaded: _Loaded
    ) -> ir.Value:
        """Return a scalar of each lane."""
        if own.param is None:
            value = own.value
            if isinstance(value, int):
                value = scalar.scalar_constant(value, scalar.i32())
            return splat(value, lanes.count, 32)
        access = self.params[own.param]
        if all(form.factor(lanes.dim) == 0 for form in access.index):
            return splat(self._load(access, at, loaded), lanes.count, 32)
        name = f"{lanes.count} lanes"
        return self._loaded(access, at, loaded, name, lambda m, i: load_lanes(m, i, lanes.count))

    def _multiply_add(
        self, lanes: Lanes, step: BlockOffsets, sums: list[ir.Value], loaded: _Loaded
    ) -> list[ir.Value]:
        """Add one product per lane to each vector of sums."""
        words = self.subdomain.words
        assert words is not None, "vectors of sums have words"
        found: list[ir.Value] = []
        for total, position in zip(sums, self._positions(), strict=True):
            at = {**position, **step}
            one, other = (self._factors(access, lanes, at, loaded) for access in self.ins)
            found.append(multiply_add(total, one, other, words.offset))
        return found

    def _factors(
        self, access: BlockOperand, lanes: Lanes, at: BlockOffsets, loaded: _Loaded
    ) -> ir.Value:
        """Return the factor of each lane, in 16 bits."""
        count = lanes.count
        if all(form.factor(lanes.dim) == 0 for form in access.index):
            return splat(self._load(access, at, loaded), count, 16)
        return self._loaded(
            access, at, loaded, f"{count} factors", lambda m, i: load_extended(m, i, count, 16)
        )

    def _groups(self, positions: Sequence[BlockOffsets]) -> list[int]:
        """Return for each position the number of its second factors, whose sums are needed.

        Empty if no sums of second factors are needed.
        """
        words = self.subdomain.words
        if words is None or words.dim < self.parallel or not words.sums_factors:
            return []
        if self._takes_all_points():
            return []
        numbers: dict[tuple[int, ...], int] = {}
        keys = [self._key_of_factors(at) for at in positions]
        return [numbers.setdefault(key, len(numbers)) for key in keys]

    def _takes_all_points(self) -> bool:
        """Return whether the points of the loops are those of the starts of the sums."""
        if self.subdomain.points not in self.starts or self.fill_dim is not None:
            return self.subdomain.points in self.starts
        return all(map(self._is_known_outside, self.subdomain.bounds.clamps))

    def _is_known_outside(self, clamp: IndexClamp) -> bool:
        """Return whether a loop has the same limits at all positions of the nest."""
        return clamp.base.terms.keys() <= set(self.box.varying)

    def _is_clamped(self, dim: int) -> bool:
        return bool(self.subdomain.clamps(dim))

    def _key_of_factors(self, at: BlockOffsets) -> tuple[int, ...]:
        return tuple(distance(form, at) for form in self.factors.index)

    def _clamps_begin(self, dim: int) -> bool:
        """Return whether limits of loops are known from the loop over a dimension on."""
        clamps = [c for d in range(self.parallel, self.dims) for c in self.subdomain.clamps(d)]
        return any(max(clamp.base.terms, default=-1) == dim for clamp in clamps)

    def _axes_known_in(self, dim: int) -> list[tuple[Linear[int], int]]:
        """Return the axes that clamp loops, and do so in the same way in the loop over `dim`.

        Without a dimension that is filled, these are those that the start of a box clamps.
        """
        reduced = range(self.parallel, self.dims)
        if self.fill_dim is None:
            known = {*(d for d in self.box.varying if d <= dim), *reduced}
        else:
            known = {*range(dim + 1), *reduced} - {self.fill_dim}
        return [(form, size) for form, size in self.axes if form.terms.keys() <= known]

    def _start_sums(
        self, clamping: list[tuple[Linear[int], int]], counters: Sequence[range]
    ) -> _Starts:
        """Return what the sums of this block begin with, where the axes clamp the loops.

        That is the value of `init`, plus the offset times the sum of the second factors.
        """
        words, wanted, before = words_of(self.op), self.op.blocks, self.ins
        assert wanted is not None, "hoisted sums have blocks"
        assert self.factor_dims is not None, "hoisted sums have dimensions"
        loaded, init = _Loaded(), self.op.init.blocks[0]
        blocks = [
            wanted[d] if d >= self.parallel else own if d in self.factor_dims else 1
            for d, own in enumerate(self.subdomain.blocks)
        ]
        self.ins, self.sums_only_factors = [self.factors], True
        subdomain = Subdomain(
            [*self.factors.axes(), *clamping],
            counters,
            blocks,
            self.parallel,
            (),
            words=words,
        )
        found: _Starts = {}

        def emit() -> None:
            positions = self._positions()
            zeros = [scalar.scalar_constant(0, scalar.i32()) for _ in positions]
            totals = self._reduction_loop(self.parallel, {}, zeros, loaded)
            for at, total in zip(positions, totals, strict=True):
                (start,) = cloned(init, self._params(init, 0, at, loaded))
                found[self._key_of_factors(at)] = with_offset(start, total, self.offset)

        # The positions are not known here, so that indices computed here are not those of a block.
        outside, self.counters = self.counters, self.counters.copy()
        self._with(subdomain, emit)
        self.ins, self.sums_only_factors = before, False
        self.counters = outside
        return found

    def _add_factors(
        self, step: BlockOffsets, sums: list[ir.Value], loaded: _Loaded, lanes: int
    ) -> list[ir.Value]:
        """Add the elements of the second operand to the sum of each position."""
        found: list[ir.Value] = []
        for total, position in zip(sums, self._positions(), strict=True):
            word = self._load(self.ins[0], {**position, **step}, loaded, lanes)
            found.append(add_elements(total, word))
        return found

    def _positions(self) -> list[BlockOffsets]:
        """Return the positions of the block; those of the first dimensions change fastest.

        So the elements that only the last dimensions select, such as weights, are loaded one after
        the other and need one register.
        """
        blocks, lanes = self.subdomain.blocks, self.subdomain.lanes
        blocked = [d for d in range(self.parallel) if blocks[d] > 1]
        steps = {lanes.dim: lanes.count} if lanes is not None and lanes.has_sums else {}
        ranges = [range(0, blocks[d], steps.get(d, 1)) for d in reversed(blocked)]
        return [dict(zip(reversed(blocked), at, strict=True)) for at in product(*ranges)]

    def _params(
        self, block: ir.Block, first: int, at: BlockOffsets, loaded: _Loaded
    ) -> list[ir.Value | None]:
        arguments = list(block.arguments)[first:]
        return self._load_used(self.params, arguments, at, loaded)

    def _reduction_loop(
        self, dim: int, at: BlockOffsets, sums: list[ir.Value], loaded: _Loaded
    ) -> list[ir.Value]:
        if dim == self.dims:
            return self._bodies(at, sums, loaded)
        if dim in self.box.fixed:
            return self._reduction_loop(dim + 1, at, sums, loaded)
        if dim == self.innermost and not self._is_clamped(dim):
            ins, self.ins = self.ins, [self._windowed(access, at) for access in self.ins]
            found = self._steps_or_loop(dim, at, sums, loaded)
            self.ins = ins
            return found
        return self._steps_or_loop(dim, at, sums, loaded)

    def _windowed(self, access: BlockOperand, at: BlockOffsets) -> BlockOperand:
        """Return an operand from the first element of the innermost loop on, for points `at`.

        So in C the loop has one pointer per operand and row, and constant distances.
        """
        forms = access.inside
        if self.fill_dim is not None and access.number == 0 and self.subdomain.bounds.clamps:
            return access
        negative = any(factor < 0 for form in forms for factor in form.terms.values())
        if negative or any(form.factor(self.innermost) for form in access.row):
            return access
        inner, first = self.innermost, self.subdomain.counters[self.innermost].start
        bases = [(self.counters.value(f.kept(self._is_outside)), f.factor(inner)) for f in forms]
        offsets = [scalar.add_constant(base, factor * first) for base, factor in bases]
        sizes = [self._reach(form) for form in forms]
        keys = dict.fromkeys(access.distances({**own, **at}) for own in self._positions())
        memories = self.memories[access.number]
        windows = {
            key: memref.subview(memories[key], offsets, sizes, [1] * len(sizes)) for key in keys
        }
        return access.with_windows(windows, first)

    def _is_outside(self, dim: int) -> bool:
        return dim != self.innermost

    def _reach(self, form: Linear[int]) -> int:
        """Return how many elements of an axis one block reads in the innermost loop."""
        points = self.subdomain.counters[self.innermost]
        spans = [
            factor * ((len(points) if d == self.innermost else self.subdomain.blocks[d]) - 1)
            for d, factor in form.terms.items()
        ]
        return 1 + sum(spans)

    def _steps_or_loop(
        self, dim: int, at: BlockOffsets, sums: list[ir.Value], loaded: _Loaded
    ) -> list[ir.Value]:
        if self._is_clamped(dim):
            return self._loop_of_steps(dim, self.limits.of_dim(dim), at, sums, loaded)
        block, points = self.subdomain.blocks[dim], self.subdomain.counters[dim]
        size, begin = len(points), _index(points.start)
        if size // block == 1:
            self.counters.enter(dim, begin)
            self._take_rows(dim)
            return self._steps(dim, size, at, sums, loaded)
        whole = points.start + size // block * block
        sums = self._loop_of_steps(dim, (begin, _index(whole)), at, sums, loaded)
        if whole == points.stop:
            return sums
        outside, self.counters = self.counters, self.counters.copy()
        self.counters.enter(dim, _index(whole))
        sums = self._steps(dim, points.stop - whole, at, sums, dict(loaded))
        self.counters = outside
        return sums

    def _loop_of_steps(
        self,
        dim: int,
        ends: tuple[ir.Value, ir.Value],
        at: BlockOffsets,
        sums: list[ir.Value],
        loaded: _Loaded,
    ) -> list[ir.Value]:
        block, (begin, end) = self.subdomain.blocks[dim], ends
        loop = scf.ForOp(begin, end, _index(block), sums)
        outside, memories = self.counters, self.memories
        with ir.InsertionPoint(loop.body):
            self.counters = outside.copy()
            self.counters.enter(dim, loop.induction_variable)
            self._take_rows(dim)
            inner = list(loop.inner_iter_args)
            scf.YieldOp(self._steps(dim, block, at, inner, dict(loaded)))
        self.counters, self.memories = outside, memories
        return list(loop.results)

    def _steps(
        self, dim: int, count: int, at: BlockOffsets, sums: list[ir.Value], loaded: _Loaded
    ) -> list[ir.Value]:
        words = self.subdomain.words
        lanes = words.lanes if words is not None and words.dim == dim else 1
        whole = count // lanes * lanes if lanes > 1 else 0
        for step in range(0, whole, lanes):
            sums = self._dots({**at, dim: step}, sums, loaded, lanes)
        if lanes > 1 and words is not None and count - whole >= words.fewest:
            sums = self._dots({**at, dim: whole}, sums, loaded, count - whole)
            whole = count
        for step in range(whole, count):
            sums = self._reduction_loop(dim + 1, {**at, dim: step}, sums, loaded)
        return sums

    def _dots(
        self, step: BlockOffsets, sums: list[ir.Value], loaded: _Loaded, lanes: int
    ) -> list[ir.Value]:
        """Add the products of words of some elements to the sum of each position.

        Along a parallel dimension a position has a lane of the word that contains it.
        """
        words = self.subdomain.words
        assert words is not None, "the subdomain has words"
        if self.sums_only_factors:
            return self._add_factors(step, sums, loaded, lanes)
        found: list[ir.Value] = []
        positions = self._positions()
        factors = {g: sums[len(positions) + g] for g in self._groups(positions)}
        for total, position in zip(sums, positions, strict=False):
            at, lane = {**position, **step}, None
            if words.dim < self.parallel:
                lane = at[words.dim] % words.lanes
                at[words.dim] -= lane
            one, other = (self._word(access, at, loaded, lanes) for access in self.ins)
            found.append(add_products(total, one, other, words, lane))
        for group, position in zip(self._groups(positions), positions, strict=False):
            if group in factors:
                word = self._load(self.ins[1], {**position, **step}, loaded, lanes)
                found.append(add_elements(factors.pop(group), word))
        return found

    def _bodies(self, step: BlockOffsets, sums: list[ir.Value], loaded: _Loaded) -> list[ir.Value]:
        words, vectors = self.subdomain.words, self.subdomain.lanes
        if self.sums_only_factors:
            # Behind words, the body adds the offset to single elements.
            return self._add_single_factors(step, sums, loaded) if self.has_elements else sums
        if vectors is not None and vectors.has_sums:
            return self._multiply_add(vectors, step, sums, loaded)
        if words is not None and words.dim < self.parallel:
            return self._dots(step, sums, loaded, words.lanes)
        if self.has_elements and self._takes_all_points():
            return self._add_single_products(step, sums, loaded)
        body = self.op.body.blocks[0]
        arguments = list(body.arguments)[self.sums :]
        found: list[ir.Value] = []
        for number, position in enumerate(self._positions()):
            own = sums[number * self.sums : (number + 1) * self.sums]
            elements = self._load_used(self.ins, arguments, {**position, **step}, loaded)
            found += cloned(body, [*own, *elements])
        return [*found, *sums[len(found) :]]

    def _add_single_factors(
        self, step: BlockOffsets, sums: list[ir.Value], loaded: _Loaded
    ) -> list[ir.Value]:
        """Add an element of the second operand to the sum of each position."""
        return [
            arith.AddIOp(total, self._widened(self.factors, {**position, **step}, loaded)).result
            for total, position in zip(sums, self._positions(), strict=True)
        ]

    def _add_single_products(
        self, step: BlockOffsets, sums: list[ir.Value], loaded: _Loaded
    ) -> list[ir.Value]:
        """Add a product to the sum of each position, without the offset, which its start has."""
        found: list[ir.Value] = []
        for total, position in zip(sums, self._positions(), strict=True):
            at = {**position, **step}
            one, other = (self._widened(access, at, loaded) for access in self.ins)
            # With the start, a sum of some products may wrap around; that of all does not.
            found.append(arith.AddIOp(total, scalar.multiply(one, other)).result)
        return found

    def _widened(self, access: BlockOperand, at: BlockOffsets, loaded: _Loaded) -> ir.Value:
        """Return an element in 32 bits."""
        return self._loaded(
            access, at, loaded, "widened", lambda m, i: scalar.widen(_load_element(m, i))
        )

    # ---- Elements --------------------------------------------------------------------------------

    def _load_used(
        self,
        accesses: Sequence[BlockOperand],
        arguments: Sequence[ir.Value],
        at: BlockOffsets,
        loaded: _Loaded,
    ) -> list[ir.Value | None]:
        """Load one element for each argument that has uses, unless a register holds it."""
        return [
            self._load(access, at, loaded) if any(True for _ in argument.uses) else None
            for access, argument in zip(accesses, arguments, strict=True)
        ]

    def _load(
        self, access: BlockOperand, at: BlockOffsets, loaded: _Loaded, lanes: int | None = None
    ) -> ir.Value:
        if lanes is None:
            return self._loaded(access, at, loaded, "", _load_element)
        name = f"{lanes} elements"
        return self._loaded(access, at, loaded, name, lambda m, i: load_word(m, i, lanes))

    def _loaded(
        self, access: BlockOperand, at: BlockOffsets, loaded: _Loaded, name: str, load: _Loader
    ) -> ir.Value:
        """Return what a loader of this name loads at a position, unless a register holds it."""
        key = (access.number, name, tuple((form, distance(form, at)) for form in access.index))
        if key not in loaded:
            loaded[key] = load(self._memory(access, at), self._index(access, at))
        return loaded[key]

    def _memory(self, access: BlockOperand, at: BlockOffsets) -> ir.Value:
        memories = self.memories[access.number] if access.windows is None else access.windows
        return memories[access.distances(at)]

    def _is_filled(self, access: BlockOperand) -> bool:
        """Return whether elements of an operand may be outside, and get the value of no factor."""
        if self.fill_dim is None or access.number > 0 or len(self.ins) == 1:
            return False
        return any(c.base.factor(self.fill_dim) for c in self.subdomain.bounds.clamps)

    def _word(
        self, access: BlockOperand, at: BlockOffsets, loaded: _Loaded, lanes: int
    ) -> ir.Value:
        if not self._is_filled(access):
            return self._load(access, at, loaded, lanes)
        axes, words, x = access.axes()[len(access.row) :], self.subdomain.words, self.fill_dim
        assert words is not None and x is not None, "elements are filled in words"
        counters = self.subdomain.counters
        may_leave = [form.factor(x) and _may_leave(form, size, counters) for form, size in axes]

        def load(memory: ir.Value, index: list[ir.Value]) -> ir.Value:
            sizes = [size if own else None for (_, size), own in zip(axes, may_leave, strict=True)]
            return load_filled(memory, index, sizes, (lanes, -words.offset))

        return self._loaded(access, at, loaded, f"{lanes} filled", load)

    def _index(self, access: BlockOperand, at: BlockOffsets) -> list[ir.Value]:
        forms = access.inside
        if access.windows is not None:
            inner = Linear.of(self.innermost)
            forms = [inner.times(form.factor(self.innermost)) for form in forms]
        first = {self.innermost: -access.first}
        distances = [distance(form, at) + distance(form, first) for form in access.inside]
        return [
            scalar.add_constant(self.counters.value(form), distance)
            for form, distance in zip(forms, distances, strict=True)
        ]


def _access_of(op: accel.ReduceOp, number: int, value: ir.Value, box: BoxLoops) -> BlockOperand:
    forms = [f for f in linear_of_map(ir.AffineMapAttr(op.maps[number]).value) if f is not None]
    return BlockOperand(number, value, [form.at(box.fixed) for form in forms])


def _may_leave(form: Linear[int], size: int, counters: Sequence[range]) -> bool:
    low, high = form.extremes(lambda d: (counters[d][0], counters[d][-1]))
    return low < 0 or high >= size


def _load_element(memory: ir.Value, index: list[ir.Value]) -> ir.Value:
    return memref.LoadOp(memory, index).result


def _index(value: int) -> ir.Value:
    return scalar.scalar_constant(value, ir.IndexType.get())
