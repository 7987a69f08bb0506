"""Errors between a compiled network and its run on a board."""

from __future__ import annotations

from forebay.errors import Error


class McuError(Error):
    """The board does not accept a network, a placement or an image."""


class ToolError(McuError):
    """A compiler or emulator is missing or failed; `output` is what it has printed."""

    def __init__(self, message: str, output: str = "") -> None:
        super().__init__(message)
        self.output = output


class MismatchError(McuError):
    """An output on the board differs from the golden output."""
