"""The state of a drawing: the text so far, and what is in sight of the next operation."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

from fuzz.programs.values import Flight, Memref, Number, Roots

SHAPES = ((8, 16), (4, 16), (8, 16), (4, 16), (2, 16), (8, 32), (1, 16))
CONSTANTS = 4
"""Indices 0 to 3 are constants of every function."""
NONE: Roots = frozenset()
STATE: Roots = frozenset({0})


@dataclass
class Block:
    """What is in sight in a block; `barred` is what operations of blocks around it own."""

    values: list[Memref]
    numbers: list[Number]
    barred: tuple[Flight, ...] = ()
    flights: list[Flight] = field(default_factory=list)
    depth: int = 0

    def inner(self) -> Block:
        return Block(
            list(self.values),
            list(self.numbers),
            (*self.barred, *self.flights),
            depth=self.depth + 1,
        )


@dataclass
class Drawing:
    """A program that is being drawn, one line of text after the other."""

    random: random.Random
    kinds: Callable[[Drawing, Block], list[Kind]]
    budget: int
    uses_queues: bool
    chooses: bool
    has_state: bool = False
    has_choice: bool = False
    lines: list[str] = field(default_factory=list)
    callees: list[tuple[str, list[Memref]]] = field(default_factory=list)
    count: int = 0

    @staticmethod
    def of_seed(seed: int, kinds: Callable[[Drawing, Block], list[Kind]]) -> Drawing:
        """Return an empty program; `kinds` lists the operations that may be drawn in a block."""
        numbers = random.Random(seed)
        return Drawing(
            random=numbers,
            kinds=kinds,
            budget=numbers.choice((5, 10, 10, 20, 30)),
            uses_queues=numbers.random() < 0.35,
            chooses=numbers.random() < 0.25,
            has_state=numbers.random() < 0.3,
        )

    def emit(self, line: str) -> None:
        self.lines.append(line)

    def new(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def root(self) -> Roots:
        self.count += 1
        return frozenset({self.count})

    def any(
        self, block: Block, *, wanted: Callable[[Memref], bool], writes: bool = False
    ) -> Memref | None:
        """A value that may be used here now; one that operations of this block own, half the time.

        Those are waited for, or what is started is ordered behind them.
        """
        free = [v for v in block.values if wanted(v) and self.is_free(block, v, writes=writes)]
        if block.flights and self.random.random() < 0.5:
            owned = NONE.union(*(f.reads | f.writes for f in block.flights))
            free = [v for v in free if v.roots & owned] or free
        return self.random.choice(free) if free else None

    @staticmethod
    def is_free(block: Block, value: Memref, *, writes: bool) -> bool:
        if writes and not value.is_written:
            return False
        reads, written = (NONE, value.roots) if writes else (value.roots, NONE)
        return not any(flight.clashes(reads, written) for flight in block.barred)

    def pair(
        self,
        block: Block,
        *,
        source: Callable[[Memref], bool],
        target: Callable[[Memref], bool],
    ) -> tuple[Memref, Memref] | None:
        """Two values of one shape that share no byte."""
        written = self.any(block, wanted=target, writes=True)
        if written is None:
            return None
        read = self.any(
            block,
            wanted=lambda v: source(v) and v.shape == written.shape and not v.roots & written.roots,
        )
        return None if read is None else (read, written)

    def settle(self, block: Block, reads: Roots, writes: Roots) -> None:
        """Wait for operations of this block that own what the host uses now."""
        self.wait(block, [f for f in block.flights if f.clashes(reads, writes)])

    def wait(self, block: Block, flights: list[Flight]) -> None:
        if flights:
            self.emit(f"accel.wait {', '.join(flight.token for flight in flights)}")
        block.flights = [flight for flight in block.flights if flight not in flights]

    def fill(self, block: Block, budget: int) -> None:
        """Draw up to so many things, then wait for what was started here."""
        kinds = self.kinds(self, block)
        for _ in range(budget):
            self.random.choice(kinds)(self, block)
        self.wait(block, list(block.flights))


Kind = Callable[[Drawing, Block], None]
"""Draws one operation, or none if nothing in sight suits it."""
