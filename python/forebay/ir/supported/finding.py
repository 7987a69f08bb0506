"""A construct in a program that the compiler does not support, and its location."""

from __future__ import annotations

from collections.abc import Iterable

from mlir import ir
from msgspec import Struct


class Finding(Struct, frozen=True):
    """One construct: its location, and a message with the problem and the way out."""

    location: ir.Location
    message: str


def findings_in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return each message once, at its first location, with the number of other locations."""
    places: dict[str, list[ir.Location]] = {}
    for finding in findings:
        places.setdefault(finding.message, []).append(finding.location)
    return tuple(
        Finding(locations[0], message + _further(len(locations) - 1))
        for message, locations in places.items()
    )


def _further(count: int) -> str:
    if count == 0:
        return ""
    return f" (and at {count} more place{'s' if count > 1 else ''})"
