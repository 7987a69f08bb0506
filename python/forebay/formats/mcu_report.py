"""The report of `forebay mcu`: a network on a microcontroller."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from forebay.formats.memory_map import PoolContents
from forebay.formats.record import Count, Document, Record

Hash = Annotated[str, Meta(pattern="^[0-9a-f]{16}$")]


class MemoryUse(Record, frozen=True):
    """A memory, and its bytes used by each section of the image."""

    name: Annotated[str, Meta(description="Name of the memory.")]
    address: Annotated[Count, Meta(description="Its first address.")]
    size: Annotated[Count, Meta(description="Its bytes.")]
    sections: Annotated[dict[str, Count], Meta(description="Used bytes by linker section.")]

    @property
    def used(self) -> int:
        """Bytes in use."""
        return sum(self.sections.values())


class PoolUse(Record, frozen=True):
    """A pool with its memory and its address in the linked image."""

    name: Annotated[str, Meta(description="Name of the pool.")]
    kind: Annotated[PoolContents, Meta(description="What the pool holds.")]
    memory: Annotated[str, Meta(description="Name of its memory.")]
    section: Annotated[str, Meta(description="Linker section of the pool.")]
    address: Annotated[Count, Meta(description="Address of its first byte.")]
    size: Annotated[Count, Meta(description="Bytes.")]
    touched: Annotated[
        Count | None,
        Meta(
            description="End of the highest byte that the runs wrote, found by a pattern that the "
            "pool was filled with; null for constants."
        ),
    ] = None
    guards: Annotated[
        Count | None,
        Meta(
            description="Bytes directly below and above the pool, which no run has changed; null "
            "without any: constants, fixed addresses, memories that are full."
        ),
    ] = None


class FunctionCost(Record, frozen=True):
    """A part of the network: bytes of code, instructions in each inference."""

    name: Annotated[str, Meta(description="Name of the C function, or of the part.")]
    operator: Annotated[
        int | None, Meta(description="Index in the model; null if it belongs to no operator.")
    ]
    kind: Annotated[str, Meta(description="Kind of the operator, or empty.")]
    tensor: Annotated[str, Meta(description="Name of the operator's result, or empty.")]
    code: Annotated[
        Count,
        Meta(
            description="Bytes of code, without functions that it calls; 0 if an earlier operator "
            "calls the same function."
        ),
    ]
    instructions: Annotated[
        tuple[Count, ...],
        Meta(description="Instructions in each inference, functions that it calls included."),
    ]


class StackUse(Record, frozen=True):
    """The stack of an inference."""

    used: Annotated[Count, Meta(description="Bytes that the run used.")]
    bound: Annotated[Count | None, Meta(description="Upper bound in bytes; null if unknown.")]
    reason: Annotated[str, Meta(description="Why the bound is unknown, or empty.")] = ""


class OutputHash(Record, frozen=True):
    """The FNV-1a hash of an output's bytes."""

    step: Annotated[Count, Meta(description="Number of the inference, from 0.")]
    output: Annotated[str, Meta(description="Name of the output.")]
    hash: Annotated[Hash, Meta(description="Hash of the bytes on the board.")]
    expected: Annotated[
        Hash | None, Meta(description="Hash of the expected bytes; null for floating point.")
    ]


class McuReport(Document, frozen=True, kw_only=True):
    """All results of a run; sizes in bytes, `instructions` are exact counts and no cycles."""

    document: ClassVar[str] = "mcu-report"
    title: ClassVar[str] = "Report of a microcontroller"

    format: Annotated[Literal["forebay-mcu-report"], Meta(description="Name of the format.")]
    version: Annotated[Literal[1], Meta(description="Version of the format.")]
    model: Annotated[str, Meta(description="Name of the model.")]
    board: Annotated[str, Meta(description="Title of the board.")]
    compiler: Annotated[str, Meta(description="The C compiler and its version.")]
    emulator: Annotated[str, Meta(description="The emulator and its version.")]
    flags: Annotated[tuple[str, ...], Meta(description="Flags of the C compiler.")]
    memories: Annotated[tuple[MemoryUse, ...], Meta(description="The board's memories.")]
    pools: Annotated[tuple[PoolUse, ...], Meta(description="The network's pools.")]
    functions: Annotated[tuple[FunctionCost, ...], Meta(description="Parts of the network.")]
    stack: Annotated[StackUse, Meta(description="Stack of an inference.")]
    outputs: Annotated[tuple[OutputHash, ...], Meta(description="All outputs of all inferences.")]
    instructions: Annotated[
        tuple[Count, ...], Meta(description="Instructions of each inference, all parts.")
    ]
    code: Annotated[Count, Meta(description="Bytes of the network's code.")]
