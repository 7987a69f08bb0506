"""Entry functions for compiled code: one object per C symbol of a device or a queue."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from forebay.codegen.project.devices.transfers import QueueFunctions
from forebay.emulator.commands import issue
from forebay.emulator.commands.issue import Command
from forebay.emulator.compiled.driver_functions import DriverFunction
from forebay.emulator.compiled.pool_addresses import PoolAddresses
from forebay.emulator.machine.in_flight_operation import InFlightOperation
from forebay.emulator.machine.machine import Machine
from forebay.emulator.memory.faults import (
    Fault,
    NoSuchDevice,
    NoSuchTicket,
    Where,
)
from forebay.emulator.memory.program_point import ProgramPoint


@dataclass
class EntryCalls:
    """The device commands of compiled code in the current run.

    `after` maps the symbol of a queue and its device (empty when unknown) to the in-flight
    operations after which the next command of that queue must run.
    """

    machine: Machine
    addresses: PoolAddresses
    operations: dict[int, InFlightOperation] = field(default_factory=dict[int, InFlightOperation])
    after: dict[tuple[str, str], list[InFlightOperation]] = field(
        default_factory=dict[tuple[str, str], list[InFlightOperation]]
    )
    devices: Mapping[int, str] = field(default_factory=dict[int, str])
    """The names of devices by their handles."""
    _calls: dict[str, int] = field(default_factory=dict[str, int])
    _points: dict[tuple[str, str, int], ProgramPoint] = field(
        default_factory=dict[tuple[str, str, int], ProgramPoint]
    )

    def begin(self) -> None:
        """Reset the state, so that calls and tickets count from 1 again."""
        self.machine.begin_run()
        self.addresses.begin_run()
        for known in (self.operations, self.after, self._calls):
            known.clear()

    def count(self, symbol: str) -> int:
        """Return the number of this call of a C function, which counts from 1."""
        self._calls[symbol] = self._calls.get(symbol, 0) + 1
        return self._calls[symbol]

    def point(self, symbol: str, device: str, number: int) -> ProgramPoint:
        """Return the program point of a call."""
        key = symbol, device, number
        if key not in self._points:
            self._points[key] = self.machine.points.of_call(*key)
        return self._points[key]


class DeviceEntry:
    """The call and start functions of one C symbol.

    Instances of a device share the symbol. A call with a handle addresses one instance. A call
    without a handle is ambiguous, so it is accepted if it is valid for any instance.
    """

    def __init__(
        self, symbol: str, functions: Sequence[DriverFunction], *, takes_handle: bool
    ) -> None:
        self._symbol = symbol
        self._functions = functions
        self._takes_handle = takes_handle

    def call(self, run: EntryCalls, *values: int) -> int:
        """Execute the command and return 0; raises `Fault`."""
        function, order = self._accepted(run, self._symbol, values)
        issue.issue_call(order, function.lane, run.machine)
        return 0

    def start(self, run: EntryCalls, *values: int) -> int:
        """Issue the command to its queue and return the ticket; raises `Fault`."""
        function, order = self._accepted(run, f"{self._symbol}_start", values)
        assert function.queue is not None  # guaranteed by the op's verifier
        key = function.queue_symbol, function.device if self._takes_handle else ""
        after = run.after.pop(key, [])
        operation = issue.issue_start(order, function.queue, after, run.machine)
        ticket = len(run.operations) + 1
        run.operations[ticket] = operation
        return ticket

    def _accepted(
        self, run: EntryCalls, symbol: str, values: Sequence[int]
    ) -> tuple[DriverFunction, Command]:
        """Return the first instance that accepts these arguments, with the command for it.

        Raises the `Fault` of the first instance when no instance accepts them.
        """
        number, refusals, functions = run.count(symbol), list[Fault](), self._functions
        if self._takes_handle:
            device, values = run.devices.get(values[0]), values[1:]
            functions = [function for function in functions if function.device == device]
            if not functions:
                where = Where(symbol, f"call {number}")
                raise NoSuchDevice(where, "is given a handle of no device that has this function")
        for function in functions:
            try:
                point = run.point(symbol, function.device, number)
                return function, function.command(values, run.addresses, point)
            except Fault as refusal:
                refusals.append(refusal)
        raise refusals[0]


class QueueEntry:
    """The wait and after functions of the queues with one C symbol."""

    def __init__(self, functions: QueueFunctions) -> None:
        self._symbol = functions.symbol
        self._queues = {queue.sym_name.value: queue.device.value for queue in functions.queues}

    def wait(self, run: EntryCalls, *values: int) -> int:
        """Wait until the operation of the ticket has ended and return 0; raises `Fault`."""
        *handle, ticket = values
        point = self._point(run, f"{self._symbol}_wait", handle)
        operation = self._operation(run, ticket, point)
        device = self._queues.get(operation.queue)
        if device is None or (handle and run.devices[handle[0]] != device):
            reason = f"waits for ticket {ticket}, which is of @{operation.queue}"
            raise NoSuchTicket(Where(point.what, point.location, writer=str(operation)), reason)
        issue.issue_wait(operation, point, run.machine)
        return 0

    def after(self, run: EntryCalls, *values: int) -> int:
        """Order the next command of the queue after the operation and return 0; raises `Fault`."""
        *handle, ticket = values
        point = self._point(run, f"{self._symbol}_after", handle)
        key = self._symbol, point.device if handle else ""
        run.after.setdefault(key, []).append(self._operation(run, ticket, point))
        return 0

    def _point(self, run: EntryCalls, symbol: str, handle: Sequence[int]) -> ProgramPoint:
        """Return the program point of the call; without a handle, on the symbol's first device."""
        number, devices = run.count(symbol), list(self._queues.values())
        device = run.devices.get(handle[0]) if handle else devices[0]
        if device not in devices:
            where = Where(symbol, f"call {number}")
            raise NoSuchDevice(where, "is given a handle of no device that has this queue")
        return run.point(symbol, device, number)

    def _operation(self, run: EntryCalls, ticket: int, point: ProgramPoint) -> InFlightOperation:
        if ticket not in run.operations:
            reason = f"gets ticket {ticket}, which no queue has given"
            raise NoSuchTicket(Where(point.what, point.location), reason)
        return run.operations[ticket]
