"""Where a planned module puts its allocations, and what other places there would be."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from mlir import ir

from common.injection.order import Order
from forebay.dialects.memref_pool import AllocOp, PlacementAttr
from forebay.ir.machine.pools import pool_ops
from forebay.ir.module import module_of
from forebay.ir.nested import ops_nested_in
from forebay.ir.problem.problem import extract_problem, planned_placement
from forebay.planning import Buffer, Interval, Placement, PlanningError, Problem, plan

Places = Mapping[str, Placement]
PLANNERS = ("first-fit", "greedy-by-size", "greedy-by-conflicts", "hill-climb")


def allocs_in(module: ir.Operation) -> list[AllocOp]:
    """The allocations of a module, in their order, which clones keep."""
    return [op for op in ops_nested_in(module) if isinstance(op, AllocOp)]


@dataclass(frozen=True)
class Planned:
    """The problem of a module and its answer; `allocs` name the buffers that may be moved."""

    problem: Problem
    places: Places
    allocs: tuple[str, ...]
    apart: frozenset[frozenset[str]] = frozenset()
    """Pairs that the order of started operations keeps apart, whatever their lifetimes say."""

    @staticmethod
    def of(module: ir.Operation) -> Planned:
        """What the module says."""
        extraction = extract_problem(module_of(module))
        buffers, roots = extraction.problem.buffers, extraction.liveness.buffers
        names = {root.op: b.name for root, b in zip(roots, buffers, strict=True) if root.op}
        places = {b.name: planned_placement(r) for b, r in zip(buffers, roots, strict=True)}
        ops = allocs_in(module)
        allocs = tuple(names[op] for op in ops)
        order = Order(module)
        apart = {
            frozenset((names[one], names[other]))
            for one, other in itertools.combinations(ops, 2)
            if order.are_apart(one, other)
        }
        return Planned(extraction.problem, places, allocs, frozenset(apart))

    @cached_property
    def _pairs(self) -> frozenset[frozenset[str]]:
        return frozenset(map(frozenset, self.problem.conflicts))

    def put(self, module: ir.Operation, places: Places) -> None:
        """Move the allocations of a clone of the module."""
        with module.context:
            for name, op in zip(self.allocs, allocs_in(module), strict=True):
                place = places[name]
                op.placement = PlacementAttr.get(place.pool, place.offset)

    def is_broken(self, places: Places) -> bool:
        """Whether two buffers that are alive together share bytes."""
        buffers = self.problem.buffer_by_name
        return any(
            self._share(buffers[one], buffers[other], places)
            for number, one in enumerate(self.allocs)
            for other in (*self.allocs[:number], *self._fixed())
        )

    def with_shorter(self, name: str, rng: random.Random) -> Places | None:
        """What a planner makes of it that believes a buffer born too late or dead too early."""
        buffer = self.problem.buffer_by_name[name]
        start, end = buffer.lifetime[0].start, buffer.lifetime[-1].end
        if end - start < 2:
            return None
        cut = rng.randrange(start + 1, end)
        kept = Interval(start, cut) if rng.random() < 0.5 else Interval(cut, end)
        changed = replace(buffer, lifetime=(kept,))
        return self._planned({name: changed}, rng.choice(PLANNERS[:3]))

    def replanned(self, planner: str) -> Places | None:
        """What another planner answers."""
        return self._planned({}, planner)

    def shuffled(self, rng: random.Random) -> Places:
        """A valid plan: buffers in any order, each at the first place behind a gap of any size."""
        places = {name: self.places[name] for name in self._fixed()}
        for name in rng.sample(self.allocs, len(self.allocs)):
            buffer, pool = self.problem.buffer_by_name[name], self.places[name].pool
            step = self.problem.alignment_in(buffer, self.problem.pool_by_name[pool])
            spans = self._spans_beside(buffer, pool, places)
            offset = step * rng.randrange(0, 64)
            for begin, end in sorted(spans):
                if begin < offset + buffer.size and offset < end:
                    offset = -(-end // step) * step
            places[name] = Placement(pool, offset)
        return places

    def peaks(self, places: Places) -> dict[str, int]:
        """The bytes that each pool needs."""
        peaks: dict[str, int] = {}
        for name, place in places.items():
            end = place.offset + self.problem.buffer_by_name[name].size
            peaks[place.pool] = max(end, peaks.get(place.pool, 0))
        return peaks

    def _fixed(self) -> list[str]:
        return [buffer.name for buffer in self.problem.buffers if buffer.name not in self.allocs]

    def _planned(self, changed: Mapping[str, Buffer], planner: str) -> Places | None:
        buffers = [self._pinned(changed.get(b.name, b)) for b in self.problem.buffers]
        problem = replace(self.problem, buffers=tuple(buffers))
        try:
            return plan(problem, planner).placements
        except PlanningError:
            return None

    def _pinned(self, buffer: Buffer) -> Buffer:
        """What is no allocation stays where it is; what is one, in its pool."""
        place = self.places[buffer.name]
        offset = None if buffer.name in self.allocs else place.offset
        return replace(buffer, pinned_pool=place.pool, pinned_offset=offset)

    def _spans_beside(self, buffer: Buffer, pool: str, places: Places) -> list[tuple[int, int]]:
        """The bytes of a pool that are taken while the buffer lives."""
        known = self.problem.buffer_by_name
        beside = [known[n] for n, p in places.items() if p.pool == pool]
        beside = [other for other in beside if self._conflict(buffer, other)]
        return [(places[o.name].offset, places[o.name].offset + o.size) for o in beside]

    def _share(self, one: Buffer, other: Buffer, places: Places) -> bool:
        here, there = places[one.name], places[other.name]
        if here.pool != there.pool or not self._conflict(one, other):
            return False
        begins_before = here.offset < there.offset + other.size
        return begins_before and there.offset < here.offset + one.size

    def _conflict(self, one: Buffer, other: Buffer) -> bool:
        pair = frozenset((one.name, other.name))
        if pair in self.apart:
            return False
        listed = pair in self._pairs
        return listed or one.always_live or other.always_live or one.live_with(other)


def resize(module: ir.Operation, peaks: Mapping[str, int]) -> None:
    """Give the pools of a module the bytes that another plan needs."""
    with module.context:
        i64 = ir.IntegerType.get_signless(64)
        for op in pool_ops(module):
            peak = peaks.get(op.sym_name.value)
            if peak is None or op.local:
                continue
            if "certificate" in op.attributes:
                del op.attributes["certificate"]
            op.attributes["capacity"] = ir.IntegerAttr.get(i64, peak)


def others(planned: Planned, rng: random.Random, count: int) -> Iterator[tuple[str, Places]]:
    """So many plans that are as right as the module's own, each with what it is."""
    found: Sequence[tuple[str, Places | None]] = [(p, planned.replanned(p)) for p in PLANNERS]
    known = [(name, places) for name, places in found if places is not None]
    yield from known[:count]
    for number in range(count - len(known)):
        yield f"shuffled {number}", planned.shuffled(rng)
