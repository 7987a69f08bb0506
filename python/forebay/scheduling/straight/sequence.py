"""A region of a block as the numbers that the list scheduler orders."""

from __future__ import annotations

from forebay.scheduling.straight.dependences import dependences_of
from forebay.scheduling.straight.durations import Durations
from forebay.scheduling.straight.items import ScheduledOp, SchedulingRegion
from forebay.scheduling.straight.memory_limits import MemoryLimits
from forebay.scheduling.straight.tasks import ON_HOST, StraightLineCode, Task


def sequence_of(
    region: SchedulingRegion, durations: Durations, memory: MemoryLimits
) -> StraightLineCode:
    """Return the tasks, buffers and limits of a region."""
    behind = dependences_of(region)
    consumers = _consumers(region, behind)
    tasks = tuple(
        Task(
            _queue_name(item),
            "" if item.command is None else item.command.sym_name.value,
            durations.of(item),
            tuple(sorted(behind[number])),
            consumers.get(number),
        )
        for number, item in enumerate(region.items)
    )
    depths = {
        item.queue.sym_name.value: item.queue.depth.value
        for item in region.items
        if item.queue is not None
    }
    buffers, limits = memory.of(region)
    return StraightLineCode(tasks, depths, buffers, limits)


def _consumers(region: SchedulingRegion, behind: list[set[int]]) -> dict[int, int]:
    """Return the first item after each item, where a queue runs it."""
    first: dict[int, int] = {}
    for number, others in enumerate(behind):
        for other in others:
            first.setdefault(other, number)
    return {
        number: consumer
        for number, consumer in first.items()
        if region.items[consumer].queue is not None
    }


def _queue_name(item: ScheduledOp) -> str:
    return ON_HOST if item.queue is None else item.queue.sym_name.value
