"""A straight-line sequence of operations as numbers: what the list scheduler orders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

ON_HOST = ""
"""The queue of an operation that the host runs itself, or waits for at once."""


class Task(Struct, frozen=True):
    """An operation of a sequence, with its modelled cycles.

    `kind` is the name of its transfer or intrinsic. `behind` are the numbers of the earlier tasks
    that must have ended before this one begins. `consumer` is the first task in a queue that is
    behind this one; None if there is none, or if the host is the first.
    """

    queue: str
    kind: str
    cycles: int
    behind: tuple[int, ...]
    consumer: int | None = None


class TaskBuffer(Struct, frozen=True):
    """A buffer that tasks of the sequence use: its bytes by limit, and the tasks in order.

    `begins` and `ends` say whether its lifetime begins with the first of the tasks, and ends with
    the last one. `first` and `last` are the tasks of the sequence during which it is live.
    """

    sizes: Mapping[int, int]
    users: tuple[int, ...]
    first: int
    last: int
    begins: bool
    ends: bool


class ByteLimit(Struct, frozen=True):
    """A number of bytes that may be live at once, and the bytes live at each task in program order.

    `others` are live at every task, `inside` only while the task runs; neither belongs to a
    `TaskBuffer`.
    """

    name: str
    most: int
    live: Sequence[int]
    others: int
    inside: Sequence[int]


class StraightLineCode(Struct, frozen=True):
    """Tasks in program order, the depths of queues, the buffers and the limits."""

    tasks: tuple[Task, ...]
    depths: Mapping[str, int]
    buffers: tuple[TaskBuffer, ...] = ()
    limits: tuple[ByteLimit, ...] = ()


class Run(Struct, frozen=True):
    """The host runs or starts a task; `after` are started tasks that its queue waits for first."""

    task: int
    after: tuple[int, ...] = ()


class Wait(Struct, frozen=True):
    """The host waits for started tasks."""

    tasks: tuple[int, ...]


class Order(Struct, frozen=True):
    """The steps of the host, and the modelled cycles until the last task has ended.

    `in_order` are the cycles if the host waits for each task. `lacking` is the name of the limit
    that most often kept a task from starting earlier, None if no limit did.
    """

    steps: tuple[Run | Wait, ...]
    cycles: int
    in_order: int
    lacking: str | None
