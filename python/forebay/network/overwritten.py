"""The inputs in a pool that a run overwrites."""

from __future__ import annotations

from forebay.network.model import ModelInfo, Port


def is_overwritten(port: Port, model: ModelInfo) -> bool:
    """Return whether the plan gives bytes of an input in a pool to another buffer as well.

    An operator never writes into the input itself, since pool assignment makes inputs read-only. So
    these are the only bytes of the input that change.
    """
    return any(
        buffer.pool == port.pool
        and buffer.name != port.name
        and buffer.offset < port.offset + port.size
        and port.offset < buffer.offset + buffer.size
        for buffer in model.buffers
    )
