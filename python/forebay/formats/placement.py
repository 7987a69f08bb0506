"""The placement file of `--placement` and `--save-placement`: the device of operators."""

from __future__ import annotations

from typing import Annotated, ClassVar

from msgspec import Meta

from forebay.formats.record import Count, Document, Record


class PlacedOperator(Record, frozen=True, kw_only=True, forbid_unknown_fields=False):
    """An operator and its device. The index or the name identifies the operator."""

    index: Annotated[Count | None, Meta(description="Index in the model; preferred.")] = None
    kind: Annotated[str | None, Meta(description="Kind of the operator; only for readers.")] = None
    name: Annotated[str | None, Meta(description="Name of the operator or of its result.")] = None
    device: Annotated[str, Meta(description="Name of the device.")]


class PlacementFile(Document, frozen=True, forbid_unknown_fields=False):
    """The devices that the user requests for operators.

    Operators that are not listed are placed by the compiler. An off-load report is a placement,
    too: unknown fields are ignored.
    """

    document: ClassVar[str] = "placement"
    title: ClassVar[str] = "Placement of operators"

    operators: Annotated[tuple[PlacedOperator, ...], Meta(description="Operators to place.")]
