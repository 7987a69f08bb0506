"""What a run on a board showed: memories, pools, operators, stack, outputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from forebay.report.table import table

FORMAT = "forebay-mcu-report"
VERSION = 1
WIDTH = 40  # of a tensor's name in the table


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
class Stack:
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
class Report:
    """All that was seen; sizes in bytes, `instructions` are counted exactly, no cycles."""

    model: str
    board: str
    compiler: str
    emulator: str
    flags: tuple[str, ...]
    memories: tuple[MemoryUse, ...]
    pools: tuple[PoolUse, ...]
    functions: tuple[FunctionCost, ...]
    stack: Stack
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

    def __str__(self) -> str:
        return "\n\n".join(
            [
                f"{self.model} on {self.board}: {_count(self.outputs)} equal to the goldens\n"
                f"{self.compiler}: {' '.join(self.flags)}\n{self.emulator}",
                _memories(self.memories),
                _pools(self.pools),
                _functions(self),
                _stack(self.stack),
            ]
        )


def _count(outputs: Sequence[OutputHash]) -> str:
    return f"{len(outputs)} output{'' if len(outputs) == 1 else 's'}"


def _memories(memories: Sequence[MemoryUse]) -> str:
    rows = [
        [m.name, f"{m.address:#010x}", f"{m.size:,}", f"{m.used:,}", _listed(m.sections)]
        for m in memories
    ]
    return table(["memory", "address", "size", "used", ""], rows)


def _listed(sections: dict[str, int]) -> str:
    return ", ".join(f"{name} {size:,}" for name, size in sections.items())


def _pools(pools: Sequence[PoolUse]) -> str:
    rows = [[p.name, p.kind, p.memory, f"{p.address:#010x}", f"{p.size:,}"] for p in pools]
    return table(["pool", "kind", "memory", "address", "size"], rows)


def _functions(report: Report) -> str:
    """Instructions of the first inference, and the range where inferences differ."""
    total = report.instructions[0]
    rows = [
        [
            _title(f),
            f"{f.code:,}",
            f"{f.instructions[0]:,}",
            f"{f.instructions[0] / total:.1%}",
        ]
        for f in report.functions
    ]
    rows.append(["total", f"{report.code:,}", f"{total:,}", "100.0%"])
    text = table(["function", "code", "instructions", "share"], rows)
    low, high = min(report.instructions), max(report.instructions)
    if low == high:
        return text
    runs = len(report.instructions)
    return f"{text}\ninstructions over the {runs} inferences: {low:,} to {high:,}"


def _title(function: FunctionCost) -> str:
    """Operators by index, kind and tensor; the JSON has the names that are too long here."""
    if function.operator is None:
        return function.name
    tensor = function.tensor
    short = tensor if len(tensor) <= WIDTH else f"{tensor[: WIDTH - 3]}..."
    return f"{function.operator} {function.kind} {short}"


def _stack(stack: Stack) -> str:
    bound = f"bound {stack.bound:,}" if stack.bound is not None else f"no bound: {stack.reason}"
    return f"stack: {stack.used:,} used, {bound}"
