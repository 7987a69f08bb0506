"""The exception of all questions that IR gives no answer to, and of all passes that refuse it."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir


class RefusedError(Exception):
    """IR that cannot be understood safely.

    `location` is where, the message is what and the way out, and `notes` point at what else is
    involved: what a pass needs to refuse the module.
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
