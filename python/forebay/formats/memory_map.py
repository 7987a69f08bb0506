"""`<model>.json`, the memory map of a project: where every buffer is, and what it holds."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from msgspec import UNSET, Meta, UnsetType

from forebay.formats.record import Count, Document, Positive, Record, Sha256

PoolContents = Literal["workspace", "constant", "state"]


class ModelIdentity(Record, frozen=True):
    """The model that was compiled."""

    name: Annotated[str, Meta(description="Name of the model.")]
    hash: Annotated[Sha256, Meta(description="SHA-256 of the model file.")]


class StackBounds(Record, frozen=True, rename={"bits32": "32", "bits64": "64"}):
    """Upper bounds of the network's stack in bytes, by the size of a pointer."""

    bits32: Annotated[Count, Meta(description="Where pointers have 32 bits.")]
    bits64: Annotated[Count, Meta(description="Where pointers have 64 bits.")]


class MapPool(Record, frozen=True, kw_only=True):
    """A pool that the application provides, or whose address is fixed."""

    name: Annotated[str, Meta(description="Name of the pool.")]
    kind: Annotated[PoolContents, Meta(description="What the pool holds.")]
    peak: Annotated[Count, Meta(description="Bytes that the application must provide.")]
    lower_bound: Annotated[
        Count | None, Meta(description="No plan of these buffers needs fewer bytes.")
    ]
    capacity: Annotated[Count | None, Meta(description="Bytes of the memory; null: unlimited.")]
    alignment: Annotated[Positive, Meta(description="Bytes; alignment of the pool's base.")]
    section: Annotated[str | None, Meta(description="Linker section of the pool's array.")]
    fill: Annotated[
        Literal["rom", "at_init", "by_host"] | None,
        Meta(
            description="Who fills a pool of constants: the linker, a generated function, or the "
            "application; null for other pools."
        ),
    ]
    base: Annotated[
        Count | UnsetType, Meta(description="Address of offset 0; present if it is fixed.")
    ] = UNSET
    start: Annotated[
        Count | UnsetType,
        Meta(description="First byte in use; present if the base is fixed."),
    ] = UNSET


class InsidePool(Record, frozen=True):
    """A pool inside a device, whose addresses count rows from its base."""

    name: Annotated[str, Meta(description="Name of the pool.")]
    peak: Annotated[Count, Meta(description="Bytes in use.")]
    lower_bound: Annotated[
        Count | None, Meta(description="No plan of these buffers needs fewer bytes.")
    ]
    capacity: Annotated[Count | None, Meta(description="Bytes of the memory; null: unlimited.")]
    base: Annotated[Count, Meta(description="Address of offset 0, in rows.")]
    row: Annotated[Positive, Meta(description="Bytes of a row.")]


class MapPort(Record, frozen=True):
    """An input or output of the network: the caller's memory, or a buffer in a pool."""

    name: Annotated[str, Meta(description="Name in the C interface.")]
    type: Annotated[str, Meta(description="Type of the elements, by NumPy's name.")]
    size: Annotated[Count, Meta(description="Bytes.")]
    shape: Annotated[tuple[Count, ...], Meta(description="Elements in each dimension.")]
    scale: Annotated[
        float | None, Meta(description="Real value: scale * (stored - zero_point); null: none.")
    ]
    zero_point: Annotated[int | None, Meta(description="Stored value of the real value 0.")]
    pool: Annotated[str | None, Meta(description="Its pool; null: the caller's memory.")]
    offset: Annotated[Count | None, Meta(description="Bytes from the base of the pool.")]


class MapBuffer(Record, frozen=True, kw_only=True):
    """A planned buffer."""

    name: Annotated[str, Meta(description="Name of the tensor or of the generated buffer.")]
    pool: Annotated[str, Meta(description="Name of its pool.")]
    offset: Annotated[Count, Meta(description="Bytes from the base of the pool.")]
    size: Annotated[Count, Meta(description="Bytes.")]
    address: Annotated[
        Count | UnsetType,
        Meta(description="Address if it is fixed: in bytes, inside a device in rows."),
    ] = UNSET
    lifetime: Annotated[
        tuple[int, int],
        Meta(description="Half-open range [start, end) of `steps` in which the buffer is live."),
    ]
    type: Annotated[str, Meta(description="Type of the elements, by NumPy's name.")]
    shape: Annotated[tuple[Count, ...], Meta(description="Elements in each dimension.")]
    scale: Annotated[
        float | tuple[float, ...] | None,
        Meta(
            description="Real value: scale * (stored - zero_point); null: the buffer holds no "
            "quantised tensor of the model."
        ),
    ]
    zero_point: Annotated[
        int | tuple[int, ...] | None, Meta(description="Stored value of the real value 0.")
    ]
    scale_stride: Annotated[
        Positive | UnsetType,
        Meta(
            description="Present if there are several scales: element i in row-major order uses "
            "the one at i // scale_stride % (number of scales)."
        ),
    ] = UNSET
    member: Annotated[
        str | UnsetType, Meta(description="Name in C; present if the buffer is a constant.")
    ] = UNSET
    part_of: Annotated[
        str | UnsetType,
        Meta(
            description="Tensor of which the buffer is some rows; present if rows end one by one."
        ),
    ] = UNSET
    rows: Annotated[
        tuple[int, int] | UnsetType,
        Meta(description="Half-open range [first, end) of these rows; present with `part_of`."),
    ] = UNSET


class MemoryMap(Document, frozen=True, kw_only=True):
    """Pools, ports and buffers of a compiled network; sizes and offsets in bytes."""

    document: ClassVar[str] = "memory-map"
    title: ClassVar[str] = "Memory map"

    format: Annotated[Literal["forebay-memory-map"], Meta(description="Name of the format.")]
    version: Annotated[Literal[2], Meta(description="Version of the format.")]
    model: Annotated[ModelIdentity, Meta(description="The model that was compiled.")]
    plan: Annotated[Sha256, Meta(description="SHA-256 of the plan, as in the C header.")]
    expected_outputs: Annotated[
        str | UnsetType,
        Meta(description="Where the expected outputs of the self-test come from, if it has any."),
    ] = UNSET
    row_tables: Annotated[
        Count | UnsetType,
        Meta(description="Bytes of constants in the code that place rows of tensors, if any."),
    ] = UNSET
    stack_bound: Annotated[StackBounds, Meta(description="Stack that the network needs.")]
    pools: Annotated[tuple[MapPool, ...], Meta(description="Pools of the application.")]
    inside: Annotated[
        tuple[InsidePool, ...] | UnsetType,
        Meta(description="Pools inside devices; absent if there are none."),
    ] = UNSET
    inputs: Annotated[tuple[MapPort, ...], Meta(description="Inputs in their order.")]
    outputs: Annotated[tuple[MapPort, ...], Meta(description="Outputs in their order.")]
    buffers: Annotated[tuple[MapBuffer, ...], Meta(description="Planned buffers.")]
    steps: Annotated[
        tuple[str, ...],
        Meta(description="The operation of each step of the schedule, in which buffers live."),
    ]
