"""The modelled timeline of `forebay run --trace`, in the trace event format.

https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU describes the
format, which Perfetto and Chrome open.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from msgspec import UNSET, Meta, UnsetType

from forebay.formats.record import Count, Document, Positive, Record


class MetadataArguments(Record, frozen=True, omit_defaults=True):
    """What a metadata event says of its process or thread."""

    name: Annotated[str | UnsetType, Meta(description="Its name.")] = UNSET
    sort_index: Annotated[
        Count | UnsetType, Meta(description="Its position among the threads.")
    ] = UNSET


class TraceMetadata(Record, frozen=True, tag_field="ph", tag="M"):
    """The name or the position of the process or of a thread."""

    name: Annotated[
        Literal["process_name", "thread_name", "thread_sort_index"],
        Meta(description="What the event says."),
    ]
    pid: Annotated[Positive, Meta(description="Number of the process, the program.")]
    tid: Annotated[Count, Meta(description="Number of the thread, a lane of the timeline.")]
    args: Annotated[MetadataArguments, Meta(description="The name or the position.")]


class SpanArguments(Record, frozen=True):
    """Details of a span."""

    at: Annotated[str, Meta(description="Location of the operation in the program.")]
    issued: Annotated[Count, Meta(description="Cycle in which the host issued it.")]
    bytes: Annotated[Count | UnsetType, Meta(description="Bytes moved; present for transfers.")] = (
        UNSET
    )
    waits: Annotated[
        Literal[True] | UnsetType,
        Meta(description="Present where the host only waits for a device."),
    ] = UNSET


class TraceSpan(Record, frozen=True, tag_field="ph", tag="X"):
    """The work of a lane from one cycle to another."""

    name: Annotated[str, Meta(description="The operation or command.")]
    cat: Annotated[Literal["host", "device"], Meta(description="Who does it.")]
    ts: Annotated[Count, Meta(description="First cycle, as microseconds of the trace.")]
    dur: Annotated[Count, Meta(description="Number of cycles, as microseconds of the trace.")]
    pid: Annotated[Positive, Meta(description="Number of the process.")]
    tid: Annotated[Count, Meta(description="Number of the lane's thread.")]
    args: Annotated[SpanArguments, Meta(description="Details.")]


class LiveBytesArguments(Record, frozen=True):
    """The value of a counter."""

    bytes: Annotated[Count, Meta(description="Bytes of live buffers.")]


class TraceCounter(Record, frozen=True, tag_field="ph", tag="C"):
    """The live bytes of a pool from one cycle on."""

    name: Annotated[str, Meta(description="The pool.")]
    ts: Annotated[Count, Meta(description="First cycle, as microseconds of the trace.")]
    pid: Annotated[Positive, Meta(description="Number of the process.")]
    args: Annotated[LiveBytesArguments, Meta(description="The value.")]


class TraceData(Record, frozen=True):
    """Facts about the whole run."""

    cycles: Annotated[Count, Meta(description="Modelled cycles of the run.")]
    unit: Annotated[str, Meta(description="What a microsecond of the trace stands for.")]


class TraceDocument(Document, frozen=True):
    """The modelled timeline of a run. A microsecond of the trace is a cycle of the model."""

    document: ClassVar[str] = "trace"
    title: ClassVar[str] = "Trace of a run"

    traceEvents: Annotated[  # noqa: N815  (the format's name)
        tuple[TraceMetadata | TraceSpan | TraceCounter, ...],
        Meta(description="Names of the program and its lanes, spans by begin, live bytes."),
    ]
    displayTimeUnit: Annotated[  # noqa: N815
        Literal["ms"], Meta(description="Unit in which viewers show times.")
    ]
    otherData: Annotated[TraceData, Meta(description="Facts about the run.")]  # noqa: N815
