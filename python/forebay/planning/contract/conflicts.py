"""The conflict relation: which buffers must not share bytes."""

from __future__ import annotations

from collections.abc import Collection

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
    }

    def meet(first: str, second: str) -> None:
        if first != second and (group[first][1] is None or group[first] != group[second]):
            conflicts[first].add(second)
            conflicts[second].add(first)

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
            for other in alive.values():
                meet(timed[index].name, other)
            alive[index] = timed[index].name
        else:
            del alive[index]
    for buffer in chosen:
        if buffer.always_live:
            for other in chosen:
                meet(buffer.name, other.name)
    for first, second in problem.conflicts:
        if first in conflicts and second in conflicts:
            meet(first, second)
    return conflicts
