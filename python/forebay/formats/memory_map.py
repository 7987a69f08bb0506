"""`<model>.json`, the memory map of a project: where every buffer is, and what it holds."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from msgspec import UNSET, Meta, UnsetType

from forebay.formats.record import Count, Document, Positive, Record, Sha256

PoolContents = Literal["workspace", "constant", "state"]
BufferContents = Literal["workspace", "constant", "state", "input", "output"]


class ModelIdentity(Record, frozen=True):
    """The model that was compiled."""

    name: Annotated[str, Meta(description="Name of the model.")]
    hash: Annotated[Sha256, Meta(description="SHA-256 of the model file.")]


class StackBounds(Record, frozen=True, rename={"bits32": "32", "bits64": "64"}):
    """Upper bounds of the network's stack in bytes, by the size of a pointer."""

    bits32: Annotated[Count, Meta(description="Where pointers have 32 bits.")]
    bits64: Annotated[Count, Meta(description="Where pointers have 64 bits.")]


class MapBound(Record, frozen=True):
    """Why a pool needs the bytes of its lower bound."""

    argument: Annotated[str, Meta(description="The reason why no plan needs fewer bytes.")]
    buffers: Annotated[
        tuple[Count, ...], Meta(description="Indices of the buffers that the reason counts.")
    ]
    step: Annotated[
        Count | None,
        Meta(description="Index of the step at which they are live; null: not one step."),
    ]
    holes: Annotated[
        tuple[tuple[Count, Count], ...],
        Meta(
            description="The largest unused byte ranges [start, end) below the peak while these "
            "buffers are live."
        ),
    ]


class MapPool(Record, frozen=True, kw_only=True):
    """A pool that the application provides, or whose address is fixed."""

    name: Annotated[str, Meta(description="Name of the pool.")]
    kind: Annotated[PoolContents, Meta(description="What the pool holds.")]
    peak: Annotated[Count, Meta(description="Bytes that the application must provide.")]
    lower_bound: Annotated[
        Count | None, Meta(description="No plan of these buffers needs fewer bytes.")
    ]
    bound: Annotated[
        MapBound | None, Meta(description="Why no plan needs fewer bytes; null: not known.")
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
    bound: Annotated[
        MapBound | None, Meta(description="Why no plan needs fewer bytes; null: not known.")
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
    by_rows: Annotated[
        bool | UnsetType,
        Meta(description="True: the application hands in its rows one by one; no memory holds it."),
    ] = UNSET


class MapBuffer(Record, frozen=True, kw_only=True):
    """A planned buffer."""

    name: Annotated[str, Meta(description="Name of the tensor or of the generated buffer.")]
    kind: Annotated[
        BufferContents,
        Meta(description="What it holds; inputs and outputs are those in pools."),
    ]
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
    gaps: Annotated[
        tuple[tuple[int, int], ...] | UnsetType,
        Meta(description="Ranges [start, end) inside the lifetime in which it is not, if any."),
    ] = UNSET
    producer: Annotated[
        Count | None, Meta(description="Index of the first step that writes it; null: none does.")
    ]
    consumers: Annotated[
        tuple[Count, ...], Meta(description="Indices of the steps that read it, in their order.")
    ]
    alias_group: Annotated[
        str | UnsetType,
        Meta(
            description="Name of the first of several buffers, of which one value of the program "
            "may be any; all of them are in one pool."
        ),
    ] = UNSET
    type: Annotated[str, Meta(description="Type of the elements, by NumPy's name.")]
    shape: Annotated[tuple[Count, ...], Meta(description="Elements in each dimension.")]
    scale: Annotated[
        float | tuple[float, ...] | None,
        Meta(
            description="Real value: scale * (stored - zero_point); null: the buffer holds no "
            "quantised tensor of the model, or several."
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
    interleaved: Annotated[
        Positive | UnsetType,
        Meta(
            description="Present if the elements of a constant are not in row-major order: how "
            "many neighbours along the first dimension, n, are neighbours in memory, which has the "
            "elements of an array [first / n][others][n]."
        ),
    ] = UNSET
    interleaved_word: Annotated[
        Positive | UnsetType,
        Meta(
            description="Present if so many elements, w, of each of these neighbours are together: "
            "the memory has the elements of an array [first / n][others / w][n][w]."
        ),
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


class MapOperator(Record, frozen=True, kw_only=True):
    """An operator of the model, and which device runs it."""

    index: Annotated[int | None, Meta(description="Index in the model's file; null: it has none.")]
    kind: Annotated[str, Meta(description="Kind of the operator.")]
    name: Annotated[str, Meta(description="Name of the operator, of its result, or its place.")]
    device: Annotated[str, Meta(description="Name of the device.")]
    pattern: Annotated[
        str | UnsetType,
        Meta(description="The device's pattern that accepted it; absent on the host."),
    ] = UNSET
    reasons: Annotated[
        tuple[str, ...] | UnsetType,
        Meta(description="Why each device that was tried did not accept the operator, if any."),
    ] = UNSET
    macs: Annotated[
        Count | UnsetType,
        Meta(description="Multiply-accumulate operations; absent if no target was attached."),
    ] = UNSET
    bytes: Annotated[
        Count | UnsetType,
        Meta(
            description="Bytes that it reads from other operators and constants, plus those that "
            "it writes for others; absent if no target was attached."
        ),
    ] = UNSET
    hooks: Annotated[
        bool | UnsetType,
        Meta(description="True: macros are around its calls in the C (--operator-hooks)."),
    ] = UNSET


class MapStep(Record, frozen=True, kw_only=True):
    """A step of the schedule: one op that accesses buffers."""

    operator: Annotated[
        Count | None, Meta(description="Index of its entry in `operators`; null: none.")
    ]
    op: Annotated[
        str, Meta(description="Kind of the op, with the intrinsic or transfer that it requests.")
    ]
    device: Annotated[str, Meta(description="Name of the device that runs it.")]
    entry: Annotated[str, Meta(description="The entry function: main or reset.")]
    location: Annotated[str, Meta(description="Its place in the model, as messages name it.")]
    reads: Annotated[tuple[Count, ...], Meta(description="Indices of the buffers that it reads.")]
    writes: Annotated[tuple[Count, ...], Meta(description="Indices of the buffers that it writes.")]
    waits_for: Annotated[
        tuple[Count, ...] | UnsetType,
        Meta(description="Indices of the buffers of operations in flight that end here, if any."),
    ] = UNSET
    inputs: Annotated[
        tuple[Count, ...] | UnsetType,
        Meta(description="Indices of the inputs that it reads in memory of the caller, if any."),
    ] = UNSET
    outputs: Annotated[
        tuple[Count, ...] | UnsetType,
        Meta(description="Indices of the outputs that it writes in memory of the caller, if any."),
    ] = UNSET
    cycles: Annotated[
        Count | UnsetType,
        Meta(
            description="Modelled cycles of one execution, if the device's model says so; a step "
            "in a loop runs several times."
        ),
    ] = UNSET


class MapBudgetStep(Record, frozen=True):
    """A step that led to a budget of a pool."""

    pool: Annotated[str, Meta(description="Name of the pool.")]
    step: Annotated[str, Meta(description="What was done.")]
    bytes: Annotated[Count, Meta(description="Most live bytes after it; of the last, the peak.")]
    added: Annotated[Count, Meta(description="Estimate of the instructions that it adds.")]


class MemoryMap(Document, frozen=True, kw_only=True):
    """Pools, ports, buffers and schedule of a compiled network; sizes and offsets in bytes."""

    document: ClassVar[str] = "memory-map"
    title: ClassVar[str] = "Memory map"

    format: Annotated[Literal["forebay-memory-map"], Meta(description="Name of the format.")]
    version: Annotated[Literal[3], Meta(description="Version of the format.")]
    model: Annotated[ModelIdentity, Meta(description="The model that was compiled.")]
    plan: Annotated[Sha256, Meta(description="SHA-256 of the plan, as in the C header.")]
    planner: Annotated[str, Meta(description="Name of the planner.")]
    target: Annotated[
        str | UnsetType,
        Meta(description="Name of the target; absent if the module declares its devices."),
    ] = UNSET
    host: Annotated[str, Meta(description="Name of the device that runs the C code.")]
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
    operators: Annotated[
        tuple[MapOperator, ...], Meta(description="Operators of the model in their order.")
    ]
    steps: Annotated[
        tuple[MapStep, ...], Meta(description="The schedule, in whose steps buffers live.")
    ]
    budgets: Annotated[
        tuple[MapBudgetStep, ...] | UnsetType,
        Meta(description="What led to the budgets of pools, if there are any."),
    ] = UNSET
