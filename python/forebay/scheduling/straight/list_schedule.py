"""List scheduling: the order in which the host starts the tasks of a sequence, and its waits.

The scheduler follows the modelled time. At each step it starts, among the tasks that may start
without a wait, the one that begins earliest; of equal ones, the first of the program::

    load   | x0 | x1 |      | x2 after the wait for f0 frees x0's bytes
    run         | f0 ...... | f1 ......
    host   start x0, x1, f0, f1 | wait f0 | start x2 | ...

A task may start if all tasks that it is behind were started (a task in another queue becomes a
token that its own queue waits for), if its queue has room, and if its buffers have room. If no task
may start, the host waits for the one whose end lets another task begin earliest. The tasks of the
host keep their order.

The order of the program remains possible at every step, so there is always a next step: a task
starts before its turn only if its buffers also fit beside those of all tasks that it overtakes.
It starts only if the task that consumes its result is one of the next `in_flight` of its kind, so
lifetimes are bounded where memory is not.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from msgspec import Struct

from forebay.scheduling.straight.live_bytes import LiveBytesCounter
from forebay.scheduling.straight.tasks import ON_HOST, Order, Run, StraightLineCode, Task, Wait

_SCANNED = 256
"""The most tasks, from the first that has not started, that may start next."""

_REFUSED = 8
"""The scan ends after so many tasks that are too far ahead of their consumers."""


class _Choice(Struct, frozen=True):
    """A task that may start at `begin`, after waits for `waits`."""

    begin: int
    task: int
    waits: tuple[int, ...] = ()


def scheduled_order(sequence: StraightLineCode, in_flight: int) -> Order:
    """Return the order in which the host starts the tasks of a sequence."""
    scheduler = _Scheduler(sequence, in_flight)
    while scheduler.step():
        pass
    return scheduler.order()


class _Scheduler:
    """The state after some steps of the host."""

    def __init__(self, sequence: StraightLineCode, in_flight: int) -> None:
        self._tasks = sequence.tasks
        self._depths = sequence.depths
        self._in_flight = in_flight
        self._bytes = LiveBytesCounter(sequence)
        self._steps: list[Run | Wait] = []
        self._now = 0
        """The modelled cycle of the host."""
        self._free: dict[str, int] = defaultdict(int)
        self._open: dict[str, list[int]] = defaultdict(list)
        """By queue: the started tasks whose end the host does not know, in their order."""
        self._end: dict[int, int] = {}
        self._over: set[int] = set()
        self._missing = [len(task.behind) for task in self._tasks]
        self._dependants: dict[int, list[int]] = defaultdict(list)
        for number, task in enumerate(self._tasks):
            for other in task.behind:
                self._dependants[other].append(number)
        self._kinds = _Kinds(self._tasks)
        self._first = 0
        """The first task that was not started."""
        self._hosts = [n for n, task in enumerate(self._tasks) if task.queue == ON_HOST]
        self._next_host = 0
        self._lacking: Counter[str] = Counter()

    def step(self) -> bool:
        """Start a task or wait; return whether there is anything left."""
        if self._first == len(self._tasks):
            return False
        ready, blocked = self._choices()
        best = _first_to_begin(ready, blocked, self._tasks)
        if best is None:
            best = min(blocked, key=lambda choice: (choice.begin, choice.task))
            if best.waits:
                self._wait(best.waits)
                return True
        self._run(best.task)
        return True

    def order(self) -> Order:
        """Return the order; at the end the host waits for the last task of each queue."""
        left = [queue[-1] for queue in self._open.values() if queue]
        if left:
            self._wait(tuple(sorted(left)))
        lacking = self._lacking.most_common(1)
        return Order(
            tuple(self._steps),
            self._now,
            sum(task.cycles for task in self._tasks),
            lacking[0][0] if lacking else None,
        )

    # ---- What may start --------------------------------------------------------------------------

    def _choices(self) -> tuple[list[_Choice], list[_Choice]]:
        """Return the tasks that may start without a wait, and those that may start after one."""
        ready: list[_Choice] = []
        blocked: list[_Choice] = []
        refused = 0
        for number in range(self._first, min(self._first + _SCANNED, len(self._tasks))):
            if self._missing[number] or number in self._end:
                continue
            if self._tasks[number].queue == ON_HOST:
                choice = self._choice_of_host(number)
            else:
                refused += self._is_too_far(number)
                if refused > _REFUSED:
                    break
                choice = self._choice_of_queue(number)
            if choice is not None:
                is_ready = not choice.waits and self._tasks[number].queue != ON_HOST
                (ready if is_ready else blocked).append(choice)
        return ready, blocked

    def _choice_of_host(self, number: int) -> _Choice | None:
        """Return when the host may run its next task; it waits for what the task is behind."""
        if self._hosts[self._next_host] != number:
            return None
        waits = self._last_of_queues(self._tasks[number].behind)
        begin = max([self._now, *(self._end[task] for task in waits)])
        return self._with_limits(number, begin, waits)

    def _choice_of_queue(self, number: int) -> _Choice | None:
        """Return when a queue may begin a task, and what the host must wait for before."""
        task = self._tasks[number]
        waits = self._waits_for_consumer(number)
        if waits is None:
            return None
        queue = self._open[task.queue]
        if len(queue) >= self._depths[task.queue]:
            waits = (*waits, queue[len(queue) - self._depths[task.queue]])
        begin = max(
            self._now,
            self._free[task.queue],
            *(self._end[other] for other in task.behind),
            *(self._end[other] for other in waits),
        )
        return self._with_limits(number, begin, waits)

    def _is_too_far(self, number: int) -> bool:
        consumer = self._tasks[number].consumer
        return consumer is not None and self._kinds.ahead(consumer) >= self._in_flight

    def _waits_for_consumer(self, number: int) -> tuple[int, ...] | None:
        """Return what must end before the consumer is one of the next tasks of its kind.

        Return None if a task that must end has not been started. The first task that has not been
        started does not wait for such a task, which is behind it in the program.
        """
        consumer = self._tasks[number].consumer
        if consumer is None or not self._is_too_far(number):
            return ()
        before = self._kinds.first_open(consumer)
        if before in self._end:
            return (before,)
        return () if number == self._first else None

    def _with_limits(self, number: int, begin: int, waits: tuple[int, ...]) -> _Choice | None:
        """Return the choice if the task's buffers have room, now or after another wait."""
        limit = self._bytes.refusal_ahead(number, self._first)
        if limit is not None:
            self._lacking[limit] += 1
            return None
        lacking = self._bytes.lacking(number)
        if lacking is None:
            return _Choice(begin, number, waits)
        flying = {task for queue in self._open.values() for task in queue}
        held = [flying.intersection(users) for users in self._bytes.held(lacking)]
        freed = [(max(self._end[user] for user in users), sorted(users)) for users in held if users]
        if not freed:
            return _Choice(begin, number, waits) if number == self._first else None
        end, users = min(freed)
        return _Choice(max(begin, end), number, (*waits, *users))

    # ---- Steps -----------------------------------------------------------------------------------

    def _run(self, number: int) -> None:
        task = self._tasks[number]
        open_ = [other for other in task.behind if other not in self._over]
        after: tuple[int, ...] = ()
        if task.queue == ON_HOST:
            self._end[number] = self._now = self._now + task.cycles
            self._over.add(number)
            self._next_host += 1
        else:
            after = tuple(
                n for n in self._last_of_queues(open_) if self._tasks[n].queue != task.queue
            )
            begin = max([self._now, self._free[task.queue], *(self._end[n] for n in task.behind)])
            self._end[number] = self._free[task.queue] = begin + task.cycles
            self._open[task.queue].append(number)
        self._steps.append(Run(number, after))
        self._bytes.started(number, self._first)
        if task.queue == ON_HOST:
            self._ended(number)
        for other in self._dependants[number]:
            self._missing[other] -= 1
        while self._first < len(self._tasks) and self._first in self._end:
            self._first += 1

    def _last_of_queues(self, tasks: Iterable[int]) -> tuple[int, ...]:
        """Return the last started of the tasks in each queue; when it has ended, all have."""
        last: dict[str, int] = {}
        for task in tasks:
            queue = self._tasks[task].queue
            if task in self._over:
                continue
            if queue not in last or self._end[task] > self._end[last[queue]]:
                last[queue] = task
            elif self._end[task] == self._end[last[queue]]:
                known = self._open[queue]
                last[queue] = max(task, last[queue], key=known.index)
        return tuple(sorted(last.values()))

    def _wait(self, tasks: Sequence[int]) -> None:
        """Wait for tasks, but not for those that have ended when another of them has."""
        waited: list[int] = []
        for task in sorted(tasks, key=lambda task: (self._end[task], task), reverse=True):
            if task not in self._over:
                waited.append(task)
                self._end_with(task)
        if waited:
            self._now = max([self._now, *(self._end[task] for task in waited)])
            self._steps.append(Wait(tuple(sorted(waited))))

    def _end_with(self, task: int) -> None:
        """Record that a task has ended, those before it in its queue, and what they are behind."""
        pending = [task]
        while pending:
            task = pending.pop()
            if task in self._over:
                continue
            queue = self._open[self._tasks[task].queue]
            count = queue.index(task) + 1
            for ended in queue[:count]:
                self._over.add(ended)
                self._ended(ended)
                pending += self._tasks[ended].behind
            del queue[:count]

    def _ended(self, number: int) -> None:
        self._kinds.ended(number)
        self._bytes.ended(number)


def _first_to_begin(
    ready: Sequence[_Choice], blocked: Sequence[_Choice], tasks: Sequence[Task]
) -> _Choice | None:
    """Return the choice that begins first, if no other task should get its queue before it."""
    soonest: dict[str, int] = {}
    for choice in blocked:
        queue = tasks[choice.task].queue
        soonest[queue] = min(choice.begin, soonest.get(queue, choice.begin))
    free = [
        choice
        for choice in ready
        if choice.begin <= soonest.get(tasks[choice.task].queue, choice.begin)
    ]
    return min(free, key=lambda choice: (choice.begin, choice.task), default=None)


class _Kinds:
    """The tasks of each kind in program order, and the first of them that has not ended."""

    def __init__(self, tasks: Sequence[Task]) -> None:
        self._tasks = tasks
        self._of: dict[str, list[int]] = defaultdict(list)
        self._index: list[int] = []
        for number, task in enumerate(tasks):
            self._index.append(len(self._of[task.kind]))
            self._of[task.kind].append(number)
        self._first: dict[str, int] = defaultdict(int)
        self._ended: set[int] = set()

    def ahead(self, number: int) -> int:
        """Return how many tasks of its kind, not known to have ended, are before a task."""
        return self._index[number] - self._first[self._tasks[number].kind]

    def first_open(self, number: int) -> int:
        """Return the first task of the same kind that is not known to have ended."""
        kind = self._tasks[number].kind
        return self._of[kind][self._first[kind]]

    def ended(self, number: int) -> None:
        """Record that a task has ended."""
        kind = self._tasks[number].kind
        known, first = self._of[kind], self._first[kind]
        self._ended.add(number)
        while first < len(known) and known[first] in self._ended:
            first += 1
        self._first[kind] = first
