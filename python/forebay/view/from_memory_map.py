"""The data of a page from a memory map."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import UNSET

from forebay.formats.memory_map import (
    InsidePool,
    MapBuffer,
    MapOperator,
    MapPool,
    MapStep,
    MemoryMap,
    PoolContents,
)
from forebay.view.live_bytes import live_bytes
from forebay.view.operator_graph import operator_edges, steps_of_operators
from forebay.view.plan_data import (
    PlanData,
    ShownBudget,
    ShownBuffer,
    ShownOperator,
    ShownPool,
    ShownStep,
)


def data_of_memory_map(memory_map: MemoryMap) -> PlanData:
    """Return what a page shows of a compiled network."""
    pools = (*memory_map.pools, *(memory_map.inside or ()))
    numbers = {pool.name: number for number, pool in enumerate(pools)}
    ranges = steps_of_operators(memory_map.steps)
    return PlanData(
        name=memory_map.model.name,
        facts=_facts(memory_map),
        ticks=max(1, len(memory_map.steps)),
        devices=_devices(memory_map),
        pools=tuple(_pool(pool, memory_map) for pool in pools),
        buffers=tuple(_buffer(b, numbers, memory_map) for b in memory_map.buffers),
        operators=tuple(
            _operator(operator, ranges.get(number), memory_map.steps)
            for number, operator in enumerate(memory_map.operators)
        ),
        steps=tuple(
            ShownStep(s.operator, s.op, s.device, s.location, s.reads, s.writes)
            for s in memory_map.steps
        ),
        edges=operator_edges(memory_map.buffers, memory_map.steps),
        budgets=tuple(
            ShownBudget(b.pool, b.step, b.bytes, b.added) for b in memory_map.budgets or ()
        ),
    )


def _facts(memory_map: MemoryMap) -> tuple[tuple[str, str], ...]:
    target = [] if memory_map.target is UNSET else [("target", memory_map.target)]
    constants = sum(pool.peak for pool in memory_map.pools if pool.kind == "constant")
    return (
        *target,
        ("planner", memory_map.planner),
        ("operators", f"{len(memory_map.operators):,}"),
        ("buffers", f"{len(memory_map.buffers):,}"),
        ("constants", f"{constants:,} B"),
        ("model", memory_map.model.hash[:12]),
    )


def _devices(memory_map: MemoryMap) -> tuple[str, ...]:
    """Return the host, then the other devices in the order of their first use."""
    used = (*(s.device for s in memory_map.steps), *(o.device for o in memory_map.operators))
    return tuple(dict.fromkeys((memory_map.host, *used)))


def _pool(pool: MapPool | InsidePool, memory_map: MemoryMap) -> ShownPool:
    in_pool = [buffer for buffer in memory_map.buffers if buffer.pool == pool.name]
    bound = pool.bound
    return ShownPool(
        name=pool.name,
        kind=pool.kind if isinstance(pool, MapPool) else _kind_of(in_pool),
        peak=pool.peak,
        lower_bound=pool.lower_bound,
        capacity=pool.capacity,
        argument="" if bound is None else bound.argument,
        at_bound=() if bound is None else bound.buffers,
        step=None if bound is None else bound.step,
        live=live_bytes((_spans(buffer, memory_map), buffer.size) for buffer in in_pool),
    )


def _kind_of(buffers: list[MapBuffer]) -> PoolContents:
    kinds = {buffer.kind for buffer in buffers}
    if kinds == {"constant"}:
        return "constant"
    return "state" if kinds == {"state"} else "workspace"


def _spans(buffer: MapBuffer, memory_map: MemoryMap) -> tuple[tuple[int, int], ...]:
    """Return the ranges of steps in which a buffer is live; constants and state always are."""
    if buffer.kind in ("constant", "state"):
        return ((0, max(1, len(memory_map.steps))),)
    start, end = buffer.lifetime
    gaps = tuple(buffer.gaps or ())
    starts = (start, *(stop for _, stop in gaps))
    return tuple(zip(starts, (*(begin for begin, _ in gaps), end), strict=True))


def _buffer(buffer: MapBuffer, pools: Mapping[str, int], memory_map: MemoryMap) -> ShownBuffer:
    user = buffer.producer
    if user is None:
        user = buffer.consumers[0] if buffer.consumers else None
    shape = "x".join(map(str, buffer.shape)) or "scalar"
    return ShownBuffer(
        name=buffer.name,
        pool=pools[buffer.pool],
        offset=buffer.offset,
        size=buffer.size,
        spans=_spans(buffer, memory_map),
        kind=buffer.kind,
        details=f"{buffer.type} {shape}",
        device="" if user is None else memory_map.steps[user].device,
        producer=buffer.producer,
        consumers=buffer.consumers,
        group=buffer.alias_group or "",
    )


def _operator(
    operator: MapOperator,
    steps: tuple[int, int] | None,
    schedule: tuple[MapStep, ...],
) -> ShownOperator:
    title = operator.kind if operator.index is None else f"{operator.index} {operator.kind}"
    if steps is not None and schedule[steps[0]].entry != "main":
        title = f"{title} of {schedule[steps[0]].entry}"
    return ShownOperator(
        title=title,
        kind=operator.kind,
        name=operator.name,
        device=operator.device,
        pattern=operator.pattern or "",
        reasons=operator.reasons or (),
        macs=None if operator.macs is UNSET else operator.macs,
        bytes=None if operator.bytes is UNSET else operator.bytes,
        index=operator.index,
        steps=steps,
    )
