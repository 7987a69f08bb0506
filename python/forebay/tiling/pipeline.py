"""The modelled time of the tiles of an operator in overlapping queues, tile by tile.

A tile is loaded when its slot is free again, computed when it is loaded and the slot of its result
is free, and stored then.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from forebay.regions import Span, cuts
from forebay.tiling.end_tiles import EndTiles, shrinking_sizes, spans_with_ends
from forebay.tiling.tiling import TilingCosts

Steps = Sequence[tuple[int, int]]
"""Transfers of a tile: the number of the queue, and the cycles."""

_CALLS = 0
"""The number of the queue of the calls."""


@dataclass(frozen=True)
class TileSteps:
    """The work for a tile: loads, the cycles of its calls, and stores."""

    loads: Steps
    call: int
    stores: Steps


def pipelined_cycles(tiles: Iterable[TileSteps], queues: int, slots: tuple[int, int]) -> int:
    """Return the cycle in which the last queue ends; `slots` are those of inputs and outputs."""
    free = [0] * queues
    called, stored = ([0] * count for count in slots)
    for number, tile in enumerate(tiles):
        slot, out = number % slots[0], number % slots[1]
        ready = stored[out]
        for queue, cycles in tile.loads:
            free[queue] = max(free[queue], called[slot]) + cycles
            ready = max(ready, free[queue])
        free[_CALLS] = max(free[_CALLS], ready) + tile.call
        called[slot] = free[_CALLS]
        for queue, cycles in tile.stores:
            free[queue] = stored[out] = max(free[queue], called[slot]) + cycles
    return max(free)


@dataclass(frozen=True)
class PipelinedTiles:
    """The cycles of a pipeline, and the number of its tiles."""

    cycles: int
    count: int
    ends: EndTiles


@dataclass(frozen=True)
class TilePipeline:
    """The tiles of an operator in the order of its loops; some inputs stay."""

    costs: TilingCosts
    sizes: tuple[int, ...]
    order: tuple[int, ...]
    staying: frozenset[int]

    def with_ends(self) -> list[PipelinedTiles]:
        """Return the time without and with smaller tiles at the ends of the innermost loop.

        Those at the beginning are tried with the best ones at the end. If a reduction is cut, each
        of its parts has the same tiles, which keep their sums.
        """
        found = [self.timed(EndTiles())]
        outer = len(self.costs.problem.nest.parallel)
        if not self.order or any(d >= outer for d in self.order):
            return found
        d = self.order[-1]
        shrinking = list(shrinking_sizes(self.sizes[d], self.costs.problem.limits[d].multiple))
        found += [self.timed(EndTiles(last=last)) for last in shrinking]
        best = min(found, key=lambda tiles: tiles.cycles).ends
        return [*found, *(self.timed(EndTiles(first[::-1], best.last)) for first in shrinking)]

    def timed(self, ends: EndTiles) -> PipelinedTiles:
        """Return the time of the pipeline with these tiles at the ends."""
        steps = list(self._steps(ends))
        cycles = pipelined_cycles(steps, self.costs.queues, self._slots)
        return PipelinedTiles(cycles, len(steps), ends)

    @property
    def _slots(self) -> tuple[int, int]:
        """Return the least slots of tiles of inputs that are loaded again, and of outputs."""
        problem = self.costs.problem
        inputs = [s for n, s in enumerate(problem.inputs) if n not in self.staying]
        loaded, stored = (
            [storage.slots for storage in storages if storage.transfer is not None]
            for storages in (inputs, problem.outputs)
        )
        return max(1, min(loaded, default=1)), max(1, min(stored, default=1))

    def _steps(self, ends: EndTiles) -> Iterator[TileSteps]:
        before: tuple[Span, ...] | None = None
        for tile in self._tiles(ends):
            changed = _first_difference(before, tile)
            before = tile
            sizes = list(self.sizes)
            for d, span in zip(self.order, tile, strict=True):
                sizes[d] = span.size
            is_last = all(
                span.stop == self.costs.extents[d]
                for d, span in zip(self.order, tile, strict=True)
                if d >= len(self.costs.problem.nest.parallel)
            )
            yield TileSteps(
                self._loads(changed, sizes),
                self.costs.calls.of_tile(tuple(sizes)),
                self._moves(range(self._inputs, len(self.costs.operands)), sizes)
                if is_last
                else (),
            )

    def _tiles(self, ends: EndTiles) -> Iterator[tuple[Span, ...]]:
        """Yield the spans of each tile in the order of the loops."""
        if not self.order:
            yield ()
            return
        *outer, d = self.order
        limit = self.costs.problem.limits[d]
        along = [list(cuts(Span(0, self.costs.extents[o]), self.sizes[o])) for o in outer]
        places = list(itertools.product(*along))
        for number, place in enumerate(places):
            own = EndTiles(
                ends.first if number == 0 else (),
                ends.last if number == len(places) - 1 else (),
            )
            span = Span(0, self.costs.extents[d])
            for inner in spans_with_ends(span, self.sizes[d], own, limit.multiple):
                yield (*place, inner)

    def _loads(self, changed: int, sizes: Sequence[int]) -> Steps:
        """Return the loads of inputs whose tile changes if a loop at this depth advances."""
        chosen: list[int] = []
        for number in range(self._inputs):
            own = self.costs.operands[number].dimensions
            depths = [depth for depth, d in enumerate(self.order) if d in own]
            if number in self.staying:
                depths = []
            if changed <= max(depths, default=-1):
                chosen.append(number)
        return self._moves(chosen, sizes)

    def _moves(self, numbers: Iterable[int], sizes: Sequence[int]) -> Steps:
        found: list[tuple[int, int]] = []
        for number in numbers:
            own = self.costs.extents if number in self.staying else sizes
            step = self.costs.transfer_of(number, self.costs.operands[number].tile_cost(own))
            found += [] if step is None else [step]
        return found

    @property
    def _inputs(self) -> int:
        return len(self.costs.problem.inputs)


def _first_difference(before: tuple[Span, ...] | None, tile: tuple[Span, ...]) -> int:
    """Return the depth of the outermost loop that has advanced, -1 for the first tile."""
    if before is None:
        return -1
    return next(depth for depth, (a, b) in enumerate(zip(before, tile, strict=True)) if a != b)
