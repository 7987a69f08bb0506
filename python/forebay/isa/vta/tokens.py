"""Tokens between the cores, and what each instruction can know to be complete.

A vector clock counts, for each core, the instructions that are complete for certain. A token
carries the clock of the instruction that gave it; who takes it knows what the giver knew.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from typing import TypeAlias

from forebay.isa.vta.instructions import DependencyBits, VtaCore

CoreClock: TypeAlias = tuple[int, int, int]
NOTHING_COMPLETE: CoreClock = (0, 0, 0)

PREVIOUS = {VtaCore.COMPUTE: VtaCore.LOAD, VtaCore.STORE: VtaCore.COMPUTE}
NEXT = {VtaCore.LOAD: VtaCore.COMPUTE, VtaCore.COMPUTE: VtaCore.STORE}


def joined_clocks(one: CoreClock, other: CoreClock) -> CoreClock:
    """Return what is complete if both clocks are known."""
    return max(one[0], other[0]), max(one[1], other[1]), max(one[2], other[2])


def neighbours(
    core: VtaCore, bits: DependencyBits
) -> tuple[list[VtaCore | None], list[VtaCore | None]]:
    """Return the neighbours to take tokens from and to give them to; None if there is none."""
    before, after = PREVIOUS.get(core), NEXT.get(core)
    taken = [other for bit, other in ((bits.pop_prev, before), (bits.pop_next, after)) if bit]
    given = [other for bit, other in ((bits.push_prev, before), (bits.push_next, after)) if bit]
    return taken, given


class TokenQueues:
    """The four queues of tokens, from one core to a neighbour, and the clock of each core."""

    def __init__(self) -> None:
        self._tokens: dict[tuple[VtaCore, VtaCore], deque[CoreClock]] = {
            pair: deque() for pair in ((a, b) for a in VtaCore for b in VtaCore if abs(a - b) == 1)
        }
        self._clocks: dict[VtaCore, CoreClock] = dict.fromkeys(VtaCore, NOTHING_COMPLETE)
        self._taken_at: dict[tuple[VtaCore, VtaCore], list[int]] = {p: [] for p in self._tokens}
        self._given: dict[tuple[VtaCore, VtaCore], int] = dict.fromkeys(self._tokens, 0)

    def missing(self, core: VtaCore, taken: list[VtaCore]) -> list[VtaCore]:
        """Return the neighbours that have given no token yet."""
        return [other for other in taken if not self._tokens[other, core]]

    def start(self, core: VtaCore, taken: list[VtaCore]) -> CoreClock:
        """Take the tokens; return what is complete before the instruction."""
        clock = self._clocks[core]
        for other in taken:
            clock = joined_clocks(clock, self._tokens[other, core].popleft())
            self._taken_at[other, core].append(self._clocks[core][core] + 1)
        self._clocks[core] = clock
        return clock

    def end(self, core: VtaCore, given: list[VtaCore]) -> None:
        """Count the instruction as complete and give its tokens."""
        clock = list(self._clocks[core])
        clock[core] += 1
        self._clocks[core] = (clock[0], clock[1], clock[2])
        for other in given:
            self._tokens[core, other].append(self._clocks[core])
            self._given[core, other] += 1

    def most_outstanding(self, core: VtaCore, other: VtaCore) -> int:
        """Return how many tokens to `other` there may be: given, and not taken for certain."""
        known = self._clocks[core][other]
        taken = bisect_right(self._taken_at[core, other], known)
        return self._given[core, other] - taken

    def known(self, core: VtaCore) -> CoreClock:
        """Return what the core's next instruction knows to be complete."""
        return self._clocks[core]

    def left(self) -> dict[tuple[VtaCore, VtaCore], int]:
        """Return the numbers of tokens that no instruction took."""
        return {pair: len(tokens) for pair, tokens in self._tokens.items() if tokens}
