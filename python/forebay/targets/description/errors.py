"""Errors in the description of a target."""

from __future__ import annotations

from forebay.errors import Error
from forebay.targets.description.source_location import SourceLocation


class TargetError(Error):
    """An invalid or unknown target; the message begins with the line that describes the mistake."""

    def __init__(self, message: str, place: SourceLocation | None = None) -> None:
        super().__init__(message if place is None else f"{place}: {message}")
