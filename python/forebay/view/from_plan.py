"""The data of a page from the plan of a problem that came from a file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from forebay.planning import Buffer, Plan, PoolCertificate, certify
from forebay.view.live_bytes import live_bytes
from forebay.view.plan_data import PlanData, ShownBuffer, ShownOperator, ShownPool, ShownStep


def data_of_plan(plan: Plan) -> PlanData:
    """Return what a page shows of a plan; the names of its steps are shown as operators."""
    problem = plan.problem
    numbers = {buffer.name: number for number, buffer in enumerate(problem.buffers)}
    ends = [interval.end for buffer in problem.buffers for interval in buffer.lifetime]
    ticks = max([1, len(problem.steps), *ends])
    certificates = [c for c in certify(plan) if c.peak or plan.in_pool(c.pool)]
    pools = {certificate.pool: number for number, certificate in enumerate(certificates)}
    operators, steps = _named_steps(problem.steps)
    return PlanData(
        name=problem.name or "plan",
        facts=(("planner", plan.planner), ("buffers", f"{len(problem.buffers):,}")),
        ticks=ticks,
        devices=(),
        pools=tuple(_pool(plan, certificate, numbers, ticks) for certificate in certificates),
        buffers=tuple(_buffer(plan, buffer, pools, ticks) for buffer in problem.buffers),
        operators=operators,
        steps=steps,
    )


def _named_steps(
    names: tuple[str, ...],
) -> tuple[tuple[ShownOperator, ...], tuple[ShownStep, ...]]:
    ranges: dict[str, tuple[int, int]] = {}
    for tick, name in enumerate(names):
        if name:
            first, _ = ranges.get(name, (tick, tick))
            ranges[name] = (first, tick + 1)
    numbers = {name: number for number, name in enumerate(ranges)}
    operators = tuple(
        ShownOperator(title=name, kind=name, name="", device="", steps=steps)
        for name, steps in ranges.items()
    )
    return operators, tuple(ShownStep(numbers.get(name), "", "", name) for name in names)


def _pool(
    plan: Plan, certificate: PoolCertificate, numbers: Mapping[str, int], ticks: int
) -> ShownPool:
    pool = plan.problem.pool_by_name[certificate.pool]
    return ShownPool(
        name=pool.name,
        kind=pool.kind.name,
        peak=certificate.peak,
        lower_bound=certificate.lower_bound,
        capacity=pool.capacity,
        argument=certificate.argument,
        at_bound=tuple(numbers[name] for name in certificate.at_bound),
        step=certificate.tick,
        live=live_bytes(_blocks(plan, certificate.pool, ticks)),
    )


def _blocks(plan: Plan, pool: str, ticks: int) -> Iterator[tuple[list[tuple[int, int]], int]]:
    """Yield the spans and the bytes of each buffer, and of each alias group once."""
    problem, owner = plan.problem, plan.problem.pool_by_name[pool]
    groups: dict[str, tuple[list[tuple[int, int]], int]] = {}
    for name in plan.in_pool(pool):
        buffer = problem.buffer_by_name[name]
        spans, size = list(_spans(buffer, ticks)), problem.taken_in(buffer, owner)
        if buffer.alias is None:
            yield spans, size
        else:
            groups.setdefault(buffer.alias, ([], size))[0].extend(spans)
    yield from groups.values()


def _spans(buffer: Buffer, ticks: int) -> tuple[tuple[int, int], ...]:
    if buffer.always_live or not buffer.lifetime:
        return ((0, ticks),)
    return tuple((interval.start, interval.end) for interval in buffer.lifetime)


def _buffer(plan: Plan, buffer: Buffer, pools: Mapping[str, int], ticks: int) -> ShownBuffer:
    pool, offset = plan.placements[buffer.name]
    return ShownBuffer(
        name=buffer.name,
        pool=pools[pool],
        offset=offset,
        size=buffer.size,
        spans=_spans(buffer, ticks),
        kind=buffer.kind.value,
        details=buffer.origin,
        group=buffer.alias or "",
    )
