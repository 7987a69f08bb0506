"""The memory map of a network: the offset, lifetime and meaning of every buffer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from msgspec import UNSET, Struct, UnsetType

from forebay.cascade.steps import BudgetStep
from forebay.codegen.c.analysis.stack_bound import StackBound
from forebay.codegen.project.interface.identity import plan_hash
from forebay.formats.memory_map import (
    BufferContents,
    InsidePool,
    MapBound,
    MapBudgetStep,
    MapBuffer,
    MapOperator,
    MapPool,
    MapPort,
    MapStep,
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
from forebay.network.schedule import OperatorInfo, StepInfo
from forebay.planning import Kind

_T = TypeVar("_T")

_KINDS: Mapping[Kind, BufferContents] = {
    Kind.WORKSPACE: "workspace",
    Kind.CONSTANT: "constant",
    Kind.STATE: "state",
    Kind.INPUT: "input",
    Kind.OUTPUT: "output",
}


def write_memory_map(
    model: ModelInfo,
    constants: Mapping[Constant, str],
    stack: StackBound,
    *,
    row_tables: int = 0,
    hooked: frozenset[int] = frozenset(),
) -> str:
    """Return the memory map as JSON in a stable order, one line per pool, port, buffer and step.

    `constants` maps each constant to its member name in C; `row_tables` are the bytes of the tables
    of the places of rows. `hooked` are the operators with macros around their calls, by index.
    """
    members = {constant.place: name for constant, name in constants.items() if constant.data.size}
    numbers = {buffer.name: number for number, buffer in enumerate(model.buffers)}
    uses = _uses(model)
    return json_lines(
        MemoryMap(
            format="forebay-memory-map",
            version=3,
            model=ModelIdentity(model.name, model.source_hash),
            plan=plan_hash(model),
            planner=model.planner,
            target=model.target or UNSET,
            host=model.host,
            expected_outputs=model.golden_origin or UNSET,
            row_tables=row_tables or UNSET,
            stack_bound=StackBounds(stack.bits32, stack.bits64),
            pools=tuple(_pool(pool, numbers) for pool in model.pools),
            inside=tuple(_inside(pool, numbers) for pool in model.inside) or UNSET,
            inputs=tuple(map(_port, model.inputs)),
            outputs=tuple(map(_port, model.outputs)),
            buffers=tuple(
                _buffer(buffer, model, members, uses[number])
                for number, buffer in enumerate(model.buffers)
            ),
            operators=tuple(_operator(it, it.index in hooked) for it in model.operators),
            steps=tuple(map(_step, model.steps)),
            budgets=tuple(map(_budget_step, model.budget_steps)) or UNSET,
        )
    )


class _Uses(Struct):
    """The first step that writes a buffer, and the steps that read it."""

    producer: int | None = None
    consumers: tuple[int, ...] = ()


def _uses(model: ModelInfo) -> list[_Uses]:
    found = [_Uses() for _ in model.buffers]
    readers: list[list[int]] = [[] for _ in model.buffers]
    for tick, step in enumerate(model.steps):
        for number in step.reads:
            readers[number].append(tick)
        for number in step.writes:
            if found[number].producer is None:
                found[number].producer = tick
    for uses, ticks in zip(found, readers, strict=True):
        uses.consumers = tuple(ticks)
    return found


def _pool(pool: PlannedPool, numbers: Mapping[str, int]) -> MapPool:
    return MapPool(
        name=pool.name,
        kind=pool.kind.name,
        peak=pool.size,
        lower_bound=pool.lower_bound,
        bound=_bound(pool, numbers),
        capacity=pool.capacity,
        alignment=pool.alignment,
        section=pool.section,
        fill=pool.fill.name if pool.is_constant else None,
        base=UNSET if pool.base is None else pool.base,
        start=pool.start if pool.is_mapped else UNSET,
    )


def _bound(pool: PlannedPool, numbers: Mapping[str, int]) -> MapBound | None:
    if pool.bound is None:
        return None
    buffers = tuple(numbers[name] for name in pool.bound.buffers)
    return MapBound(pool.bound.argument, buffers, pool.bound.step, pool.bound.holes)


def _inside(pool: PlannedPool, numbers: Mapping[str, int]) -> InsidePool:
    return InsidePool(
        name=pool.name,
        peak=pool.size,
        lower_bound=pool.lower_bound,
        bound=_bound(pool, numbers),
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
        by_rows=port.by_rows or UNSET,
    )


def _buffer(
    buffer: BufferInfo, model: ModelInfo, members: Mapping[tuple[str, int], str], uses: _Uses
) -> MapBuffer:
    quantization = buffer.quantization
    return MapBuffer(
        name=buffer.name,
        kind=_KINDS[buffer.kind],
        pool=buffer.pool,
        offset=buffer.offset,
        size=buffer.size,
        address=_address(buffer, model),
        lifetime=(buffer.start, buffer.end),
        gaps=buffer.gaps or UNSET,
        producer=uses.producer,
        consumers=uses.consumers,
        alias_group=buffer.alias_group or UNSET,
        type=buffer.dtype,
        shape=buffer.shape,
        scale=None if quantization is None else _one_or_all(quantization.scales),
        zero_point=None if quantization is None else _one_or_all(quantization.zero_points),
        scale_stride=_scale_stride(quantization),
        member=members.get((buffer.pool, buffer.offset), UNSET),
        interleaved=buffer.interleaved.channels if buffer.interleaved else UNSET,
        interleaved_word=buffer.interleaved.word if buffer.interleaved.word > 1 else UNSET,
        part_of=buffer.part_of or UNSET,
        rows=buffer.rows if buffer.part_of else UNSET,
    )


def _operator(operator: OperatorInfo, has_hooks: bool) -> MapOperator:
    return MapOperator(
        index=operator.index,
        kind=operator.kind,
        name=operator.name,
        device=operator.device,
        pattern=UNSET if operator.pattern is None else operator.pattern,
        reasons=operator.reasons or UNSET,
        macs=UNSET if operator.macs is None else operator.macs,
        bytes=UNSET if operator.bytes is None else operator.bytes,
        hooks=has_hooks or UNSET,
    )


def _step(step: StepInfo) -> MapStep:
    return MapStep(
        operator=step.operator,
        op=step.op,
        device=step.device,
        entry=step.entry,
        location=step.location,
        reads=step.reads,
        writes=step.writes,
        waits_for=step.waits_for or UNSET,
        inputs=step.inputs or UNSET,
        outputs=step.outputs or UNSET,
        cycles=UNSET if step.cycles is None else step.cycles,
    )


def _budget_step(step: BudgetStep) -> MapBudgetStep:
    return MapBudgetStep(step.pool, step.step, step.bytes, step.added)


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
