"""What can go wrong between a compiled network and its run on a board."""

from __future__ import annotations

from forebay.errors import Error


class McuError(Error):
    """A network, a placement or an image that the board refuses."""


class ToolError(McuError):
    """A compiler or emulator is missing, or did not do its work."""


class MismatchError(McuError):
    """An output on the board is not the golden one."""
