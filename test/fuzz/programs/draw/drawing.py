"""The state of a drawing: the text so far, and what is in sight of the next operation."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

from fuzz.programs.values import BufferSet, InFlightOperation, Memref, Number

SHAPES = ((8, 16), (4, 16), (8, 16), (4, 16), (2, 16), (8, 32), (1, 16))
CONSTANTS = 4
"""Indices 0 to 3 are constants of every function."""
NONE: BufferSet = frozenset()
STATE: BufferSet = frozenset({0})


@dataclass
class Block:
    """What is in sight in a block; `barred` is what operations of blocks around it own."""

    values: list[Memref]
    numbers: list[Number]
    barred: tuple[InFlightOperation, ...] = ()
    in_flight: list[InFlightOperation] = field(default_factory=list)
    depth: int = 0

    def inner(self) -> Block:
        return Block(
            list(self.values),
            list(self.numbers),
            (*self.barred, *self.in_flight),
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

    def root(self) -> BufferSet:
        self.count += 1
        return frozenset({self.count})

    def any(
        self, block: Block, *, wanted: Callable[[Memref], bool], writes: bool = False
    ) -> Memref | None:
        """A value that may be used here now; one that operations of this block own, half the time.

        Those are waited for, or what is started is ordered behind them.
        """
        free = [v for v in block.values if wanted(v) and self.is_free(block, v, writes=writes)]
        if block.in_flight and self.random.random() < 0.5:
            owned = NONE.union(*(f.reads | f.writes for f in block.in_flight))
            free = [v for v in free if v.buffers & owned] or free
        return self.random.choice(free) if free else None

    @staticmethod
    def is_free(block: Block, value: Memref, *, writes: bool) -> bool:
        if writes and not value.is_written:
            return False
        reads, written = (NONE, value.buffers) if writes else (value.buffers, NONE)
        return not any(operation.clashes(reads, written) for operation in block.barred)

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
            wanted=lambda v: (
                source(v) and v.shape == written.shape and not v.buffers & written.buffers
            ),
        )
        return None if read is None else (read, written)

    def settle(self, block: Block, reads: BufferSet, writes: BufferSet) -> None:
        """Wait for operations of this block that own what the host uses now."""
        self.wait(block, [f for f in block.in_flight if f.clashes(reads, writes)])

    def wait(self, block: Block, in_flight: list[InFlightOperation]) -> None:
        if in_flight:
            self.emit(f"accel.wait {', '.join(operation.token for operation in in_flight)}")
        block.in_flight = [operation for operation in block.in_flight if operation not in in_flight]

    def fill(self, block: Block, budget: int) -> None:
        """Draw up to so many things, then wait for what was started here."""
        kinds = self.kinds(self, block)
        for _ in range(budget):
            self.random.choice(kinds)(self, block)
        self.wait(block, list(block.in_flight))


Kind = Callable[[Drawing, Block], None]
"""Draws one operation, or none if nothing in sight suits it."""
