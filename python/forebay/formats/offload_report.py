"""The off-load report of `--offload-report`: which device runs each operator, and why."""

from __future__ import annotations

from typing import Annotated, ClassVar

from msgspec import Meta

from forebay.formats.record import Count, Document, Record

Share = Annotated[float, Meta(ge=0, le=1)]


class DeviceShare(Record, frozen=True):
    """The part of the network that a device runs."""

    macs: Annotated[Count, Meta(description="Multiply-accumulate operations.")]
    share_of_macs: Annotated[Share, Meta(description="Share of all MACs, 0 to 1.")]
    bytes: Annotated[Count, Meta(description="Bytes that its operators read and write.")]
    share_of_bytes: Annotated[Share, Meta(description="Share of all these bytes, 0 to 1.")]


class OffloadedOperator(Record, frozen=True):
    """An operator and its device."""

    index: Annotated[int | None, Meta(description="Index in the model, if it has one.")]
    kind: Annotated[str, Meta(description="Kind of the operator.")]
    name: Annotated[str, Meta(description="Name of the operator or of its result.")]
    device: Annotated[str, Meta(description="Name of the device.")]
    pattern: Annotated[
        str | None, Meta(description="The device's pattern that accepted it; null on the host.")
    ]
    reasons: Annotated[
        tuple[str, ...],
        Meta(description="Why each device that was tried did not accept the operator."),
    ]
    macs: Annotated[Count, Meta(description="Multiply-accumulate operations.")]
    bytes: Annotated[
        Count,
        Meta(
            description="Bytes that it reads from other operators and constants, plus those that "
            "it writes for others."
        ),
    ]


class OffloadDocument(Document, frozen=True):
    """The device of each operator, and for those on the host the conditions that failed."""

    document: ClassVar[str] = "offload-report"
    title: ClassVar[str] = "Off-load report"

    target: Annotated[str, Meta(description="Name of the target.")]
    devices: Annotated[
        dict[str, DeviceShare], Meta(description="Devices by name, in the target's order.")
    ]
    operators: Annotated[
        tuple[OffloadedOperator, ...], Meta(description="Operators in the order of execution.")
    ]
