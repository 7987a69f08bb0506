"""The memory map of a network: the offset, lifetime and meaning of every buffer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from msgspec import UNSET, UnsetType

from forebay.codegen.c.analysis.stack_bound import StackBound
from forebay.codegen.project.interface.identity import plan_hash
from forebay.formats.memory_map import (
    InsidePool,
    MapBuffer,
    MapPool,
    MapPort,
    MemoryMap,
    ModelIdentity,
    StackBounds,
)
from forebay.formats.writing import json_lines
from forebay.network.constants import Constant
from forebay.network.model import (
    BufferInfo,
    ModelInfo,
    PlannedPool,
    Port,
    Quantization,
)

_T = TypeVar("_T")


def write_memory_map(
    model: ModelInfo, constants: Mapping[Constant, str], stack: StackBound, *, row_tables: int = 0
) -> str:
    """Return the memory map as JSON in a stable order, one line per pool, port, buffer and step.

    `constants` maps each constant to its member name in C; `row_tables` are the bytes of the tables
    of the places of rows.
    """
    members = {constant.place: name for constant, name in constants.items() if constant.data.size}
    return json_lines(
        MemoryMap(
            format="forebay-memory-map",
            version=2,
            model=ModelIdentity(model.name, model.source_hash),
            plan=plan_hash(model),
            expected_outputs=model.golden_origin or UNSET,
            row_tables=row_tables or UNSET,
            stack_bound=StackBounds(stack.bits32, stack.bits64),
            pools=tuple(map(_pool, model.pools)),
            inside=tuple(map(_inside, model.inside)) or UNSET,
            inputs=tuple(map(_port, model.inputs)),
            outputs=tuple(map(_port, model.outputs)),
            buffers=tuple(_buffer(buffer, model, members) for buffer in model.buffers),
            steps=model.steps,
        )
    )


def _pool(pool: PlannedPool) -> MapPool:
    return MapPool(
        name=pool.name,
        kind=pool.kind.name,
        peak=pool.size,
        lower_bound=pool.lower_bound,
        capacity=pool.capacity,
        alignment=pool.alignment,
        section=pool.section,
        fill=pool.fill.name if pool.is_constant else None,
        base=UNSET if pool.base is None else pool.base,
        start=pool.start if pool.is_mapped else UNSET,
    )


def _inside(pool: PlannedPool) -> InsidePool:
    return InsidePool(
        name=pool.name,
        peak=pool.size,
        lower_bound=pool.lower_bound,
        capacity=pool.capacity,
        base=pool.base or 0,
        row=pool.unit,
    )


def _port(port: Port) -> MapPort:
    return MapPort(
        name=port.name,
        type=port.dtype,
        size=port.size,
        shape=port.shape,
        scale=port.scale,
        zero_point=port.zero_point,
        pool=port.pool,
        offset=port.offset if port.pool is not None else None,
    )


def _buffer(
    buffer: BufferInfo, model: ModelInfo, members: Mapping[tuple[str, int], str]
) -> MapBuffer:
    quantization = buffer.quantization
    return MapBuffer(
        name=buffer.name,
        pool=buffer.pool,
        offset=buffer.offset,
        size=buffer.size,
        address=_address(buffer, model),
        lifetime=(buffer.start, buffer.end),
        type=buffer.dtype,
        shape=buffer.shape,
        scale=None if quantization is None else _one_or_all(quantization.scales),
        zero_point=None if quantization is None else _one_or_all(quantization.zero_points),
        scale_stride=_scale_stride(quantization),
        member=members.get((buffer.pool, buffer.offset), UNSET),
        part_of=buffer.part_of or UNSET,
        rows=buffer.rows if buffer.part_of else UNSET,
    )


def _one_or_all(values: tuple[_T, ...]) -> _T | tuple[_T, ...]:
    return values[0] if len(values) == 1 else values


def _scale_stride(quantization: Quantization | None) -> int | UnsetType:
    if quantization is None or len(quantization.scales) == 1:
        return UNSET
    return quantization.stride


def _address(buffer: BufferInfo, model: ModelInfo) -> int | UnsetType:
    """Return the address of a buffer if it is fixed, else UNSET; inside a device it is in rows."""
    for pool in model.inside:
        if pool.name == buffer.pool:
            return UNSET if pool.is_register else (pool.base or 0) + buffer.offset // pool.unit
    base = model.pool(buffer.pool).base
    return UNSET if base is None else base + buffer.offset
