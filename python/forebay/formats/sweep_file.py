"""The file of `forebay sweep`: networks, targets with parameters, planners, budgets."""

from __future__ import annotations

from typing import Annotated, ClassVar

from msgspec import Meta, field

from forebay.formats.record import Document, Record

SweepValue = str | int | bool
"""A value of a parameter or an option, as on the command line."""

Axis = SweepValue | Annotated[tuple[SweepValue, ...], Meta(min_length=1)]
"""A value, or several, each of which is tried."""


class SweepTarget(Record, frozen=True):
    """A target and the values of its parameters, all combinations of which are tried."""

    target: Annotated[
        str, Meta(description="Name of a target, or its file, relative to this file.")
    ]
    parameters: Annotated[
        dict[str, Axis], Meta(description="Values of the target's parameters, by name.")
    ] = field(default_factory=dict[str, Axis])


class SweepMeasures(Record, frozen=True):
    """What is measured beside the plan."""

    cycles: Annotated[
        bool, Meta(description="Run the emulator: modelled cycles and bytes of transfers.")
    ] = False
    host_rate: Annotated[
        float | None, Meta(description="Operations per cycle of the host; null: takes no time.")
    ] = None
    board: Annotated[
        str | None,
        Meta(description="Run on this emulated board: instructions and bytes of code; null: no."),
    ] = None


class SweepFile(Document, frozen=True, kw_only=True):
    """All combinations of networks, targets, parameters, planners, budgets and options."""

    document: ClassVar[str] = "sweep"
    title: ClassVar[str] = "Sweep over configurations"

    networks: Annotated[
        tuple[str, ...],
        Meta(min_length=1, description="Model files, relative to this file."),
    ]
    targets: Annotated[
        tuple[SweepTarget, ...], Meta(min_length=1, description="Targets and their parameters.")
    ]
    planners: Annotated[
        tuple[str, ...], Meta(min_length=1, description="Names or files of planners.")
    ] = ("auto",)
    budgets: Annotated[
        tuple[str | int | None, ...],
        Meta(min_length=1, description="Budgets of the workspace, as for --budget; null: none."),
    ] = (None,)
    options: Annotated[
        dict[str, Axis], Meta(description="Other options of a compilation, by name in Python.")
    ] = field(default_factory=dict[str, Axis])
    measure: Annotated[SweepMeasures, Meta(description="What is measured beside the plan.")] = (
        SweepMeasures()
    )
