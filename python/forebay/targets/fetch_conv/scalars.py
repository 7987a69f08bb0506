"""The scalars of a call."""

from __future__ import annotations

from mlir import ir

from forebay.api.dialects import accel


def scalars_of(call: accel.CallOp) -> dict[str, int]:
    """Return the scalars of a call by name."""
    assert call.config is not None
    entries = ir.DictAttr(call.config)
    return {entries[i].name: ir.IntegerAttr(entries[i].attr).value for i in range(len(entries))}
