"""`<m>.json`: the offset, lifetime and meaning of every buffer, for people and tools."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from forebay.codegen.c.analysis.stack_bound import StackBound
from forebay.codegen.project.interface.identity import plan_hash
from forebay.network.constants import Constant
from forebay.network.model import (
    BufferInfo,
    ModelInfo,
    PoolInfo,
    Port,
    Quantization,
)

FORMAT = "forebay-memory-map"
VERSION = 2


def write_memory_map(model: ModelInfo, constants: Mapping[Constant, str], stack: StackBound) -> str:
    """Return the memory map as JSON in a stable order, one line per pool, port, buffer and step.

    `constants` maps each constant to its member name in C.
    """
    members = {constant.place: name for constant, name in constants.items() if constant.data.size}
    lists = {
        "pools": [_pool(pool) for pool in model.pools],
        **({"inside": [_inside(pool) for pool in model.inside]} if model.inside else {}),
        "inputs": [_port(port) for port in model.inputs],
        "outputs": [_port(port) for port in model.outputs],
        "buffers": [_buffer(buffer, model, members) for buffer in model.buffers],
        "steps": model.steps,
    }
    identity = json.dumps({"name": model.name, "hash": model.source_hash})
    head = [f'  "format": "{FORMAT}"', f'  "version": {VERSION}', f'  "model": {identity}']
    head.append(f'  "plan": "{plan_hash(model)}"')
    if model.golden_origin:
        head.append(f'  "expected_outputs": {json.dumps(model.golden_origin)}')
    head.append(f'  "stack_bound": {{"32": {stack.bits32}, "64": {stack.bits64}}}')
    return "{\n" + ",\n".join([*head, *(_list(k, v) for k, v in lists.items())]) + "\n}\n"


def _list(key: str, values: Sequence[Any]) -> str:
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
    """Return the entry of a pool inside a device, whose addresses count rows from its base."""
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
        "size": port.size,
        "shape": list(port.shape),
        "scale": port.scale,
        "zero_point": port.zero_point,
        "pool": port.pool,
        "offset": port.offset if port.pool is not None else None,
    }


def _buffer(
    buffer: BufferInfo, model: ModelInfo, members: Mapping[tuple[str, int], str]
) -> dict[str, Any]:
    address, member = _address(buffer, model), members.get((buffer.pool, buffer.offset))
    return {
        "name": buffer.name,
        "pool": buffer.pool,
        "offset": buffer.offset,
        "size": buffer.size,
        **({} if address is None else {"address": address}),
        "lifetime": [buffer.start, buffer.end],
        "type": buffer.dtype,
        "shape": list(buffer.shape),
        **_quantization(buffer.quantization),
        **({} if member is None else {"member": member}),
    }


def _quantization(quantization: Quantization | None) -> dict[str, Any]:
    """Return numbers if the buffer has one scale, else lists and the stride of their index."""
    if quantization is None:
        return {"scale": None, "zero_point": None}
    scales, zero_points = quantization.scales, quantization.zero_points
    if len(scales) == 1:
        return {"scale": scales[0], "zero_point": zero_points[0]}
    return {
        "scale": list(scales),
        "zero_point": list(zero_points),
        "scale_stride": quantization.stride,
    }


def _address(buffer: BufferInfo, model: ModelInfo) -> int | None:
    """Return the address of a buffer if it is fixed, else None; inside a device it is in rows."""
    for pool in model.inside:
        if pool.name == buffer.pool:
            return (pool.base or 0) + buffer.offset // pool.unit
    base = model.pool(buffer.pool).base
    return None if base is None else base + buffer.offset
