"""The order in which the parts of a pipelined loop start, and the waits between them.

With N slots, iteration `i` runs the rest of its parts in slot `i mod N`. As soon as the last part
that uses a loaded slot has started, the load of iteration `i + N` into that slot starts::

    host     wait load i | launch gemm i | wait store i-N | launch alu i | start store i
                                         | start load i+N after gemm i

A dependence inside of an iteration is a token that a queue waits for. A dependence on the iteration
that used the slot before is a token that the host waits for. So at most N instances of each
operation are in a queue.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from forebay.dialects.memref_pool import AllocOp
from forebay.ir.liveness.memory_effects import MemoryEffect
from forebay.scheduling.loop_parts import LoopParts, NotPipelinedError, Part, where


class LoadOrder(Struct, frozen=True):
    """The host waits for the load's token in front of part `first` of the rest.

    The next load into the slot starts behind part `last`. It starts when the parts of `after` have
    ended, and behind the loads `behind` of its own iteration.
    """

    first: int
    last: int
    after: tuple[int, ...]
    behind: tuple[int, ...]


class LoopOrder(Struct, frozen=True):
    """For each part of the rest: the parts it starts `after`, and those the host `waits` for first.

    `carried` are the parts whose tokens the host waits for in the next iteration of their slot,
    with the number of the part in front of which it waits. `ends` are the parts that the host waits
    for at the end of their iteration, because the next one, in another slot, needs the same
    register of a device.
    """

    loads: tuple[LoadOrder, ...]
    after: tuple[tuple[int, ...], ...]
    waits: tuple[tuple[int, ...], ...]
    carried: dict[int, int]
    ends: tuple[int, ...]


def order_of(parts: LoopParts) -> LoopOrder:
    """Return the order of a loop's parts.

    Raises `NotPipelinedError` when an iteration depends on others and nothing orders them.
    """
    _check_loads(parts)
    _check_rest(parts)
    edges = _Edges(parts)
    loads = tuple(edges.of_load(number) for number in range(len(parts.loads)))
    order = LoopOrder(loads, edges.after, edges.waits, edges.carried(loads), edges.ends)
    return _without_repeats(order, parts)


def _without_repeats(order: LoopOrder, parts: LoopParts) -> LoopOrder:
    """Remove tokens that repeat the order of a queue, if another queue waits for the operation."""
    queues = [part.queue_name for part in parts.rest]
    elsewhere = set(order.carried)
    for part, load in zip(parts.loads, order.loads, strict=True):
        elsewhere |= {number for number in load.after if queues[number] != part.queue_name}
    for number, waited in enumerate(order.after):
        elsewhere |= {other for other in waited if queues[other] != queues[number]}

    def needed(waited: tuple[int, ...], queue: str | None) -> tuple[int, ...]:
        return tuple(n for n in waited if n not in elsewhere or queues[n] != queue)

    loads = tuple(
        replace(load, after=needed(load.after, part.queue_name))
        for part, load in zip(parts.loads, order.loads, strict=True)
    )
    after = tuple(needed(waited, queues[number]) for number, waited in enumerate(order.after))
    return replace(order, loads=loads, after=after)


def _check_loads(parts: LoopParts) -> None:
    """Raise `NotPipelinedError` if a load may read what an earlier iteration writes.

    In the pipelined loop that write may run after the load.
    """
    body = list(parts.loop.body.operations)
    for load in parts.loads:
        for read in (effect for effect in load.effects if effect.reads):
            for part in parts.rest:
                for effect in _writes(part):
                    is_before = body.index(part.op) < body.index(load.op)
                    if _overlap_later(read, effect, parts) or (
                        is_before and effect.may_overlap(read)
                    ):
                        raise NotPipelinedError(
                            f"{where(load)} reads what {where(part)} may have written before"
                        )


def _check_rest(parts: LoopParts) -> None:
    """Check that one queue, or the host, does all conflicting accesses to shared memory.

    Raises `NotPipelinedError` otherwise.
    """
    for number, one in enumerate(parts.rest):
        for other in parts.rest[number:]:
            if one.queue_name == other.queue_name:
                continue
            for effect, second in _conflicts(one, other):
                if _is_in_slot(effect, parts) or effect.is_in_register:
                    continue
                if _overlap_later(effect, second, parts):
                    raise NotPipelinedError(
                        f"{where(one)} and {where(other)} use the same memory in different "
                        "iterations, and nothing orders them; let one queue run both"
                    )


def _conflicts(one: Part, other: Part) -> list[tuple[MemoryEffect, MemoryEffect]]:
    return [(a, b) for a in one.effects for b in other.effects if a.writes or b.writes]


def _writes(part: Part) -> list[MemoryEffect]:
    return [effect for effect in part.effects if effect.writes]


def _is_in_slot(effect: MemoryEffect, parts: LoopParts) -> bool:
    slots = {slot.memref for slot in parts.slots}
    return effect.objects is not None and effect.objects <= slots


def _overlap_later(one: MemoryEffect, other: MemoryEffect, parts: LoopParts) -> bool:
    """Return whether both may access one element in two different iterations."""
    if not one.may_alias(other):
        return False
    if one.region is None or other.region is None:
        return True
    return one.region.may_overlap_later(other.region, parts.loop)


class _Edges:
    """The dependences between the parts of one iteration."""

    def __init__(self, parts: LoopParts) -> None:
        self._parts = parts
        self._over: set[int] = set()
        """Return the operations that the host has waited for so far."""
        self._reach: list[set[int]] = []
        """By number: itself, and what is over when it is."""
        after: list[tuple[int, ...]] = []
        waits: list[tuple[int, ...]] = []
        self._over_at: list[frozenset[int]] = []
        for number, part in enumerate(parts.rest):
            before = self._maximal(n for n in range(number) if self._is_behind(part, n))
            is_started = part.queue is not None
            after.append(before if is_started else ())
            waits.append(() if is_started else before)
            self._reach.append({number}.union(*(self._reach[n] for n in before)))
            if not is_started:
                self._over |= self._reach[number]
            self._over_at.append(frozenset(self._over))
        self.after, self.waits = tuple(after), tuple(waits)
        self.ends = tuple(n for n in self._sharing() if self._is_open(n, self._over))
        for number in self.ends:
            self._over |= self._reach[number]

    def _sharing(self) -> list[int]:
        """Return the parts that share a register with another queue, or with the host."""
        found: set[int] = set()
        for number, one in enumerate(self._parts.rest):
            for other, second in enumerate(self._parts.rest[:number]):
                if one.queue_name == second.queue_name:
                    continue
                if any(a.is_in_register and a.may_alias(b) for a, b in _conflicts(one, second)):
                    found |= {number, other}
        return sorted(found)

    def _is_behind(self, part: Part, number: int) -> bool:
        earlier = self._parts.rest[number]
        return self._is_open(number, self._over) and any(
            one.may_overlap(other) for one, other in _conflicts(part, earlier)
        )

    def _is_open(self, number: int, over: set[int] | frozenset[int]) -> bool:
        return self._parts.rest[number].queue is not None and number not in over

    def _maximal(self, numbers: object) -> tuple[int, ...]:
        """Return those parts that no other of them depends on."""
        given = sorted(numbers)  # type: ignore[call-overload]
        return tuple(n for n in given if not any(n in self._reach[m] for m in given if m != n))

    def _users(self, slot: AllocOp) -> list[int]:
        rest = self._parts.rest
        return [n for n, part in enumerate(rest) if part.accesses(slot)]

    def of_load(self, number: int) -> LoadOrder:
        """Return when the load of the next iteration of a slot starts."""
        load, end = self._parts.loads[number], len(self._parts.rest) - 1
        slot = self._slot_of(load)
        users = self._users(slot)
        reads = [effect for effect in load.effects if effect.reads]
        writers = [
            n
            for n, part in enumerate(self._parts.rest)
            if any(effect.may_overlap(read) for effect in _writes(part) for read in reads)
        ]
        last = max(users, default=end)
        over = self._over_at[last] if last >= 0 else frozenset[int]()
        open_ = self._maximal(n for n in users if self._is_open(n, over))
        behind = tuple(
            n
            for n, other in enumerate(self._parts.loads[:number])
            if any(one.may_overlap(two) for one in _writes(other) for two in _writes(load))
        )
        return LoadOrder(min([*users, *writers], default=0), last, open_, behind)

    def _slot_of(self, load: Part) -> AllocOp:
        return next(s for s in self._parts.slots if load.accesses(s))

    def carried(self, loads: Sequence[LoadOrder]) -> dict[int, int]:
        """Return the parts that only the next iteration of their slot waits for.

        The value is the number of the part in front of which it waits.
        """
        found: dict[int, int] = {}
        filled = [self._slot_of(load) for load in self._parts.loads]
        for slot in self._parts.slots:
            users = self._users(slot)
            if slot not in filled and users:
                for number in self._maximal(n for n in users if self._is_open(n, self._over)):
                    found[number] = min(users[0], found.get(number, users[0]))
        waited = {n for order in loads for n in order.after}.union(*self.after, *self.waits)
        for number, part in enumerate(self._parts.rest):
            is_loose = number not in waited or not self._uses_slot(part)
            if self._is_open(number, self._over) and is_loose:
                found.setdefault(number, 0)
        return found

    def _uses_slot(self, part: Part) -> bool:
        return any(part.accesses(slot) for slot in self._parts.slots)
