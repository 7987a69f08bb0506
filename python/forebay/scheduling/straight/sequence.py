"""A stretch of a block as the numbers that the list scheduler orders."""

from __future__ import annotations

from forebay.scheduling.straight.dependences import dependences_of
from forebay.scheduling.straight.durations import Durations
from forebay.scheduling.straight.items import ScheduledOp, Stretch
from forebay.scheduling.straight.room import Room
from forebay.scheduling.straight.tasks import ON_HOST, StraightCode, Task


def sequence_of(stretch: Stretch, durations: Durations, room: Room) -> StraightCode:
    """Return the tasks, buffers and limits of a stretch."""
    behind = dependences_of(stretch)
    consumers = _consumers(stretch, behind)
    tasks = tuple(
        Task(
            _queue_name(item),
            "" if item.command is None else item.command.sym_name.value,
            durations.of(item),
            tuple(sorted(behind[number])),
            consumers.get(number),
        )
        for number, item in enumerate(stretch.items)
    )
    depths = {
        item.queue.sym_name.value: item.queue.depth.value
        for item in stretch.items
        if item.queue is not None
    }
    buffers, limits = room.of(stretch)
    return StraightCode(tasks, depths, buffers, limits)


def _consumers(stretch: Stretch, behind: list[set[int]]) -> dict[int, int]:
    """Return the first item behind each item, where a queue runs it."""
    first: dict[int, int] = {}
    for number, others in enumerate(behind):
        for other in others:
            first.setdefault(other, number)
    return {
        number: consumer
        for number, consumer in first.items()
        if stretch.items[consumer].queue is not None
    }


def _queue_name(item: ScheduledOp) -> str:
    return ON_HOST if item.queue is None else item.queue.sym_name.value
