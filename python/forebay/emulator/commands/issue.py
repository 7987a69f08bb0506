"""Issue commands to devices: synchronously while the host waits, or asynchronously in a queue."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from forebay.dialects.accel import QueueOp
from forebay.emulator.machine import refusals
from forebay.emulator.machine.in_flight_operation import InFlightOperation
from forebay.emulator.machine.in_flight_operations import InFlightOperations
from forebay.emulator.machine.machine import Machine
from forebay.emulator.machine.timeline import Work
from forebay.emulator.memory.program_point import ProgramPoint
from forebay.emulator.memory.view import MemoryView

CommandEffect = Callable[[], None]


@dataclass(frozen=True)
class CommandQueue:
    """The name of a queue without its `@`, and the number of operations that it can hold."""

    name: str
    depth: int

    @staticmethod
    def of(op: QueueOp) -> CommandQueue:
        """Return the queue that a module declares."""
        return CommandQueue(op.sym_name.value, op.depth.value)


@dataclass(frozen=True, eq=False)
class Command:
    """One command to a device: the views that it accesses, its effect, and its duration."""

    point: ProgramPoint
    views: tuple[MemoryView, ...]
    work: Work
    effect: CommandEffect


def issue_call(order: Command, lane: str, machine: Machine) -> None:
    """Execute the command and wait until it has ended."""
    order.effect()
    machine.report.timeline.call(_placed(order, machine), lane)


def issue_start(
    order: Command, queue: CommandQueue, after: Sequence[InFlightOperation], machine: Machine
) -> InFlightOperation:
    """Issue the command to a queue and return the operation in flight.

    Its effect is executed now, unless the machine executes effects in a random order later.
    """
    operations = machine.operations
    if operations.waiting_in(queue.name) >= queue.depth:
        oldest = operations.oldest_in(queue.name)
        machine.refuse(refusals.queue_full(oldest, order.point, queue.depth))
        _end(oldest, machine)
    buffers = [view.buffer for view in order.views]
    operation = operations.start(queue.name, order.point, after, buffers)
    for buffer in buffers:
        machine.buffers.add_operation(buffer)
    ends = [known.end for known in after]
    work = _placed(order, machine)
    operation.end = machine.report.timeline.start(work, queue.name, ends)
    if machine.rng is not None:
        operation.effect = order.effect
    else:
        with operations.acting(operation):
            order.effect()
    return operation


def _placed(order: Command, machine: Machine) -> Work:
    """Return the command's work with the banks that it accesses."""
    banks = machine.banks_of(order.views)
    return replace(order.work, banks=banks) if banks else order.work


def issue_wait(operation: InFlightOperation, point: ProgramPoint, machine: Machine) -> None:
    """Block the host until the operation has ended."""
    if operation.is_waited:
        machine.refuse(refusals.waited_twice(operation, point))
    operation.is_waited = True
    machine.report.timeline.wait(operation.end, Work("wait", point.location))
    _end(operation, machine)


def finish_run(machine: Machine) -> None:
    """End the run: refuse every operation that is still in flight, and discard it."""
    for operation in machine.operations.open:
        machine.refuse(refusals.not_waited(operation))
        for buffer in operation.buffers:
            machine.end_operation(buffer)
    machine.operations.clear()


def _end(operation: InFlightOperation, machine: Machine) -> None:
    """End the operation and all operations that are ordered before it."""
    if machine.rng is not None:
        _do_until(operation, machine.operations, machine.rng)
    for over in machine.operations.end(operation):
        for buffer in over.buffers:
            machine.end_operation(buffer)


def _do_until(
    operation: InFlightOperation, operations: InFlightOperations, rng: random.Random
) -> None:
    """Execute pending effects in a random allowed order until that of the operation is executed."""
    while operation.effect is not None:
        waiting = [known for known in operations.open if known.effect is not None]
        ready = [one for one in waiting if not any(o.is_before(one.begins) for o in waiting)]
        chosen = rng.choice(ready)
        assert chosen.effect is not None
        chosen.effect()
        chosen.effect = None
