"""The tiler's output, and its cost: what is moved, how often, and what the pools must hold."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from forebay.regions import Box, Span, cuts, tiles
from forebay.tiling.contiguous import outer_axes
from forebay.tiling.problem import TilingProblem
from forebay.tiling.tiles_of_operand import OperandTiles


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

    def tiles(self, domain: Box) -> Iterator[Box]:
        """Yield the tiles of the domain in the order in which they are computed."""
        rest = [d for d in range(len(self.sizes)) if d not in self.order]
        return tiles(domain, self.sizes, (*self.order, *rest))


class TilingCosts:
    """Costs of the tilings of one problem."""

    def __init__(self, problem: TilingProblem) -> None:
        nest = problem.nest
        extents = nest.domain.sizes
        self.problem = problem
        self.extents = extents
        self._inputs = [
            OperandTiles(access, storage, extents)
            for access, storage in zip(nest.inputs, problem.inputs, strict=True)
        ]
        self._outputs = [
            OperandTiles(access, storage, extents)
            for access, storage in zip(nest.outputs, problem.outputs, strict=True)
        ]
        self._scratch = [
            OperandTiles(scratch.access, scratch.storage, extents) for scratch in problem.scratch
        ]

    @cached_property
    def stayings(self) -> tuple[frozenset[int], ...]:
        """The sets of inputs that may stay as a whole."""
        able = [
            n for n, s in enumerate(self.problem.inputs) if s.may_stay and s.transfer is not None
        ]
        subsets = (itertools.combinations(able, count) for count in range(len(able) + 1))
        return tuple(map(frozenset, itertools.chain.from_iterable(subsets)))

    def active(self, sizes: Sequence[int]) -> tuple[int, ...]:
        """Return the dimensions with more than one tile."""
        return tuple(d for d, (e, s) in enumerate(zip(self.extents, sizes, strict=True)) if s < e)

    def usage(
        self, sizes: Sequence[int], order: Sequence[int], staying: frozenset[int]
    ) -> Mapping[str, int]:
        """Return the bytes of each pool."""
        used = Counter({name: 0 for name, _ in self.problem.pools})
        for number, operand in enumerate((*self._inputs, *self._outputs)):
            if operand.storage.transfer is not None:
                own = operand.whole_bytes if number in staying else operand.slot_bytes(sizes)
                used[operand.storage.pool] += own
        self._add_scratch(used, sizes)
        if self._accumulates(sizes):
            cut = self.cut_reduction(sizes)
            inside = order[min(map(order.index, cut)) :] if cut else ()
            self._add_accumulators(used, sizes, inside)
        return used

    def least_usage(self, sizes: Sequence[int]) -> Mapping[str, int]:
        """Return the bytes of each pool in the best order, with the best inputs staying."""
        used = Counter({name: 0 for name, _ in self.problem.pools})
        for operand in (*self._inputs, *self._outputs):
            if operand.storage.transfer is not None:
                own = operand.slot_bytes(sizes)
                whole = operand.whole_bytes if operand.storage.may_stay else own
                used[operand.storage.pool] += min(own, whole)
        self._add_scratch(used, sizes)
        if self._accumulates(sizes):
            self._add_accumulators(used, sizes, ())
        return used

    def _add_scratch(self, used: Counter[str], sizes: Sequence[int]) -> None:
        for scratch in self._scratch:
            used[scratch.storage.pool] += scratch.slot_bytes(sizes)

    def _accumulates(self, sizes: Sequence[int]) -> bool:
        always = self.problem.always_accumulates and self.problem.accumulators is not None
        return always or bool(self.cut_reduction(sizes))

    def _add_accumulators(
        self, used: Counter[str], sizes: Sequence[int], inside: Sequence[int]
    ) -> None:
        """Add the accumulators of all tiles inside of the outermost loop over the reduction."""
        kept = self.problem.accumulators
        assert kept is not None
        held = [
            Counter(span.size for span in cuts(Span(0, e), s)) if d in inside else Counter([s])
            for d, (e, s) in enumerate(zip(self.extents, sizes, strict=True))
        ][: len(self.problem.nest.parallel)]
        for tile in itertools.product(*(counter.items() for counter in held)):
            size = kept.bytes(tuple(s for s, _ in tile), self.problem.accumulator_bits)
            used[kept.pool] += size * kept.slots * math.prod(number for _, number in tile)

    def cut_reduction(self, sizes: Sequence[int]) -> tuple[int, ...]:
        """Return the reduction dimensions with more than one tile."""
        return tuple(d for d in self.active(sizes) if d >= len(self.problem.nest.parallel))

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

    def fits(self, usage: Mapping[str, int]) -> bool:
        """Return whether the pools have these bytes."""
        return all(usage[name] <= free for name, free in self.problem.pools)

    def call_cycles(self, sizes: Sequence[int]) -> tuple[int, int]:
        """Return the cycles of all calls, and their number."""
        by_dimension = [
            Counter(span.size for span in cuts(Span(0, e), s)).items()
            for e, s in zip(self.extents, sizes, strict=True)
        ]
        cycles = count = 0
        for tile in itertools.product(*by_dimension):
            runs, own = self._runs(tuple(size for size, _ in tile))
            times = runs * math.prod(number for _, number in tile)
            cycles += times * self.problem.calls.cycles(own)
            count += times
        return cycles, count

    def _runs(self, sizes: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
        """Return how many calls compute a tile, and the sizes of the part of each."""
        split: set[int] = set()
        pairs = zip(self.problem.outputs, self.problem.nest.outputs, strict=True)
        for storage, access in pairs:
            if storage.contiguous and storage.transfer is None:
                own = [d for expression in access.index for d in expression.dimensions]
                outer = outer_axes([sizes[d] for d in own], access.shape)
                split.update(own[:outer])
        runs = math.prod(sizes[d] for d in split)
        return runs, tuple(1 if d in split else size for d, size in enumerate(sizes))

    def transfers(
        self, sizes: Sequence[int], order: Sequence[int], staying: frozenset[int]
    ) -> Iterator[tuple[int, int]]:
        """Yield the bytes moved and the number of transfers of each input and output.

        A tile of an input is loaded when it is another one than before: the loops inside of the
        innermost loop that it depends on find it there. An output is stored once.
        """
        trips = [-(-e // s) for e, s in zip(self.extents, sizes, strict=True)]
        for number, operand in enumerate((*self._inputs, *self._outputs)):
            if operand.storage.transfer is None:
                yield 0, 0
                continue
            if number in staying:
                yield operand.moved_bytes(self.extents), 1
                continue
            own = [d for d in order if d in operand.dimensions]
            tiles_of_it = math.prod(trips[d] for d in own)
            around = 1
            if number < len(self._inputs) and own:
                outer = order[: max(map(order.index, own))]
                around = math.prod(trips[d] for d in outer if d not in operand.dimensions)
            yield operand.moved_bytes(sizes) * around, tiles_of_it * around

    def tiling(
        self,
        sizes: tuple[int, ...],
        order: tuple[int, ...],
        staying: frozenset[int],
        calls: tuple[int, int],
    ) -> LoopTiling:
        """Return a tiling with its cost; `calls` are the cycles and the number of the calls."""
        found = list(self.transfers(sizes, order, staying))
        cycles, count = calls
        return LoopTiling(
            sizes,
            order,
            staying,
            self.total_cycles(found, cycles),
            tuple(moved for moved, _ in found),
            count,
            tuple(sorted(self.usage(sizes, order, staying).items())),
        )

    def total_cycles(self, transfers: Sequence[tuple[int, int]], call_cycles: int) -> int:
        """Return the cycles of the busiest queue, or of all queues if they do not overlap."""
        queues = Counter({self.problem.calls.queue: call_cycles})
        moved: Counter[tuple[str, int]] = Counter()
        for operand, (size, count) in zip((*self._inputs, *self._outputs), transfers, strict=True):
            cost = operand.storage.transfer
            if cost is not None:
                queues[cost.queue] += count * cost.latency
                moved[cost.queue, cost.bytes_per_cycle] += size
        for (queue, bandwidth), size in moved.items():
            queues[queue] += -(-size // bandwidth)
        return max(queues.values()) if self.problem.overlaps else sum(queues.values())
