"""`<m>.json`: where every byte of the network lies, for people and tools."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from .constants import Constant
from .identity import plan_hash
from .model import BufferInfo, ModelInfo, PoolInfo, Port

FORMAT = "forebay-memory-map"
VERSION = 1


def write_memory_map(model: ModelInfo, constants: Mapping[Constant, str]) -> str:
    """Return the memory map as JSON in a stable order, one line per pool, port and buffer."""
    lists = {
        "pools": [_pool(pool) for pool in model.pools],
        **({"inside": [_inside(pool) for pool in model.inside]} if model.inside else {}),
        "inputs": [_port(port) for port in model.inputs],
        "outputs": [_port(port) for port in model.outputs],
        "buffers": [_buffer(buffer, model) for buffer in model.buffers],
        "constants": [_constant(constant, name) for constant, name in constants.items()],
    }
    identity = json.dumps({"name": model.name, "hash": model.source_hash})
    head = [f'  "format": "{FORMAT}"', f'  "version": {VERSION}', f'  "model": {identity}']
    head.append(f'  "plan": "{plan_hash(model)}"')
    return "{\n" + ",\n".join([*head, *(_list(k, v) for k, v in lists.items())]) + "\n}\n"


def _list(key: str, values: list[dict[str, Any]]) -> str:
    lines = ",\n".join(f"    {json.dumps(value)}" for value in values)
    return f'  "{key}": [\n{lines}\n  ]' if values else f'  "{key}": []'


def _pool(pool: PoolInfo) -> dict[str, Any]:
    return {
        "name": pool.name,
        "kind": pool.kind,
        "peak": pool.size,
        "lower_bound": pool.lower_bound,
        "capacity": pool.capacity,
        "alignment": pool.alignment,
        "section": pool.section,
        "fill": pool.fill if pool.is_constant else None,
        **({"base": pool.base, "start": pool.start} if pool.is_mapped else {}),
    }


def _inside(pool: PoolInfo) -> dict[str, Any]:
    """A pool inside of a device: addresses there count rows from its base."""
    return {
        "name": pool.name,
        "peak": pool.size,
        "lower_bound": pool.lower_bound,
        "capacity": pool.capacity,
        "base": pool.base or 0,
        "row": pool.unit,
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


def _buffer(buffer: BufferInfo, model: ModelInfo) -> dict[str, Any]:
    address = _address(buffer, model)
    return {
        "name": buffer.name,
        "pool": buffer.pool,
        "offset": buffer.offset,
        "size": buffer.size,
        **({} if address is None else {"address": address}),
        "lifetime": [buffer.start, buffer.end],
        "type": buffer.dtype,
        "shape": list(buffer.shape),
    }


def _address(buffer: BufferInfo, model: ModelInfo) -> int | None:
    """The address of a buffer where that is fixed: inside a device in rows."""
    for pool in model.inside:
        if pool.name == buffer.pool:
            return (pool.base or 0) + buffer.offset // pool.unit
    base = model.pool(buffer.pool).base
    return None if base is None else base + buffer.offset


def _constant(constant: Constant, name: str) -> dict[str, Any]:
    return {
        "name": name,
        "pool": constant.pool,
        "offset": constant.offset,
        "size": constant.data.nbytes,
        "type": constant.data.dtype.name,
        "shape": list(constant.data.shape),
    }
