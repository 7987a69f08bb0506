"""Names for what a kernel makes, which reports and the C code show."""

from __future__ import annotations

from mlir import ir


def named(name: str) -> ir.Location:
    """The current location with a name around it: a hint as `forebay.ir.locations` reads it."""
    return ir.Location.name(name, ir.Location.current)
