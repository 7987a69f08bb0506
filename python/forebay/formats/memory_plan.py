"""The plan of a problem: the pool and offset of each buffer, and a certificate for each pool."""

from __future__ import annotations

from typing import Annotated, ClassVar

from msgspec import UNSET, Meta, UnsetType

from forebay.formats.record import Count, Document, Record


class PlannedPlacement(Record, frozen=True):
    """The placement of a buffer."""

    pool: Annotated[str, Meta(description="Name of the pool.")]
    offset: Annotated[Count, Meta(description="Bytes from the base of the pool.")]


class PoolQuality(Record, frozen=True, kw_only=True):
    """The certificate of a pool: its peak, and a lower bound with the reason why it holds."""

    pool: Annotated[str, Meta(description="Name of the pool.")]
    peak: Annotated[Count, Meta(description="Bytes that the plan needs.")]
    lower_bound: Annotated[
        Count,
        Meta(description="No plan that assigns these buffers to the pool needs fewer bytes."),
    ]
    optimal: Annotated[bool, Meta(description="Whether the peak equals the lower bound.")]
    argument: Annotated[str, Meta(description="Why no plan ends below the lower bound.")]
    at_bound: Annotated[
        tuple[str, ...], Meta(description="Names of the buffers that the argument refers to.")
    ]
    step: Annotated[str, Meta(description="The operation at the tick of the argument, or empty.")]
    holes: Annotated[
        tuple[tuple[Count, Count], ...],
        Meta(
            description="The largest unused byte ranges [start, end) below the peak while these "
            "buffers are live."
        ),
    ]
    penalty: Annotated[
        Count | UnsetType,
        Meta(description="Penalties in this pool; present if the problem has separations."),
    ] = UNSET


class MemoryPlan(Document, frozen=True, kw_only=True):
    """The output of `forebay plan`."""

    document: ClassVar[str] = "plan"
    title: ClassVar[str] = "Memory plan"

    planner: Annotated[str, Meta(description="Name of the planner.")]
    cost: Annotated[Count, Meta(description="Cost of the choice of pools.")]
    penalty: Annotated[
        Count | UnsetType,
        Meta(description="Penalties of all separations; present if the problem has any."),
    ] = UNSET
    pools: Annotated[
        tuple[PoolQuality, ...], Meta(description="Certificates, in the order of the problem.")
    ]
    placements: Annotated[
        dict[str, PlannedPlacement], Meta(description="Placements by the names of the buffers.")
    ]
