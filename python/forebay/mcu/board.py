"""The description of a board: memories, processor, tools, and default placement."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from forebay.cpus import GENERIC
from forebay.mcu.errors import McuError
from forebay.pools import PoolKind


@dataclass(frozen=True)
class BoardMemory:
    """A memory that a program is linked into; address and size in bytes.

    `kept` bytes are not used by the default placement of pools; they are for code, data and stack.
    """

    name: str
    address: int
    size: int
    title: str
    kept: int = 0

    @property
    def end(self) -> int:
        """The address after the last byte."""
        return self.address + self.size

    def holds(self, address: int, size: int = 1) -> bool:
        """Return whether `size` bytes from `address` on are in this memory."""
        return self.address <= address and address + size <= self.end


@dataclass(frozen=True)
class Tool:
    """A program, and the Debian package that contains it."""

    program: str
    package: str


@dataclass(frozen=True)
class Board:
    """A machine that QEMU emulates.

    `flags` choose the processor and its ABI. `startup` names the files of `runtime/` that only this
    kind of processor needs. `machine` are the emulator's arguments. `code`, `rodata` and `data`
    name the memories of the program itself; the stack is at the bottom of `data`. `homes` lists,
    for each kind of pool, the memories to try, in order. `library` is the Debian package of the C
    library whose mathematics the compiler uses; if it is None, networks that need `math.h` are
    refused. `processors` are those whose schedules the board runs, beside the portable one, with
    the flags that their instructions need.
    """

    name: str
    title: str
    compiler: Tool
    flags: tuple[str, ...]
    startup: tuple[str, ...]
    emulator: Tool
    machine: tuple[str, ...]
    memories: tuple[BoardMemory, ...]
    code: str
    rodata: str
    data: str
    homes: Mapping[PoolKind, tuple[str, ...]]
    library: str | None = None
    processors: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])

    def flags_for(self, cpu: str) -> tuple[str, ...]:
        """Return the compiler's flags for code with a processor's schedule.

        Raises `McuError` for a processor that the board does not have.
        """
        known = {GENERIC: (), **self.processors}
        if cpu not in known:
            raise McuError(
                f"board {self.name} runs no code for CPU '{cpu}'; --cpu may be {', '.join(known)}"
            )
        return (*self.flags, *known[cpu])

    def memory(self, name: str) -> BoardMemory:
        """Return the memory of this name; raise `KeyError` if there is none."""
        return {memory.name: memory for memory in self.memories}[name]
