"""The marker bytes that record that a state pool was reset by this network."""

from __future__ import annotations

import hashlib
import json

from forebay.network.errors import CodegenError
from forebay.network.model import ModelInfo

_SIZE = 8


def state_marker(model: ModelInfo) -> list[str]:
    """Return the marker's definition if there is state.

    The marker depends on the model and on the layout of its state, so that memory which another
    version wrote does not count as reset. Raises CodegenError when a buffer lies in its bytes.
    """
    if not model.state_pools:
        return []
    _check_free(model)
    value = ", ".join(f"0x{byte:02x}" for byte in marker_bytes(model))
    return [
        "/* The first bytes of each state pool after a reset. */\n"
        f"static const uint8_t marker[{_SIZE}] = {{{value}}};"
    ]


def _check_free(model: ModelInfo) -> None:
    pools = {pool.name for pool in model.state_pools}
    for buffer in model.buffers:
        if buffer.pool in pools and buffer.offset < _SIZE:
            raise CodegenError(
                f"'{buffer.name}' lies at byte {buffer.offset} of state pool '{buffer.pool}', "
                f"whose first {_SIZE} bytes say that it was reset; reserve them: "
                f"reserved=((0, {_SIZE}),)"
            )


def marker_bytes(model: ModelInfo) -> bytes:
    """Return the marker, never all zeros or all ones, as memory may be after power-up."""
    pools = {pool.name: pool.size for pool in model.state_pools}
    buffers = [(b.name, b.pool, b.offset, b.size) for b in model.buffers if b.pool in pools]
    identity = json.dumps([model.source_hash, pools, buffers])
    return hashlib.sha256(identity.encode()).digest()[: _SIZE - 1] + b"\x5a"
