"""The exception of all queries that IR gives no answer to, and of all passes that refuse it."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir

from forebay.errors import Error
from forebay.ir.locations import describe_location


class RefusedError(Error):
    """IR that cannot be understood safely.

    The exception carries what a pass needs to refuse the module: `location` is where, the message
    states the problem and a way out, and `notes` point at other ops that are involved.
    """

    def __init__(
        self,
        location: ir.Location,
        message: str,
        notes: Sequence[tuple[ir.Location, str]] = (),
    ) -> None:
        super().__init__(message)
        self.location = location
        self.notes = tuple(notes)

    @property
    def location_text(self) -> str:
        """The location as in the diagnostics of passes."""
        return describe_location(self.location)


class PoolShortageError(RefusedError):
    """A program that needs more bytes of a pool than there are."""
