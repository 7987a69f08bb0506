"""What a run on a board showed: memories, pools, operators, stack, outputs."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

FORMAT = "forebay-mcu-report"
VERSION = 1


@dataclass(frozen=True)
class MemoryUse:
    """A memory, and the bytes of it that each section of the image takes."""

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
    """Where a pool lies; the address is the linked one."""

    name: str
    kind: str
    memory: str
    section: str
    address: int
    size: int


@dataclass(frozen=True)
class FunctionCost:
    """A part of the network: bytes of code, instructions in each inference.

    `operator` is its index in the model, None for what is no operator's own. Instructions
    include those of the functions that it calls, code does not.
    """

    name: str
    operator: int | None
    kind: str
    tensor: str
    code: int
    instructions: tuple[int, ...]


@dataclass(frozen=True)
class StackUse:
    """Bytes of stack that an inference took, and the most that it can take, None if unknown."""

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
    """All that was seen; sizes in bytes, `instructions` are counted exactly, no cycles."""

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
        """The same for tools."""
        head = {"format": FORMAT, "version": VERSION}
        return {**head, **asdict(self), "instructions": self.instructions, "code": self.code}
