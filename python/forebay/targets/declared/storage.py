"""The pools of the tiles of each operand of a declared intrinsic, and their transfers.

An operand that the trial plan has placed where calls take it is used in place. The others are moved
by the first transfer of the device between both pools. What a tile may be of an operand follows:
its slices are contiguous where calls take them, and blocks of the transfer where it moves them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from forebay.regions import Affine, LoopNest, OperandAccess
from forebay.targets.declared.cuts import (
    TileLimits,
    block_rank,
    choices,
    is_single,
    without_contained,
)
from forebay.targets.declared.group import IntrinsicGroup, source_of
from forebay.targets.declared.operator_call import pools_of_operand
from forebay.targets.description.intrinsic import Operand
from forebay.targets.description.pool import Pool
from forebay.targets.description.transfer import Transfer
from forebay.tiling import TileLimit, TileStorage, TransferCost

DimensionLimits = Sequence[TileLimit]
"""The limits of tiles by dimension."""


@dataclass(frozen=True, eq=False)
class OperandStorages:
    """The storages of the operands of an operator; `operand_pools` has the known pools.

    With `overlaps`, each operand has slots for two tiles, so that one is moved while the other is
    computed on.
    """

    group: IntrinsicGroup
    pools: Sequence[Pool]
    operand_pools: Mapping[str, str | None]

    @property
    def overlaps(self) -> bool:
        """Return whether calls and transfers run in queues of their own."""
        transfers = [self.transfer_of(name) for name in self.group.operands]
        queues = [transfer.queue for transfer in transfers if transfer is not None]
        users = [*queues, self.group.main.queue]
        return bool(queues) and None not in users

    def storage(
        self, name: str, number: int, nest: LoopNest, limits: DimensionLimits
    ) -> TileStorage:
        """Return the storage of the tiles of operand `number` of a nest, inputs first.

        The sizes of tiles have these limits.
        """
        access = (*nest.inputs, *nest.outputs)[number]
        operand = self.group.operands[name]
        transfer = self.transfer_of(name)
        pool = self.pool_of_tiles(operand).name
        if transfer is None:
            return TileStorage(pool, None, contiguous=operand.is_written)
        cost = TransferCost(
            transfer.queue or transfer.name, transfer.latency or 0, transfer.bandwidth or 1
        )
        return TileStorage(
            pool,
            cost,
            alignment=self._alignment(operand),
            slots=2 if self.overlaps else 1,
            may_stay=not operand.is_written
            and _is_used_again(access, nest)
            and self._may_stay(operand, access, limits),
        )

    def transfer_of(self, name: str) -> Transfer | None:
        """Return the transfer that moves tiles of an operand; None if it is used in place."""
        operand, place = self.group.operands[name], self.operand_pools.get(name)
        inside = self._inside(operand)
        if place in inside:
            return None
        for transfer in self.group.device.transfers:
            far, near = transfer.sources, transfer.targets
            if operand.is_written:
                far, near = near, far
            if (place is None or place in far) and set(near) & set(inside):
                return transfer
        return None

    def alternatives(
        self, accesses: Mapping[str, OperandAccess], limits: DimensionLimits, nest: LoopNest
    ) -> list[TileLimits]:
        """Return limits of dimensions so that calls and transfers take the operands' slices.

        A transfer moves blocks up to its rank, and an operand in place is used in one run. The
        parts of a slice begin at rows of the pool, and have whole granules of the transfer. There
        are several limits if the rank of a transfer leaves a choice, and none if no tile is left.
        """
        extents = nest.domain.sizes
        ranks: dict[OperandAccess, int] = {}
        for name, access in accesses.items():
            rank = self._rank(name)
            if rank is not None:
                ranks[access] = min(rank, ranks.get(access, rank))
        found: list[TileLimits] = []
        for choice in choices(ranks, limits, extents):
            own = choice
            for name, access in accesses.items():
                own = self._aligned(name, access, own, nest)
            fits = all(block_rank(access, own, extents) <= rank for access, rank in ranks.items())
            if fits and all(own[d].sizes(extents[d]) for d in range(len(nest.parallel))):
                found.append(own)
        return without_contained(found, extents)

    def _rank(self, name: str) -> int | None:
        """Return the most dimensions of a slice of an operand; None for runs of a result."""
        transfer = self.transfer_of(name)
        if transfer is None:
            return None if self.group.operands[name].is_written else 1
        return transfer.rank

    def _aligned(
        self, name: str, access: OperandAccess, limits: TileLimits, nest: LoopNest
    ) -> TileLimits:
        """Return limits with which the slices of an operand begin at rows, in whole granules."""
        parallel, extents = len(nest.parallel), nest.domain.sizes
        operand, transfer = self.group.operands[name], self.transfer_of(name)
        found = list(limits)
        if self.group.setter_of(operand) is not None:
            found = _within(self.group.capacity_of(operand), access, found, parallel)
        if transfer is None and operand.is_written:
            return tuple(found)
        granule = 1 if transfer is None else transfer.granule or 1
        is_first = True
        for axis in _long_axes(access):
            index, whole = access.index[axis], access.shape[axis]
            cut = [d for d in index.dimensions if extents[d] > 1 and not found[d].is_whole]
            begins_row = is_first and transfer is not None
            is_first = is_first and is_single(index, whole, found, extents)
            unit = math.lcm(granule, 1 if begins_row else self._unit(operand))
            row = _row_bytes(access, axis)
            step = _step(index, cut, extents)
            may_cut = row * whole % unit == 0 and (step is not None or row % unit == 0)
            for d in index.dimensions:
                limit = found[d]
                if not may_cut:
                    found[d] = TileLimit(limit.multiple, limit.most, is_whole=True)
                elif d in cut:
                    multiple = math.lcm(limit.multiple, unit // math.gcd(unit, row * (step or 1)))
                    found[d] = TileLimit(multiple, limit.most)
        return tuple(found)

    def _may_stay(self, operand: Operand, access: OperandAccess, limits: DimensionLimits) -> bool:
        """Return whether every slice of the whole operand is contiguous and begins at a row."""
        first, *others = (*_long_axes(access), -1)
        if first < 0:
            return True
        inner = (d for axis in others[:-1] for d in access.index[axis].dimensions)
        if not all(limits[dimension].is_whole for dimension in inner):
            return False
        is_cut = any(not limits[d].is_whole for d in access.index[first].dimensions)
        return not is_cut or _row_bytes(access, first) % self._unit(operand) == 0

    def _unit(self, operand: Operand) -> int:
        """Return the bytes that the address of a slice is a multiple of."""
        return math.lcm(self.pool_of_tiles(operand).unit, self._alignment(operand))

    def _alignment(self, operand: Operand) -> int:
        setter = self.group.setter_of(operand)
        return operand.alignment if setter is None else source_of(setter).alignment

    def _inside(self, operand: Operand) -> tuple[str, ...]:
        return pools_of_operand(operand, self.group, self.pools)

    def pool_of_tiles(self, operand: Operand) -> Pool:
        """Return the pool that calls find an operand in."""
        names, transfer = self._inside(operand), self.transfer_of(operand.name)
        place = self.operand_pools.get(operand.name)
        if transfer is not None:
            near = transfer.sources if operand.is_written else transfer.targets
            names = tuple(name for name in names if name in near)
        elif place is not None:
            names = (place,)
        return next(pool for pool in self.pools if pool.name in names)


def _within(
    capacity: int, access: OperandAccess, limits: Sequence[TileLimit], parallel: int
) -> list[TileLimit]:
    """Return the limits with which a tile fits into a register; inner axes are cut last.

    A reduction that stays whole gets its limit, too: with less than its extent it is refused.
    """
    found, room = list(limits), capacity * 8 // access.bits
    for axis in reversed(range(len(access.shape))):
        extent = access.shape[axis]
        if extent > room:
            for dimension in access.index[axis].dimensions:
                limit = found[dimension]
                if limit.is_whole and dimension < parallel:
                    continue
                most = max(room - room % limit.multiple, limit.multiple)
                known = most if limit.most is None else limit.most
                found[dimension] = TileLimit(limit.multiple, min(most, known), limit.is_whole)
        room = max(1, room // extent)
    return found


def _step(index: Affine, cut: Sequence[int], extents: Sequence[int]) -> int | None:
    """Return the positions of an axis that one point of the dimension which cuts it has for itself.

    None for windows, which overlap or begin anywhere.
    """
    factors = dict(index.terms)
    if not index.is_linear or index.constant or len(cut) > 1:
        return None
    reach = sum(abs(f) * (extents[d] - 1) for d, f in factors.items() if d not in cut)
    step = factors[cut[0]] if cut else 1
    return step if step > reach else None


def _is_used_again(access: OperandAccess, nest: LoopNest) -> bool:
    """Return whether tiles along some dimension use the same tile of an operand."""
    used = frozenset[int]().union(*(index.dimensions for index in access.index))
    return any(size > 1 and d not in used for d, size in enumerate(nest.domain.sizes))


def _long_axes(access: OperandAccess) -> list[int]:
    return [axis for axis, size in enumerate(access.shape) if size > 1]


def _row_bytes(access: OperandAccess, axis: int) -> int:
    """Return the bytes of one position of an axis."""
    return math.prod(access.shape[axis + 1 :]) * access.bits // 8
