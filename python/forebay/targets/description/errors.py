"""Errors in the description of a target."""

from __future__ import annotations

from forebay.errors import Error
from forebay.targets.description.place import Place


class TargetError(Error):
    """An invalid or unknown target; the message begins with the line that describes the mistake."""

    def __init__(self, message: str, place: Place | None = None) -> None:
        super().__init__(message if place is None else f"{place}: {message}")
