"""The tiler's output, and its cost: what is moved, how often, and what the pools must hold."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from forebay.regions import Span, cuts
from forebay.tiling.call_costs import CallCosts
from forebay.tiling.end_tiles import EndTiles, spans_with_ends
from forebay.tiling.problem import TileStorage, TilingProblem, TransferCost
from forebay.tiling.tiles_of_operand import OperandTiles

Moves = tuple[int, int]
"""The bytes that are moved for an operand, and the number of its transfers."""


@dataclass(frozen=True)
class LoopTiling:
    """Tile sizes per dimension, and the loops over tiles from the outermost to the innermost.

    Dimensions in one tile are not in `order`. The inputs in `staying` are loaded once as a whole.
    `moved` has the bytes of each input and output; `calls` is the number of calls, which is that of
    tiles except where tiles are written by contiguous runs; `usage` has the bytes of each pool.
    """

    sizes: tuple[int, ...]
    order: tuple[int, ...]
    staying: frozenset[int]
    cycles: int
    moved: tuple[int, ...]
    calls: int
    usage: tuple[tuple[str, int], ...]
    ends: EndTiles = field(default_factory=EndTiles)
    """Smaller tiles at the ends of the innermost loop; `moved` and `calls` are without them."""

    def spans(
        self,
        depth: int,
        span: Span,
        multiple: int,
        *,
        is_first: bool = False,
        is_last: bool = False,
    ) -> list[Span]:
        """Return the tiles of the loop at a depth of `order` along a span.

        `is_first` and `is_last` say whether the loops around are at their first and last tile.
        """
        size = self.sizes[self.order[depth]]
        if depth < len(self.order) - 1 or not (is_first or is_last):
            return list(cuts(span, size))
        ends = EndTiles(self.ends.first if is_first else (), self.ends.last if is_last else ())
        return spans_with_ends(span, size, ends, multiple)


class TilingCosts:
    """Costs of the tilings of one problem."""

    def __init__(self, problem: TilingProblem) -> None:
        nest = problem.nest
        extents = nest.domain.sizes
        self.problem = problem
        self.extents = extents
        self.calls = CallCosts(problem)
        pairs = [
            *zip(nest.inputs, problem.inputs, strict=True),
            *zip(nest.outputs, problem.outputs, strict=True),
            *((scratch.access, scratch.storage) for scratch in problem.scratch),
        ]
        all_tiles = [OperandTiles(access, storage, extents) for access, storage in pairs]
        count = len(nest.inputs) + len(nest.outputs)
        self.operands, scratch = all_tiles[:count], all_tiles[count:]
        # Operands that are in their pool as a whole take no bytes of those that are free.
        self._stored = [
            (number, operand)
            for number, operand in enumerate(self.operands)
            if operand.storage.transfer is not None
        ] + [(-1, operand) for operand in scratch]
        self._free = dict(problem.pools)
        self._queues = [problem.calls.queue]
        self._rates: list[tuple[int, int]] = []
        self._transfers = [
            (number, *self._rate(operand.storage.transfer))
            for number, operand in enumerate(self.operands)
            if operand.storage.transfer is not None
        ]

    def _rate(self, cost: TransferCost) -> tuple[int, int, int]:
        """Return the queue of a transfer, its latency, and its queue with its bandwidth.

        Both are numbers: of `_queues` and of `_rates`. The bytes of a rate are rounded up together.
        """
        if cost.queue not in self._queues:
            self._queues.append(cost.queue)
        queue = self._queues.index(cost.queue)
        rate = (queue, cost.bytes_per_cycle)
        if rate not in self._rates:
            self._rates.append(rate)
        return queue, cost.latency, self._rates.index(rate)

    def stayings(self, sizes: Sequence[int]) -> list[frozenset[int]]:
        """Return the sets of inputs that may stay as a whole, of those for which it differs."""
        cut = frozenset(self.active(sizes))
        able = [
            n
            for n, s in enumerate(self.problem.inputs)
            if s.may_stay
            and s.transfer is not None
            and (s.slots > 1 or cut & self.operands[n].dimensions)
        ]
        subsets = (itertools.combinations(able, count) for count in range(len(able) + 1))
        return [frozenset(subset) for subset in itertools.chain.from_iterable(subsets)]

    def active(self, sizes: Sequence[int]) -> tuple[int, ...]:
        """Return the dimensions with more than one tile."""
        return tuple([d for d, (e, s) in enumerate(zip(self.extents, sizes, strict=True)) if s < e])

    def usage(
        self, sizes: Sequence[int], order: Sequence[int], staying: frozenset[int]
    ) -> dict[str, int]:
        """Return the bytes of each pool; without an order, those of accumulators at the least."""
        used = dict.fromkeys(self._free, 0)
        for number, operand in self._stored:
            size = operand.whole_bytes if number in staying else operand.slot_bytes(sizes)
            used[operand.storage.pool] += size
        kept = self.problem.accumulators
        if kept is not None and (cut := self._accumulates(sizes)) is not None:
            inside = order[min(map(order.index, cut)) :] if cut and order else ()
            used[kept.pool] += self._accumulators(kept, sizes, inside)
        return used

    def slots(
        self, sizes: Sequence[int], order: Sequence[int], staying: frozenset[int]
    ) -> dict[str, list[int]]:
        """Return the bytes of each slot by pool; those of accumulators together."""
        found: dict[str, list[int]] = {name: [] for name in self._free}
        for number, operand in self._stored:
            stays = number in staying
            size = operand.whole_bytes if stays else operand.tile_bytes(sizes)
            found[operand.storage.pool] += [size] * (1 if stays else operand.storage.slots)
        for name, used in self.usage(sizes, order, staying).items():
            if used > sum(found[name]):
                found[name].append(used - sum(found[name]))
        return found

    def least_usage(self, sizes: Sequence[int]) -> dict[str, int]:
        """Return the bytes of each pool in the best order, with the best inputs staying."""
        used = dict.fromkeys(self._free, 0)
        for _, operand in self._stored:
            used[operand.storage.pool] += operand.least_bytes(sizes)
        kept = self.problem.accumulators
        if kept is not None and self._accumulates(sizes) is not None:
            used[kept.pool] += self._accumulators(kept, sizes, ())
        return used

    def _accumulates(self, sizes: Sequence[int]) -> tuple[int, ...] | None:
        """Return the reduction dimensions with more than one tile; None if no sums are kept."""
        outer = len(self.problem.nest.parallel)
        cut = tuple([d for d in range(outer, len(sizes)) if sizes[d] < self.extents[d]])
        return cut if cut or self.problem.always_accumulates else None

    def _accumulators(self, kept: TileStorage, sizes: Sequence[int], inside: Sequence[int]) -> int:
        """Return the bytes for all tiles inside of the outermost loop over the reduction."""
        held = [
            self.calls.sizes_along(d, sizes[d]) if d in inside else ((sizes[d], 1),)
            for d in range(len(self.problem.nest.parallel))
        ]
        total = 0
        for tile in itertools.product(*held):
            own = kept.bytes(tuple([s for s, _ in tile]), self.problem.accumulator_bits)
            total += own * math.prod([number for _, number in tile])
        return total * kept.slots

    @cached_property
    def smallest(self) -> tuple[tuple[int, ...], ...]:
        """The smallest tiles, with the reduction cut and with all of it.

        Every tiling uses at least as many bytes of each pool as one of them: bytes grow with sizes,
        except that accumulators may be needed only if the reduction is cut.
        """
        choices = [self.problem.sizes_of(d) for d in range(len(self.extents))]
        cut = tuple(sizes[-1] for sizes in choices)
        outer = len(self.problem.nest.parallel)
        whole = (*cut[:outer], *self.extents[outer:])
        pairs = list(zip(choices, self.extents, strict=True))[outer:]
        may_be_whole = all(sizes[0] == extent for sizes, extent in pairs)
        return (cut, whole) if may_be_whole and whole != cut else (cut,)

    def grows_from(self, dimension: int, size: int) -> bool:
        """Return whether smaller tiles than of this size in a dimension take no more bytes.

        They may take more bytes than those with all of a reduction: accumulators.
        """
        return dimension < len(self.problem.nest.parallel) or size < self.extents[dimension]

    def fits(self, usage: Mapping[str, int]) -> bool:
        """Return whether the pools have these bytes."""
        return all(used <= self._free[name] for name, used in usage.items())

    def least_moves(self, sizes: Sequence[int]) -> list[Moves]:
        """Return what no order of the loops moves less than, per input and output."""
        return [(operand.least_moved(sizes), 0) for operand in self.operands]

    def moves(self, sizes: Sequence[int], order: Sequence[int]) -> list[Moves]:
        """Return what is moved for each input and output if no input stays.

        A tile of an input is loaded when it is another one than before: the loops inside of the
        innermost loop that it depends on find it there. An output is stored once.
        """
        trips = {d: -(-self.extents[d] // sizes[d]) for d in order}
        found: list[Moves] = []
        for number, operand in enumerate(self.operands):
            if operand.storage.transfer is None:
                found.append((0, 0))
                continue
            order_of_operand = [d for d in order if d in operand.dimensions]
            tiles_of_it = math.prod([trips[d] for d in order_of_operand])
            around = 1
            if number < len(self.problem.inputs) and order_of_operand:
                outer = order[: order.index(order_of_operand[-1])]
                around = math.prod([trips[d] for d in outer if d not in operand.dimensions])
            found.append((operand.moved_cost(sizes) * around, tiles_of_it * around))
        return found

    def with_staying(self, moves: Sequence[Moves], staying: frozenset[int]) -> list[Moves]:
        """Return the moves with some inputs loaded once as a whole."""
        found = list(moves)
        for number in staying:
            found[number] = (self.operands[number].whole_moved_cost, 1)
        return found

    def least_of(self, moves: Sequence[Moves], able: frozenset[int]) -> list[Moves]:
        """Return moves that are not above those with any of these inputs staying."""
        found = list(moves)
        for number in able:
            size, count = moves[number]
            found[number] = (min(size, self.operands[number].whole_moved_cost), min(count, 1))
        return found

    @property
    def queues(self) -> int:
        """The number of queues."""
        return len(self._queues)

    def transfer_of(self, operand: int, size: int) -> tuple[int, int] | None:
        """Return the queue that moves a tile of an operand, and the cycles; None if nothing does.

        That of the calls is the queue 0. The tile has `size` bytes.
        """
        for number, queue, latency, rate in self._transfers:
            if number == operand:
                return queue, latency + -(-size // self._rates[rate][1])
        return None

    def least_cycles(self, moves: Sequence[Moves], call_cycles: int) -> int:
        """Return the cycles of all queues, or of the busiest one if they overlap."""
        cycles = self._queue_cycles(moves, call_cycles)
        return max(cycles) if self.problem.overlaps else sum(cycles)

    def total_cycles(
        self,
        moves: Sequence[Moves],
        call_cycles: int,
        tiles: int = 1,
        staying: frozenset[int] = frozenset(),
    ) -> int:
        """Return the cycles of all queues, or of the busiest one if they overlap, and of the ends.

        At the ends, the first tile is loaded before anything is computed, and the last one stored
        when nothing is left to compute: the other queues work alone for one of the tiles. Inputs
        that stay are loaded as a whole before the first call: constants beside the operator before,
        others when it has computed them.
        """
        cycles = self._queue_cycles(moves, call_cycles)
        if not self.problem.overlaps:
            return sum(cycles)
        least = max(*cycles, self._loading_cycles(moves, staying) + call_cycles)
        return least + max(0, sum(cycles) - least) // tiles

    def _loading_cycles(self, moves: Sequence[Moves], staying: frozenset[int]) -> int:
        """Return the cycles in which the queues load the computed inputs that stay."""
        computed = [n for n in staying if not self.problem.inputs[n].is_constant]
        if not computed:
            return 0
        own = [moved if n in computed else (0, 0) for n, moved in enumerate(moves)]
        return max(self._queue_cycles(own, 0))

    def _queue_cycles(self, moves: Sequence[Moves], call_cycles: int) -> list[int]:
        cycles = [0] * len(self._queues)
        cycles[0] = call_cycles
        moved = [0] * len(self._rates)
        for number, queue, latency, rate in self._transfers:
            size, count = moves[number]
            cycles[queue] += count * latency
            moved[rate] += size
        for (queue, bandwidth), size in zip(self._rates, moved, strict=True):
            cycles[queue] += -(-size // bandwidth)
        return cycles
