"""The data of one plan, as the scripts of the page read it; indices are positions in lists."""

from __future__ import annotations

from msgspec import Struct

from forebay.formats.memory_map import PoolContents


class ShownPool(Struct, frozen=True, rename="camel"):
    """A pool, the reason of its lower bound, and its live bytes as pairs of a step and bytes."""

    name: str
    kind: PoolContents
    peak: int
    lower_bound: int | None
    capacity: int | None
    argument: str
    at_bound: tuple[int, ...]
    step: int | None
    live: tuple[tuple[int, int], ...]


class ShownBuffer(Struct, frozen=True, rename="camel"):
    """A buffer; `spans` are the half-open ranges of steps in which it is live."""

    name: str
    pool: int
    offset: int
    size: int
    spans: tuple[tuple[int, int], ...]
    kind: str
    details: str = ""
    device: str = ""
    producer: int | None = None
    consumers: tuple[int, ...] = ()
    group: str = ""


class ShownOperator(Struct, frozen=True, rename="camel"):
    """An operator of the model, with the range of steps from its first to its last.

    `index` is its index in the model's file, `instructions` a count of a run on a board.
    """

    title: str
    kind: str
    name: str
    device: str
    pattern: str = ""
    reasons: tuple[str, ...] = ()
    macs: int | None = None
    bytes: int | None = None
    cycles: int | None = None
    instructions: int | None = None
    index: int | None = None
    steps: tuple[int, int] | None = None


class ShownStep(Struct, frozen=True, rename="camel"):
    """A step of the schedule."""

    operator: int | None
    op: str
    device: str
    location: str
    reads: tuple[int, ...] = ()
    writes: tuple[int, ...] = ()


class ShownBudget(Struct, frozen=True, rename="camel"):
    """A plan of a pool: its bytes, and the instructions that it adds; `step` says what was done."""

    pool: str
    step: str
    bytes: int
    added: int


class ShownSpan(Struct, frozen=True, rename="camel"):
    """The work of a lane in the cycles `[begin, end)`; `operator` is an index, if it is known."""

    lane: int
    name: str
    begin: int
    end: int
    location: str
    operator: int | None
    bytes: int
    waits: bool = False


class ShownTimeline(Struct, frozen=True, rename="camel"):
    """A modelled run: lanes with their busy cycles, and spans."""

    cycles: int
    lanes: tuple[str, ...]
    busy: tuple[int, ...]
    spans: tuple[ShownSpan, ...]


class PlanData(Struct, frozen=True, rename="camel"):
    """One plan; `facts` are titles with values, `edges` pairs of operators, `ticks` the steps."""

    name: str
    facts: tuple[tuple[str, str], ...]
    ticks: int
    devices: tuple[str, ...]
    pools: tuple[ShownPool, ...]
    buffers: tuple[ShownBuffer, ...]
    operators: tuple[ShownOperator, ...] = ()
    steps: tuple[ShownStep, ...] = ()
    edges: tuple[tuple[int, int], ...] = ()
    budgets: tuple[ShownBudget, ...] = ()
    frontier: tuple[ShownBudget, ...] = ()
    timeline: ShownTimeline | None = None
