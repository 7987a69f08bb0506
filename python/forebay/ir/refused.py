"""The exception of all queries that IR gives no answer to, and of all passes that refuse it."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir


class RefusedError(Exception):
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
