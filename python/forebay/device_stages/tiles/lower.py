"""Lower an operator in tiles that fit into the free bytes, and say how many bytes to keep free."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from mlir import ir

from forebay.device_stages.call_site import CallSite
from forebay.device_stages.tiles.builder import TileBuilder
from forebay.device_stages.tiles.operator import TiledOperator
from forebay.device_stages.tiles.placing import tiling_to_place
from forebay.device_stages.tiles.problem import in_order, refusal_text, tiling_problem_of
from forebay.dialects.accel import CallOp
from forebay.ir.machine.pools import Pools, element_bytes
from forebay.ir.memory.addresses import pools_around
from forebay.ir.refused import RefusedError
from forebay.pools import PoolKind
from forebay.tiling import (
    MOST_STRAIGHT,
    TilingError,
    TilingProblem,
    least_usage,
    usage_as_one_tile,
)

_SHARE = 4
"""The part of a pool that is kept free for tiles: a quarter."""

_MOST_CYCLES = 1.05
"""The factor of the best tiling's cycles that another one with shorter code may take."""


def lower_in_tiles(
    site: CallSite, operator: TiledOperator, *others: TiledOperator
) -> Sequence[ir.Value]:
    """Build the tiles of an operator in front of a call, and return what replaces its results.

    The tiles fit into `site.free`. The operands stay in the pools that they have in the trial plan.
    If the queues of the device work in parallel, operands get their slots only if these fit, and if
    larger tiles in one slot each, which do not overlap, take no fewer cycles. An input that stays
    in the device's memory may prevent loops over its parts; if the code is long for this reason,
    and tiles without such an input take nearly as few cycles, these are built. `others` describe
    the same operator, with other limits for example; the one with the fewest cycles is built.
    Raises `RefusedError` with the least bytes that would work when not even the smallest tiles fit.
    """
    site.keep_in_place()
    pools, beside = pools_around(site.call), _bytes_beside(site)
    found: list[tuple[int, int]] = []
    errors: list[TilingError] = []
    operators = (operator, *others)
    problems = [
        _with_constants(tiling_problem_of(each, site.free, pools), each, site, pools)
        for each in operators
    ]
    for number, problem in enumerate(problems):
        try:
            found.append((tiling_to_place(problem, pools, beside).cycles, number))
        except TilingError as error:
            errors.append(error)
    if not found:
        error = min(errors, key=lambda error: error.excess)
        raise RefusedError(site.call.location, refusal_text(operator, error, site.free)) from error
    _, number = min(found)
    return _shorter(operators[number], problems[number], pools, beside).results()


def _with_constants(
    problem: TilingProblem, operator: TiledOperator, site: CallSite, pools: Pools
) -> TilingProblem:
    """Mark the inputs that are in pools of constants."""
    pool_names = dict(zip(site.call.operands, site.operand_pools, strict=True))
    inputs = (
        replace(storage, is_constant=name is not None and pools[name].kind is PoolKind.constant)
        for storage, name in zip(
            problem.inputs, (pool_names.get(each.value) for each in operator.inputs), strict=True
        )
    )
    return replace(problem, inputs=tuple(inputs))


def _shorter(
    operator: TiledOperator,
    problem: TilingProblem,
    pools: Pools,
    beside: Mapping[str, Sequence[int]],
) -> TileBuilder:
    """Return the builder of the best tiling, or of one with shorter code that is nearly as good."""
    best = tiling_to_place(problem, pools, beside)
    builder = TileBuilder(operator, best)
    if not best.staying or best.calls <= MOST_STRAIGHT:
        return builder
    inputs = (
        replace(storage, may_stay=storage.may_stay and operand.dynamic_offsets)
        for storage, operand in zip(problem.inputs, operator.inputs, strict=True)
    )
    try:
        other = tiling_to_place(replace(problem, inputs=tuple(inputs)), pools, beside)
    except TilingError:
        return builder
    shorter = TileBuilder(operator, other)
    is_good = other.cycles <= best.cycles * _MOST_CYCLES
    return shorter if is_good and shorter.tiles_in_code() < builder.tiles_in_code() else builder


def reserve_for_tiles(
    call: CallOp, operator: TiledOperator, *others: TiledOperator
) -> Mapping[str, int]:
    """Return the bytes per pool to keep free for the tiles of an operator.

    This is a quarter of each pool with a capacity: less where the operator needs less as a whole,
    more where its smallest tiles need it. Of several descriptions of the operator, the one with the
    smallest tiles counts. Raises `RefusedError` when not even these fit.
    """
    pools = pools_around(call)
    unlimited = in_order(tiling_problem_of(operator, {}, pools))
    usable = {name: pools[name].usable for name, _ in unlimited.pools}
    sizes = {name: size for name, size in usable.items() if size is not None}
    limited = (in_order(tiling_problem_of(each, sizes, pools)) for each in (operator, *others))
    smallest = min(
        (TilingError(problem, least_usage(problem)) for problem in limited),
        key=lambda error: (error.excess, sum(error.least.values())),
    )
    least = smallest.least
    if smallest.short:
        raise RefusedError(call.location, refusal_text(operator, smallest, sizes)) from smallest
    whole = usage_as_one_tile(unlimited)
    return {
        name: min(whole[name], max(least[name], size // _SHARE)) for name, size in sizes.items()
    }


def _bytes_beside(site: CallSite) -> Mapping[str, Sequence[int]]:
    """Return the bytes of the call's operands by the pool that they are in."""
    found: dict[str, list[int]] = {}
    for operand, pool in zip(site.call.operands, site.operand_pools, strict=True):
        type_ = ir.RankedTensorType(operand.type)
        if pool is not None:
            size = math.prod(type_.shape) * element_bytes(type_.element_type)
            found.setdefault(pool, []).append(size)
    return found
