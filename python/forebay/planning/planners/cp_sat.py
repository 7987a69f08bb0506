"""Google's constraint solver CP-SAT as a planner: an extra, and a test oracle on small problems."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from forebay.planning.contract.effort import Effort
from forebay.planning.contract.extras import import_extra
from forebay.planning.contract.planner import Planner, Proof
from forebay.planning.model.errors import PlanInfeasibleError
from forebay.planning.model.plan import Placement, ProvedBound
from forebay.planning.model.problem import Problem
from forebay.planning.planners.best_of_orders import place_best_order
from forebay.planning.search.items import CandidatePool, Items, items_of
from forebay.pools import Pool

SECONDS = {Effort.LOW: 5, Effort.NORMAL: 30, Effort.HIGH: 600}
"""CP-SAT's deterministic time per objective, which measures work and not wall-clock time."""


class CpSat(Planner):
    """Pools and offsets in one model: it minimises the cost first, then the peaks.

    The byte ranges of conflicting items are disjoint intervals. One worker and deterministic time
    give the same answer in every run. The planner returns the greedy plan when CP-SAT finds none.
    """

    name = "cp-sat"

    def _place(self, problem: Problem) -> Proof:
        cp_model = import_extra("ortools.sat.python.cp_model", self.name)
        items = items_of(problem)
        if not items.all:
            return Proof({}, ())
        greedy, failure = _greedy(items)
        model = _Model(items, cp_model, greedy)
        answer = model.solve(SECONDS[self.effort])
        if answer is not None:
            return answer
        if greedy is None:
            raise failure or PlanInfeasibleError(problem.pools[0].name, 0, 0)
        return Proof(greedy, ())


def _greedy(
    items: Items,
) -> tuple[Mapping[str, Placement] | None, PlanInfeasibleError | None]:
    try:
        return place_best_order(items), None
    except PlanInfeasibleError as failure:
        return None, failure


class _Model:
    """The constraint model.

    Each pair of an item and a candidate pool has two variables: whether the item is placed in the
    pool, and its offset in steps of its alignment.
    """

    def __init__(self, items: Items, cp_model: Any, greedy: Mapping[str, Placement] | None) -> None:
        self._items, self._cp = items, cp_model
        self._model = cp_model.CpModel()
        self._peaks = [
            self._model.new_int_var(0, self._limit(number), "")
            for number in range(len(items.problem.pools))
        ]
        self._here: list[list[Any]] = []
        self._offsets: list[list[Any]] = []
        self._ranges: list[dict[int, Any]] = []
        for index, item in enumerate(items.all):
            here = [self._model.new_bool_var("") for _ in item.candidates]
            self._model.add_exactly_one(here)
            self._here.append(here)
            self._offsets.append([])
            self._ranges.append({})
            for candidate, lives in zip(item.candidates, here, strict=True):
                self._add_room(index, candidate, lives)
        self._part()
        if greedy is not None:
            self._hint(greedy)

    def solve(self, seconds: int) -> Proof | None:
        """Return the best plan found, with proved bounds if the solver proves optimality.

        Returns None when the solver finds no plan.
        """
        candidates = [
            (lives, candidate)
            for item, here in zip(self._items.all, self._here, strict=True)
            for lives, candidate in zip(here, item.candidates, strict=True)
        ]
        cost = sum(lives * candidate.cost for lives, candidate in candidates)
        pools = self._items.problem.pools
        peaks = sum(pool.weight * peak for pool, peak in zip(pools, self._peaks, strict=True))
        solver, proved = None, True
        for objective in (peaks,) if self._items.settled else (cost, peaks):
            found, optimal = self._minimize(objective, seconds)
            if found is None:
                break
            solver, proved = found, proved and optimal
            self._model.add(objective <= found.value(objective))
        return None if solver is None else self._answer(solver, proved)

    def _minimize(self, objective: Any, seconds: int) -> tuple[Any, bool]:
        solver = self._cp.CpSolver()
        solver.parameters.num_workers = 1
        solver.parameters.random_seed = 1
        solver.parameters.max_deterministic_time = seconds
        self._model.minimize(objective)
        status = solver.solve(self._model)
        solved = status in (self._cp.OPTIMAL, self._cp.FEASIBLE)
        return (solver if solved else None), status == self._cp.OPTIMAL

    def _answer(self, solver: Any, proved: bool) -> Proof:
        candidates: list[CandidatePool] = []
        offsets: list[int] = []
        for item, here, places in zip(self._items.all, self._here, self._offsets, strict=True):
            chosen = next(i for i, lives in enumerate(here) if solver.value(lives))
            candidates.append(item.candidates[chosen])
            offsets.append(int(solver.value(places[chosen])))
        bounds: list[ProvedBound] = []
        for number, pool in enumerate(self._items.problem.pools):
            ends = [
                o + r.size for o, r in zip(offsets, candidates, strict=True) if r.pool == number
            ]
            if proved and pool.weight and ends:
                bounds.append(ProvedBound(pool.name, max(ends), "CP-SAT"))
        return Proof(self._items.placements(candidates, offsets), tuple(bounds))

    def _limit(self, number: int) -> int:
        """Return an offset of the pool above which no item needs to be placed."""
        pool = self._items.problem.pools[number]
        candidates = [
            candidate
            for item in self._items.all
            for candidate in item.candidates
            if candidate.pool == number
        ]
        pins = [(item.offset or 0) + item.candidates[0].size for item in self._items.all]
        above = max([pool.start, *(end for _, end in pool.reserved), *pins])
        enough = above + sum(candidate.size + candidate.alignment for candidate in candidates)
        return enough if pool.capacity is None else min(enough, pool.capacity)

    def _add_room(self, index: int, candidate: CandidatePool, lives: Any) -> None:
        pool, item = self._items.problem.pools[candidate.pool], self._items.all[index]
        steps = self._model.new_int_var(
            0, self._limit(candidate.pool) // candidate.alignment + 1, ""
        )
        offset = pool.align(0, candidate.alignment) + candidate.alignment * steps
        end = offset + candidate.size
        self._model.add(offset >= pool.start).only_enforce_if(lives)
        self._model.add(end <= self._peaks[candidate.pool]).only_enforce_if(lives)
        if item.offset is not None:
            self._model.add(offset == item.offset)
        taken = self._model.new_optional_fixed_size_interval_var(offset, candidate.size, lives, "")
        self._offsets[index].append(offset)
        self._ranges[index][candidate.pool] = taken
        self._exclude_reserved(pool, taken)

    def _exclude_reserved(self, pool: Pool, taken: Any) -> None:
        for start, end in pool.reserved:
            blocked = self._model.new_fixed_size_interval_var(start, end - start, "")
            self._model.add_no_overlap([taken, blocked])

    def _part(self) -> None:
        """Add the constraints that conflicting items occupy disjoint bytes."""
        for index, others in enumerate(self._items.conflicts):
            for other in others:
                if other > index:
                    for pool in self._ranges[index].keys() & self._ranges[other].keys():
                        pair = [self._ranges[index][pool], self._ranges[other][pool]]
                        self._model.add_no_overlap(pair)

    def _hint(self, greedy: Mapping[str, Placement]) -> None:
        pools = self._items.problem.pools
        for item, here in zip(self._items.all, self._here, strict=True):
            for lives, candidate in zip(here, item.candidates, strict=True):
                self._model.add_hint(
                    lives, greedy[item.members[0]].pool == pools[candidate.pool].name
                )
