"""How many bytes of each pool are free while a call runs: a trial plan of the whole program."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping, Sequence

from mlir import ir
from mlir.dialects.builtin import ModuleOp

from forebay.dialects.accel import CallOp
from forebay.ir.liveness import Liveness, liveness_of
from forebay.ir.module import module_of
from forebay.ir.nested import ops_nested_in
from forebay.ir.pools import DeclaredPool, bytes_of, pools_in
from forebay.ir.problem import planned_place
from forebay.pipelines import run
from forebay.planning import Interval

SITE = "accel.site"
"""Attribute of a call: its number among the calls that are probed."""


def free_bytes(
    module: ModuleOp, calls: Sequence[CallOp], pipeline: str
) -> Sequence[Mapping[str, int]]:
    """Per call, the bytes of every pool with a capacity that nothing live takes while it runs.

    `pipeline` takes the module from where it is to a plan; it runs on a clone, where the calls stay
    what they are. Raises `PipelineError` when that fails, a pool that is too small included.
    """
    i64 = ir.IntegerType.get_signless(64)
    for number, call in enumerate(calls):
        call.attributes[SITE] = ir.IntegerAttr.get(i64, number)
    bytecode = io.BytesIO()
    module.operation.write_bytecode(bytecode)
    clone = ir.Module.parse(bytecode.getvalue())
    for call in calls:
        del call.attributes[SITE]
    run(clone, pipeline)
    planned = module_of(clone.operation)
    liveness = liveness_of(planned)
    pools = pools_in(planned.operation)
    ticks = _ticks_of_sites(planned, liveness)
    return [
        {
            name: max(0, _usable(pool) - _taken(name, ticks.get(number, ()), liveness))
            for name, pool in pools.items()
            if pool.capacity is not None
        }
        for number in range(len(calls))
    ]


def _ticks_of_sites(module: ModuleOp, liveness: Liveness) -> Mapping[int, list[int]]:
    """The ticks at which each call runs: one per context that it is called in."""
    numbers = {
        op: ir.IntegerAttr(op.attributes[SITE]).value
        for op in ops_nested_in(module)
        if SITE in op.attributes
    }
    found: dict[int, list[int]] = {}
    for tick, op in enumerate(liveness.ops):
        if op in numbers:
            found.setdefault(numbers[op], []).append(tick)
    return found


def _usable(pool: DeclaredPool) -> int:
    assert pool.capacity is not None
    return pool.capacity - pool.start - sum(end - start for start, end in pool.reserved)


def _taken(pool: str, ticks: Iterable[int], liveness: Liveness) -> int:
    """The bytes of the pool that are live at the worst of the ticks."""
    sizes = [
        (bytes_of(root.type), lifetime)
        for root, lifetime in zip(liveness.roots, liveness.lifetimes, strict=True)
        if planned_place(root).pool == pool
    ]
    return max((sum(s for s, life in sizes if _lives(life, tick)) for tick in ticks), default=0)


def _lives(lifetime: Iterable[Interval], tick: int) -> bool:
    return any(start <= tick < end for start, end in lifetime)
