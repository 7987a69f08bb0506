"""A row of a sweep: a configuration, and what it gives or why it is refused."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from forebay.formats.record import Count, Document, Record
from forebay.formats.sweep_file import SweepValue


class SweptPool(Record, frozen=True):
    """A pool of the plan; sizes in bytes."""

    name: Annotated[str, Meta(description="Name of the pool.")]
    kind: Annotated[str, Meta(description="What it holds: workspace, constant or state.")]
    peak: Annotated[Count, Meta(description="Bytes of the plan.")]
    lower_bound: Annotated[Count, Meta(description="No plan needs fewer.")]
    capacity: Annotated[Count | None, Meta(description="Bytes of the memory; null: unlimited.")]


class SweepRecord(Document, frozen=True, kw_only=True):
    """The result of one configuration; numbers that were not measured are null."""

    document: ClassVar[str] = "sweep-record"
    title: ClassVar[str] = "Result of a configuration of a sweep"

    key: Annotated[str, Meta(description="SHA-256 of all inputs.")]
    network: Annotated[str, Meta(description="The model, as in the sweep's file.")]
    target: Annotated[str, Meta(description="The target, as in the sweep's file.")]
    parameters: Annotated[dict[str, SweepValue], Meta(description="Parameters of the target.")]
    planner: Annotated[str, Meta(description="The planner.")]
    budget: Annotated[str | None, Meta(description="Budget of the workspace.")]
    options: Annotated[dict[str, SweepValue], Meta(description="Other options.")]
    outcome: Annotated[
        Literal["planned", "refused", "failed"],
        Meta(description="`refused` with an error of Forebay, `failed` with a bug or a crash."),
    ]
    reason: Annotated[str, Meta(description="The error; empty if there is none.")] = ""
    workspace: Annotated[
        Count | None, Meta(description="Bytes of all workspace pools, inside devices too.")
    ] = None
    workspace_bound: Annotated[Count | None, Meta(description="Sum of their bounds.")] = None
    constants: Annotated[Count | None, Meta(description="Bytes of all constant pools.")] = None
    state: Annotated[Count | None, Meta(description="Bytes of all state pools.")] = None
    pools: Annotated[tuple[SweptPool, ...], Meta(description="The pools of the plan.")] = ()
    cycles: Annotated[Count | None, Meta(description="Modelled cycles of an inference.")] = None
    bytes_moved: Annotated[Count | None, Meta(description="Bytes of transfers.")] = None
    instructions: Annotated[
        Count | None, Meta(description="Instructions of an inference on the board.")
    ] = None
    code: Annotated[Count | None, Meta(description="Bytes of the network's code.")] = None
    seconds: Annotated[float, Meta(description="Time of the evaluation.")] = 0.0
