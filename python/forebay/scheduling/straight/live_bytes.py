"""The live bytes of a sequence while its tasks start before their turn and end late."""

from __future__ import annotations

from collections import defaultdict

from forebay.scheduling.straight.tasks import StraightLineCode


class LiveBytesCounter:
    """The bytes under each limit that are live after the steps of the host so far."""

    def __init__(self, sequence: StraightLineCode) -> None:
        self._limits = sequence.limits
        self._buffers = sequence.buffers
        self._of: dict[int, list[int]] = defaultdict(list)
        """By task: its buffers."""
        for number, buffer in enumerate(sequence.buffers):
            for user in buffer.users:
                self._of[user].append(number)
        self._left = [len(buffer.users) for buffer in sequence.buffers]
        self._unstarted = list(self._left)
        self._demand = [list(limit.live) for limit in sequence.limits]
        """By limit: the bytes at each task if all tasks that have not started run in order."""
        self._begun = {number for number, held in enumerate(self._buffers) if not held.begins}
        self._now = [limit.others for limit in sequence.limits]
        for number in self._begun:
            for limit, size in self._buffers[number].sizes.items():
                self._now[limit] += size

    def refusal_ahead(self, task: int, first: int) -> str | None:
        """Return a limit that is exceeded if the task starts before all tasks from `first` on."""
        if task == first:
            return None
        for limit, size in self._new(task).items():
            most, demand = self._limits[limit].most - size, self._demand[limit]
            if any(demand[other] > most for other in range(first, task)):
                return self._limits[limit].name
        return None

    def lacking(self, task: int) -> int | None:
        """Return the number of a limit under which the task has no room now, None if it has."""
        new = self._new(task)
        for number, limit in enumerate(self._limits):
            needed = new.get(number, 0) + limit.inside[task]
            if needed and self._now[number] + needed > limit.most:
                return number
        return None

    def held(self, limit: int) -> list[tuple[int, ...]]:
        """Return the users of each buffer under the limit that is freed when these have ended."""
        return [
            self._buffers[number].users
            for number in sorted(self._begun)
            if limit in self._buffers[number].sizes
            and self._buffers[number].ends
            and not self._unstarted[number]
        ]

    def started(self, task: int, first: int) -> None:
        """Record that a task has started, before those from `first` on: its buffers are live."""
        for number in self._of.get(task, ()):
            self._unstarted[number] -= 1
            if number in self._begun:
                continue
            self._begun.add(number)
            buffer = self._buffers[number]
            for limit, size in buffer.sizes.items():
                self._now[limit] += size
                demand = self._demand[limit]
                for other in range(first, buffer.first):
                    demand[other] += size

    def ended(self, task: int) -> None:
        """Record that a task has ended: a buffer of which it was the last user is not live."""
        for number in self._of.get(task, ()):
            self._left[number] -= 1
            buffer = self._buffers[number]
            if not self._left[number] and buffer.ends:
                self._begun.discard(number)
                for limit, size in buffer.sizes.items():
                    self._now[limit] -= size

    def _new(self, task: int) -> dict[int, int]:
        """Return the bytes by limit of the buffers that begin with the task."""
        found: dict[int, int] = {}
        for number in self._of.get(task, ()):
            if number not in self._begun and self._left[number]:
                for limit, size in self._buffers[number].sizes.items():
                    found[limit] = found.get(limit, 0) + size
        return found
