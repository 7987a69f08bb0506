"""One block of positions: its sums, and the results that are stored."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import memref

from forebay.lowering.blocks.block_sums import BlockSums
from forebay.lowering.blocks.blocked_op import BlockedOp
from forebay.lowering.blocks.cloned import cloned, cloned_on_vectors
from forebay.lowering.blocks.early_sums import EarlySums
from forebay.lowering.blocks.elements import LoadedValues, NestElements
from forebay.lowering.blocks.lanes import (
    Lanes,
    LaneScalar,
    gather_sums,
    load_lanes,
    splat,
    store_floats,
    store_rescaled,
)
from forebay.lowering.blocks.operand import BlockOffsets
from forebay.lowering.blocks.scope import NestScope
from forebay.lowering.blocks.words import totals_of
from forebay.lowering.kernels import scalar


class BlockResults:
    """Computes and stores the results of a block, one by one or in lanes of a vector."""

    def __init__(
        self, blocked: BlockedOp, scope: NestScope, elements: NestElements, early: EarlySums
    ) -> None:
        self._blocked, self._scope, self._elements = blocked, scope, elements
        self._sums = BlockSums(blocked, scope, elements, early)

    def emit(self) -> None:
        """Emit the block at the insertion point, where the counters of all positions are known."""
        lanes, loaded = self._scope.subdomain.lanes, LoadedValues()
        if lanes is not None and lanes.has_sums:
            self._store_vectors(lanes, loaded)
            return
        positions = self._scope.subdomain.positions()
        sums = self._sums.before_totals(positions, loaded)
        if lanes is not None:
            self._store_lanes(lanes, positions, sums, loaded)
            return
        sums = self._sums.totals(positions, sums, loaded)
        finish, count = self._blocked.op.finish.blocks[0], self._scope.limits.count()
        for number, at in enumerate(positions):
            own = sums[number * self._blocked.sums : (number + 1) * self._blocked.sums]
            params = self._elements.params(finish, self._blocked.sums + 1, at, loaded)
            (result,) = cloned(finish, [*own, count, *params])
            memref.StoreOp(result, *self._target(at))

    def _store_vectors(self, lanes: Lanes, loaded: LoadedValues) -> None:
        """Emit a block whose sums are vectors from the beginning."""
        if lanes.requantisation is None:
            self._store_floats(lanes, loaded)
            return
        positions, bias = self._scope.subdomain.positions(), lanes.requantisation.bias
        sums = [self._lane_scalars(bias, lanes, at, loaded) for at in positions]
        sums = self._sums.loop(self._blocked.parallel, {}, sums, loaded)
        for at, own in zip(positions, sums, strict=True):
            self._store_vector(lanes, at, own, loaded)

    def _store_floats(self, lanes: Lanes, loaded: LoadedValues) -> None:
        """Emit a block whose sums are vectors of floats."""
        op, positions = self._blocked.op, self._scope.subdomain.positions()
        type_ = ir.VectorType.get([lanes.count], ir.F32Type.get())
        init, finish = op.init.blocks[0], op.finish.blocks[0]
        sums = [
            value
            for at in positions
            for value in cloned_on_vectors(
                init, self._float_params(init, 0, lanes, at, loaded), type_
            )
        ]
        sums = self._sums.loop(self._blocked.parallel, {}, sums, loaded)
        for at, own in zip(positions, sums, strict=True):
            params = self._float_params(finish, 2, lanes, at, loaded)
            (result,) = cloned_on_vectors(finish, [own, None, *params], type_)
            store_floats(result, *self._target(at))

    def _float_params(
        self, block: ir.Block, first: int, lanes: Lanes, at: BlockOffsets, loaded: LoadedValues
    ) -> list[ir.Value | None]:
        """Return the floats of each used parameter of `init` or `finish`, from argument `first`."""
        return [
            self._elements.floats(access, (lanes.dim, lanes.count), at, loaded)
            if any(True for _ in argument.uses)
            else None
            for access, argument in zip(
                self._blocked.params, list(block.arguments)[first:], strict=True
            )
        ]

    def _store_lanes(
        self,
        lanes: Lanes,
        positions: Sequence[BlockOffsets],
        sums: list[ir.Value],
        loaded: LoadedValues,
    ) -> None:
        """Make vectors of the sums of neighbouring positions, and store these."""
        found = {tuple(sorted(at.items())): own for at, own in zip(positions, sums, strict=True)}
        for at in positions:
            if at[lanes.dim] % lanes.count == 0:
                own = [{**at, lanes.dim: at[lanes.dim] + lane} for lane in range(lanes.count)]
                near = [found[tuple(sorted(each.items()))] for each in own]
                if self._sums.partial_words() is None:
                    vector = gather_sums(near)
                else:
                    starts = self._sums.early_starts(own)
                    if starts is None:
                        assert lanes.requantisation is not None, "integers are requantised"
                        bias = self._lane_scalars(lanes.requantisation.bias, lanes, at, loaded)
                    else:
                        bias = gather_sums(starts)
                    vector = totals_of(near, bias)
                self._store_vector(lanes, at, vector, loaded)

    def _store_vector(
        self, lanes: Lanes, at: BlockOffsets, sums: ir.Value, loaded: LoadedValues
    ) -> None:
        by = lanes.requantisation
        assert by is not None, "integers are requantised"
        multiplier = self._lane_scalars(by.multiplier, lanes, at, loaded)
        shift = self._lane_scalars(by.shift, lanes, at, loaded)
        store_rescaled(sums, (multiplier, shift), self._target(at), by)

    def _target(self, at: BlockOffsets) -> tuple[ir.Value, list[ir.Value]]:
        """Return the memory and the index of the result of a position."""
        out = self._blocked.out
        return self._elements.memory(out, at), self._elements.index(out, at)

    def _lane_scalars(
        self, own: LaneScalar, lanes: Lanes, at: BlockOffsets, loaded: LoadedValues
    ) -> ir.Value:
        """Return a scalar of each lane."""
        if own.param is None:
            value = own.value
            if isinstance(value, int):
                value = scalar.scalar_constant(value, scalar.i32())
            return splat(value, lanes.count, 32)
        access = self._blocked.params[own.param]
        if all(form.factor(lanes.dim) == 0 for form in access.index):
            return splat(self._elements.load(access, at, loaded), lanes.count, 32)
        name = f"{lanes.count} lanes"
        return self._elements.load_by(
            access, at, loaded, name, lambda m, i: load_lanes(m, i, lanes.count)
        )
