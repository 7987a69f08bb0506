"""The conflict relation: which buffers must not share bytes."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from forebay.planning.model.problem import Problem


def conflict_sets(problem: Problem, names: Collection[str]) -> dict[str, set[str]]:
    """Return, for each named buffer, the set of named buffers that it conflicts with.

    Members of an alias group or of a rigid block do not conflict. The function sweeps once over all
    ticks and adds the explicit pairs. Time and memory are linear in the size of the result, except
    for sorting the ticks.
    """
    chosen = [problem.buffer_by_name[name] for name in names]
    conflicts: dict[str, set[str]] = {buffer.name: set() for buffer in chosen}
    group = {
        buffer.name: ("alias", buffer.alias) if buffer.block is None else ("block", buffer.block)
        for buffer in chosen
        if buffer.block is not None or buffer.alias is not None
    }

    def meet(name: str, others: Iterable[str]) -> None:
        met = set(others)
        met.discard(name)
        if name in group:
            met = {other for other in met if group.get(other) != group[name]}
        conflicts[name] |= met
        for other in met:
            conflicts[other].add(name)

    timed = [buffer for buffer in chosen if not buffer.always_live]
    events = [
        (tick, begins, index)
        for index, buffer in enumerate(timed)
        for start, end in buffer.lifetime
        for tick, begins in ((start, 1), (end, 0))
    ]
    alive: dict[int, str] = {}
    for _, begins, index in sorted(events):
        if begins:
            meet(timed[index].name, alive.values())
            alive[index] = timed[index].name
        else:
            del alive[index]
    for buffer in chosen:
        if buffer.always_live:
            meet(buffer.name, conflicts)
    for first, second in problem.conflicts:
        if first in conflicts and second in conflicts:
            meet(first, (second,))
    return conflicts
