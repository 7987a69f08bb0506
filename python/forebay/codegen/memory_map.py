"""`<m>.json`: where every byte of the network lies, for people and tools."""

from __future__ import annotations

import json
from typing import Any

from .constants import Constant
from .model import BufferInfo, ModelInfo, PoolInfo, Port

FORMAT = "forebay-memory-map"
VERSION = 1


def write_memory_map(model: ModelInfo, constants: tuple[Constant, ...]) -> str:
    """Return the memory map as JSON, in a stable order."""
    content = {
        "format": FORMAT,
        "version": VERSION,
        "model": {"name": model.name, "hash": model.source_hash},
        "pools": [_pool(pool) for pool in model.pools],
        "inputs": [_port(port) for port in model.inputs],
        "outputs": [_port(port) for port in model.outputs],
        "buffers": [_buffer(buffer) for buffer in model.buffers],
        "constants": [_constant(constant) for constant in constants],
    }
    return json.dumps(content, indent=2, ensure_ascii=True) + "\n"


def _pool(pool: PoolInfo) -> dict[str, Any]:
    return {
        "name": pool.name,
        "kind": pool.kind,
        "peak": pool.size,
        "lower_bound": pool.lower_bound,
        "capacity": pool.capacity,
        "alignment": pool.alignment,
        "section": pool.section,
    }


def _port(port: Port) -> dict[str, Any]:
    return {
        "name": port.name,
        "type": port.dtype,
        "shape": list(port.shape),
        "scale": port.scale,
        "zero_point": port.zero_point,
        "pool": port.pool,
        "offset": port.offset if port.pool is not None else None,
    }


def _buffer(buffer: BufferInfo) -> dict[str, Any]:
    return {
        "name": buffer.name,
        "pool": buffer.pool,
        "offset": buffer.offset,
        "size": buffer.size,
        "lifetime": [buffer.start, buffer.end],
        "type": buffer.dtype,
        "shape": list(buffer.shape),
    }


def _constant(constant: Constant) -> dict[str, Any]:
    return {
        "name": constant.name,
        "pool": constant.pool,
        "offset": constant.offset,
        "size": constant.data.nbytes,
        "type": constant.data.dtype.name,
        "shape": list(constant.data.shape),
    }
