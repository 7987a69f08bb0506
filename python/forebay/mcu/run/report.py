"""The report of a run on a board: memories, pools, operators, stack, outputs."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

FORMAT = "forebay-mcu-report"
VERSION = 1


@dataclass(frozen=True)
class MemoryUse:
    """A memory, and its bytes used by each section of the image."""

    name: str
    address: int
    size: int
    sections: dict[str, int]

    @property
    def used(self) -> int:
        """Bytes in use."""
        return sum(self.sections.values())


@dataclass(frozen=True)
class PoolUse:
    """A pool with its memory and its address in the linked image."""

    name: str
    kind: str
    memory: str
    section: str
    address: int
    size: int


@dataclass(frozen=True)
class FunctionCost:
    """A part of the network: bytes of code, instructions in each inference.

    `operator` is its index in the model, or None if the part belongs to no single operator.
    Instructions include those of the functions that it calls; code does not.
    """

    name: str
    operator: int | None
    kind: str
    tensor: str
    code: int
    instructions: tuple[int, ...]


@dataclass(frozen=True)
class StackUse:
    """Bytes of stack that an inference used, and the upper bound, None if unknown."""

    used: int
    bound: int | None
    reason: str = ""


@dataclass(frozen=True)
class OutputHash:
    """The FNV-1a hash of an output's bytes; `expected` is None for floats, which may differ."""

    step: int
    output: str
    hash: str
    expected: str | None


@dataclass(frozen=True)
class McuReport:
    """All results of a run; sizes in bytes, `instructions` are exact counts and no cycles."""

    model: str
    board: str
    compiler: str
    emulator: str
    flags: tuple[str, ...]
    memories: tuple[MemoryUse, ...]
    pools: tuple[PoolUse, ...]
    functions: tuple[FunctionCost, ...]
    stack: StackUse
    outputs: tuple[OutputHash, ...]

    @property
    def instructions(self) -> tuple[int, ...]:
        """Instructions of each inference."""
        per_function = [function.instructions for function in self.functions]
        return tuple(sum(run) for run in zip(*per_function, strict=True))

    @property
    def code(self) -> int:
        """Bytes of the network's code."""
        return sum(function.code for function in self.functions)

    def json(self) -> dict[str, Any]:
        """Return the report as a dictionary for JSON."""
        head = {"format": FORMAT, "version": VERSION}
        return {**head, **asdict(self), "instructions": self.instructions, "code": self.code}
