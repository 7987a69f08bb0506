"""The ways from compiled code into the machine: a gate per C function of a device."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from forebay.codegen.transfers import QueueFunctions
from forebay.emulator import issue
from forebay.emulator.faults import Fault, NoSuchTicket, Where
from forebay.emulator.flight import Flight
from forebay.emulator.issue import Order
from forebay.emulator.machine import Machine
from forebay.emulator.offers import Offer
from forebay.emulator.places import Places
from forebay.emulator.site import Site


@dataclass
class Run:
    """What compiled code has told devices in this run.

    `after` are, by the symbol of a queue, the flights that what it is given next is behind.
    """

    machine: Machine
    places: Places
    flights: dict[int, Flight] = field(default_factory=dict[int, Flight])
    after: dict[str, list[Flight]] = field(default_factory=dict[str, list[Flight]])
    _calls: dict[str, int] = field(default_factory=dict[str, int])
    _sites: dict[tuple[str, str, int], Site] = field(
        default_factory=dict[tuple[str, str, int], Site]
    )

    def begin(self) -> None:
        """Calls and tickets count from 1 again."""
        self.machine.begin_run()
        self.places.begin_run()
        for known in (self.flights, self.after, self._calls):
            known.clear()

    def count(self, symbol: str) -> int:
        """The number of this call of a C function."""
        self._calls[symbol] = self._calls.get(symbol, 0) + 1
        return self._calls[symbol]

    def site(self, symbol: str, device: str, number: int) -> Site:
        """Who acts by a call."""
        key = symbol, device, number
        if key not in self._sites:
            self._sites[key] = self.machine.sites.of_call(*key)
        return self._sites[key]


class Gate:
    """The functions of one C symbol: what is called, or started.

    Instances of a device share it, and a call does not say which of them it means: it is right if
    it is right for one.
    """

    def __init__(self, symbol: str, offers: Sequence[Offer]) -> None:
        self._symbol = symbol
        self._offers = offers

    def call(self, run: Run, *values: int) -> int:
        """Do it; 0, or a `Fault`."""
        offer, order = self._accepted(run, self._symbol, values)
        issue.call(order, offer.lane, run.machine)
        return 0

    def start(self, run: Run, *values: int) -> int:
        """Give it to its queue; the ticket, or a `Fault`."""
        offer, order = self._accepted(run, f"{self._symbol}_start", values)
        assert offer.queue is not None  # says the verifier
        after = run.after.pop(offer.queue_symbol, [])
        flight = issue.start(order, offer.queue, after, run.machine)
        ticket = len(run.flights) + 1
        run.flights[ticket] = flight
        return ticket

    def _accepted(self, run: Run, symbol: str, values: Sequence[int]) -> tuple[Offer, Order]:
        """The first instance that takes these arguments; what the first says if none does."""
        number, refusals = run.count(symbol), list[Fault]()
        for offer in self._offers:
            try:
                site = run.site(symbol, offer.device, number)
                return offer, offer.order(values, run.places, site)
            except Fault as refusal:
                refusals.append(refusal)
        raise refusals[0]


class Desk:
    """What queues of one C symbol are told about tickets."""

    def __init__(self, functions: QueueFunctions) -> None:
        self._symbol = functions.symbol
        self._queues = {queue.sym_name.value: queue.device.value for queue in functions.queues}

    def wait(self, run: Run, ticket: int) -> int:
        """Until the operation has ended; 0, or a `Fault`."""
        symbol = f"{self._symbol}_wait"
        site = self._site(run, symbol)
        flight = self._flight(run, ticket, site)
        if flight.queue not in self._queues:
            reason = f"waits for ticket {ticket}, which is of @{flight.queue}"
            raise NoSuchTicket(Where(site.what, site.location, writer=str(flight)), reason)
        issue.wait(flight, site, run.machine)
        return 0

    def after(self, run: Run, ticket: int) -> int:
        """What is given next is behind the operation; 0, or a `Fault`."""
        site = self._site(run, f"{self._symbol}_after")
        run.after.setdefault(self._symbol, []).append(self._flight(run, ticket, site))
        return 0

    def _site(self, run: Run, symbol: str) -> Site:
        device = next(iter(self._queues.values()))
        return run.site(symbol, device, run.count(symbol))

    def _flight(self, run: Run, ticket: int, site: Site) -> Flight:
        if ticket not in run.flights:
            reason = f"is told ticket {ticket}, which no queue has given"
            raise NoSuchTicket(Where(site.what, site.location), reason)
        return run.flights[ticket]
