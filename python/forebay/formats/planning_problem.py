"""The planning problem: pools, buffers, and pairs of buffers that must or should lie apart.

The meaning of each field is that of `forebay.planning.model`.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from forebay.formats.record import Count, Document, Positive, Record

_Interval = tuple[int, int]
_ByteRange = tuple[Count, Count]


class ProblemPool(Record, frozen=True, omit_defaults=True):
    """A named memory pool. All offsets are bytes from its base."""

    name: Annotated[str, Meta(description="Name, unique among the pools.")]
    capacity: Annotated[
        Count | None, Meta(description="Bytes from the base to the end; null is unlimited.")
    ] = None
    alignment: Annotated[
        Positive,
        Meta(
            description="Power of two, in bytes: alignment of the base address, and of each buffer "
            "without an alignment of its own."
        ),
    ] = 1
    reserved: Annotated[
        tuple[_ByteRange, ...],
        Meta(description="Byte ranges [start, end) that a plan must not use."),
    ] = ()
    start: Annotated[Count, Meta(description="First byte that a plan may use.")] = 0
    base: Annotated[
        Count | None, Meta(description="Absolute address of offset 0 if it is fixed.")
    ] = None
    unit: Annotated[
        Positive,
        Meta(
            description="Bytes of one addressable row; buffers begin on a row and fill whole rows."
        ),
    ] = 1
    cost: Annotated[
        Count | None,
        Meta(
            description="Cost of each byte of a buffer in this pool. When no candidate of a buffer "
            "has a cost, it is the rank of the pool among the candidates."
        ),
    ] = None
    weight: Annotated[
        Count, Meta(description="Weight of a byte of peak when plans of equal cost are compared.")
    ] = 1
    banks: Annotated[Positive, Meta(description="Number of equal parts of the capacity.")] = 1


class ProblemBuffer(Record, frozen=True, omit_defaults=True):
    """A buffer that needs a placement."""

    name: Annotated[str, Meta(description="Name, unique among the buffers.")]
    size: Annotated[Positive, Meta(description="Bytes.")]
    lifetime: Annotated[
        tuple[_Interval, ...],
        Meta(
            description="Disjoint ascending intervals [start, end) of ticks. Empty when only the "
            "explicit conflicts count. Constants and state are always live."
        ),
    ] = ()
    candidates: Annotated[
        tuple[str, ...], Meta(description="Names of the candidate pools in order of preference.")
    ] = ()
    alignment: Annotated[
        Positive | None,
        Meta(description="Power of two, in bytes, of the absolute address; null: the pool's."),
    ] = None
    kind: Annotated[
        Literal["workspace", "constant", "state", "input", "output"],
        Meta(description="What the buffer holds."),
    ] = "workspace"
    pinned_pool: Annotated[str | None, Meta(description="The pool, if it is fixed.")] = None
    pinned_offset: Annotated[
        Count | None,
        Meta(description="The offset in bytes, if it is fixed; needs one possible pool."),
    ] = None
    pinned_by: Annotated[
        tuple[str, ...], Meta(description="Operations that fix the pool, for messages.")
    ] = ()
    alias: Annotated[
        str | None,
        Meta(description="Name of the alias group, whose members share one address."),
    ] = None
    costs: Annotated[
        tuple[Count, ...] | None,
        Meta(description="Cost of the whole buffer in each candidate pool, in their order."),
    ] = None
    origin: Annotated[str, Meta(description="Where the buffer comes from, for messages.")] = ""
    block: Annotated[
        str | None,
        Meta(description="Name of the rigid block, whose members keep their relative places."),
    ] = None
    block_offset: Annotated[
        Count, Meta(description="Bytes from the beginning of the block to the buffer.")
    ] = 0


class ProblemSeparation(Record, frozen=True, omit_defaults=True):
    """A preference for speed, weaker than any byte of peak: two buffers that should lie apart."""

    first: Annotated[str, Meta(description="Name of a buffer.")]
    second: Annotated[str, Meta(description="Name of another buffer.")]
    shared_byte: Annotated[Count, Meta(description="Penalty of each byte that both occupy.")] = 0
    same_bank: Annotated[
        Count, Meta(description="Penalty when both occupy bytes of one bank of a pool.")
    ] = 0


class PlanningProblem(
    Document, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=False
):
    """The input of `forebay plan`: a plan gives each buffer a pool and an offset.

    Unknown fields of the whole document are ignored, so that it may say where it comes from.
    """

    document: ClassVar[str] = "planning-problem"
    title: ClassVar[str] = "Planning problem"

    name: Annotated[str, Meta(description="Name of the problem; default: that of the file.")] = ""
    pools: Annotated[tuple[ProblemPool, ...], Meta(description="All pools.")]
    buffers: Annotated[tuple[ProblemBuffer, ...], Meta(description="All buffers.")]
    conflicts: Annotated[
        tuple[tuple[str, str], ...],
        Meta(
            description="Pairs of buffers that must not share bytes, besides those whose lifetimes "
            "overlap."
        ),
    ] = ()
    separations: Annotated[
        tuple[ProblemSeparation, ...], Meta(description="Pairs that should lie apart.")
    ] = ()
    steps: Annotated[
        tuple[str, ...], Meta(description="Name of the operation at each tick 0, 1, ...")
    ] = ()
