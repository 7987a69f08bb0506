"""Drawn sequences: every order respects dependences, queues and memory, and takes its cycles.

A plain simulation of the host and the queues judges the steps. It shares no code with the
scheduler.
"""

from __future__ import annotations

import random

import pytest
from common.sweep import sweep

from forebay.scheduling.straight.list_schedule import scheduled_order
from forebay.scheduling.straight.tasks import (
    ON_HOST,
    ByteLimit,
    Order,
    Run,
    StraightLineCode,
    Task,
    TaskBuffer,
)


def drawn(seed: int) -> StraightLineCode:
    """Tasks in three queues and on the host; buffers live from a writer to its readers."""
    draw = random.Random(seed)
    depths = {"load": draw.randint(1, 4), "run": draw.randint(1, 4), "store": draw.randint(1, 4)}
    tasks: list[Task] = []
    consumers: dict[int, int] = {}
    count = draw.randint(1, 30)
    for number in range(count):
        queue = draw.choice(["load", "load", "run", "run", "store", ON_HOST])
        known = range(max(0, number - 8), number)
        behind = tuple(sorted(draw.sample(known, min(len(known), draw.randint(0, 2)))))
        for other in behind:
            consumers.setdefault(other, number)
        tasks.append(Task(queue, queue or "host", draw.randint(0, 20), behind))
    tasks = [
        Task(t.queue, t.kind, t.cycles, t.behind, _in_queue(consumers.get(n), tasks))
        for n, t in enumerate(tasks)
    ]
    buffers: list[TaskBuffer] = []
    for number in range(count):
        users = (number, *(n for n, task in enumerate(tasks) if number in task.behind))
        if draw.random() < 0.7:
            size = draw.choice([8, 16, 64])
            buffers.append(
                TaskBuffer({0: size}, users, users[0], users[-1], begins=True, ends=True)
            )
    live = [sum(b.sizes[0] for b in buffers if b.first <= n <= b.last) for n in range(count)]
    most = max(live) + draw.choice([0, 0, 16, 64, 1000])
    limit = ByteLimit("spad", most, live, 0, [0] * count)
    return StraightLineCode(tuple(tasks), depths, tuple(buffers), (limit,))


def _in_queue(consumer: int | None, tasks: list[Task]) -> int | None:
    return None if consumer is None or tasks[consumer].queue == ON_HOST else consumer


class Simulation:
    """The host and the queues, step by step."""

    def __init__(self, code: StraightLineCode) -> None:
        self.code = code
        self.now = 0
        self.end: dict[int, int] = {}
        self.order: dict[str, list[int]] = {}
        self.known: set[int] = set()
        self.before: dict[int, set[int]] = {}
        """By task: those that have ended when it has."""

    def run(self, order: Order) -> None:
        for step in order.steps:
            if isinstance(step, Run):
                self.start(step)
            else:
                for task in step.tasks:
                    self.now = max(self.now, self.end[task])
                    self.known |= self.before[task]
            self.check_bytes()

    def start(self, step: Run) -> None:
        number, task = step.task, self.code.tasks[step.task]
        assert number not in self.end
        if task.queue == ON_HOST:
            assert set(task.behind) <= self.known
            self.now += task.cycles
            self.end[number], self.before[number] = self.now, {number}
            self.known.add(number)
            return
        queue = self.order.setdefault(task.queue, [])
        earlier = [*queue[-1:], *step.after]
        before = {number}.union(*(self.before[other] for other in earlier))
        assert set(task.behind) <= before | self.known
        begin = max([self.now, *(self.end[other] for other in earlier)])
        self.end[number], self.before[number] = begin + task.cycles, before
        queue.append(number)
        assert len([n for n in queue if n not in self.known]) <= self.code.depths[task.queue]

    def check_bytes(self) -> None:
        for number, limit in enumerate(self.code.limits):
            live = [
                held.sizes[number]
                for held in self.code.buffers
                if any(user in self.end for user in held.users)
                and not all(user in self.known for user in held.users)
            ]
            assert sum(live) <= limit.most


@pytest.mark.parametrize("seed", sweep(range(300)))
def test_drawn_orders_are_possible(seed: int) -> None:
    code = drawn(seed)
    for in_flight in (1, 2, 5):
        order = scheduled_order(code, in_flight)
        simulation = Simulation(code)
        simulation.run(order)
        assert sorted(simulation.end) == list(range(len(code.tasks)))
        assert simulation.known == set(range(len(code.tasks)))
        assert order.cycles == simulation.now
        hosts = [s.task for s in order.steps if isinstance(s, Run) and not code.tasks[s.task].queue]
        assert hosts == sorted(hosts)
        assert scheduled_order(code, in_flight) == order


def test_a_load_overtakes_a_store_that_waits() -> None:
    """Of one queue: the store of tile 0 needs its call; the load of tile 1 needs nothing."""
    tasks = (
        Task("dma", "load", 5, (), 1),
        Task("run", "call", 10, (0,), 2),
        Task("dma", "store", 5, (1,)),
        Task("dma", "load", 5, (), 4),
        Task("run", "call", 10, (3,)),
    )
    order = scheduled_order(StraightLineCode(tasks, {"dma": 4, "run": 4}), 2)
    assert [step.task for step in order.steps if isinstance(step, Run)] == [0, 1, 3, 2, 4]
    assert (order.cycles, order.in_order) == (25, 35)


def test_the_limit_that_lacks_bytes_is_named() -> None:
    tasks = (
        Task("dma", "load", 5, (), 1),
        Task("run", "call", 10, (0,)),
        Task("dma", "load", 5, ()),
    )
    buffers = (
        TaskBuffer({0: 64}, (0, 1), 0, 1, begins=True, ends=True),
        TaskBuffer({0: 64}, (2,), 2, 2, begins=True, ends=True),
    )
    limit = ByteLimit("spad", 100, [64, 64, 64], 0, [0, 0, 0])
    order = scheduled_order(StraightLineCode(tasks, {"dma": 4, "run": 4}, buffers, (limit,)), 2)
    assert order.cycles == order.in_order
    assert order.lacking == "spad"
