"""Names of the buffers that a kernel allocates; reports and the C code show them."""

from __future__ import annotations

from mlir import ir


def named(name: str) -> ir.Location:
    """Return the current location with a name, which `forebay.ir.locations` reads as a hint."""
    return ir.Location.name(name, ir.Location.current)
