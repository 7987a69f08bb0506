"""The tiling problem of an operator for given bytes, and the refusal where nothing fits."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

from forebay.device_stages.tiles.operator import TiledOperator
from forebay.ir.machine.pools import Pools
from forebay.tiling import TileStorage, TilingError, TilingProblem

_UNLIMITED = 1 << 62
"""The free bytes of a pool without a capacity."""


def tiling_problem_of(
    operator: TiledOperator, free: Mapping[str, int], pools: Pools
) -> TilingProblem:
    """Return the problem of cutting an operator; a pool that is not in `free` is unlimited.

    Tiles are at least aligned as their pool aligns buffers.
    """

    def aligned(storage: TileStorage) -> TileStorage:
        pool = pools[storage.pool]
        alignment = math.lcm(storage.alignment, pool.alignment, pool.unit)
        return replace(storage, alignment=alignment)

    sums = operator.sums
    accumulators = None if sums is None else aligned(sums.storage)
    inputs = tuple(aligned(operand.storage) for operand in operator.inputs)
    outputs = tuple(aligned(operand.storage) for operand in operator.outputs)
    scratch = tuple(
        replace(operand, storage=aligned(operand.storage)) for operand in operator.scratch
    )
    storages = [*inputs, *outputs, *(operand.storage for operand in scratch)]
    storages += [] if accumulators is None else [accumulators]
    names = sorted({storage.pool for storage in storages})
    return TilingProblem(
        operator.nest,
        operator.limits,
        inputs,
        outputs,
        tuple((name, free.get(name, _UNLIMITED)) for name in names),
        accumulators=accumulators,
        accumulator_bits=32 if sums is None else sums.bits,
        calls=operator.calls,
        overlaps=operator.overlaps,
        most_straight=operator.most_straight,
        least_gain=operator.least_gain,
        scratch=scratch,
        always_accumulates=sums is not None and sums.always,
    )


def in_order(problem: TilingProblem) -> TilingProblem:
    """Return the problem of a device that computes one tile after the other, in one slot each."""
    if not problem.overlaps:
        return problem

    def single(storage: TileStorage) -> TileStorage:
        return replace(storage, slots=min(storage.slots, 1))

    sums = problem.accumulators
    return replace(
        problem,
        inputs=tuple(map(single, problem.inputs)),
        outputs=tuple(map(single, problem.outputs)),
        accumulators=None if sums is None else single(sums),
        scratch=tuple(
            replace(operand, storage=single(operand.storage)) for operand in problem.scratch
        ),
        overlaps=False,
    )


def refusal_text(operator: TiledOperator, error: TilingError, free: Mapping[str, int]) -> str:
    """Return why an operator is refused, with the bytes that its smallest tiles need.

    A pool that has as many free bytes has them in ranges that are too small.
    """
    needs = ", and ".join(f"{error.least[pool]:,} bytes of {pool}" for pool in error.short)
    has = ", and ".join(f"{free[pool]:,}" for pool in error.short)
    in_parts = all(error.least[pool] <= free[pool] for pool in error.short)
    where = "are free, in ranges that are too small" if in_parts else "are free"
    return (
        f"{operator.smallest} needs {needs}, but {has} {where}; give {' and '.join(error.short)} "
        "more, or leave the operator to the host (--place)"
    )
