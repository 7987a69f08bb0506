"""Symbol names of what a device has."""

from __future__ import annotations


def symbol_of(device: str, name: str) -> str:
    """Return the symbol name of an intrinsic, a transfer or a queue of a device."""
    return f"{device}.{name}"
