"""Lower an operator in tiles that fit into the free bytes, and say how many bytes to keep free."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress

from mlir import ir

from forebay.device_stages.call_site import CallSite
from forebay.device_stages.tiles.builder import TileBuilder
from forebay.device_stages.tiles.operator import TiledOperator
from forebay.device_stages.tiles.problem import in_order, refusal_text, tiling_problem_of
from forebay.dialects.accel import CallOp
from forebay.ir.memory.addresses import pools_around
from forebay.ir.refused import RefusedError
from forebay.tiling import (
    LoopTiling,
    TilingError,
    TilingProblem,
    find_tiling,
    least_usage,
    usage_as_one_tile,
)

_SHARE = 4
"""The part of a pool that is kept free for tiles: a quarter."""


def lower_in_tiles(site: CallSite, operator: TiledOperator) -> Sequence[ir.Value]:
    """Build the tiles of an operator in front of a call, and return what replaces its results.

    The tiles fit into `site.free`. The operands stay in the pools that they have in the trial plan.
    If the queues of the device work in parallel, operands get their slots only if these fit, and if
    larger tiles in one slot each, which do not overlap, take no fewer cycles.
    Raises `RefusedError` with the least bytes that would work when not even the smallest tiles fit.
    """
    site.keep_in_place()
    try:
        tiling = _best_tiling(tiling_problem_of(operator, site.free, pools_around(site.call)))
    except TilingError as error:
        raise RefusedError(
            site.call.location, refusal_text(operator, error.least, site.free)
        ) from error
    return TileBuilder(operator, tiling).results()


def reserve_for_tiles(call: CallOp, operator: TiledOperator) -> Mapping[str, int]:
    """Return the bytes per pool to keep free for the tiles of an operator.

    This is a quarter of each pool with a capacity: less where the operator needs less as a whole,
    more where its smallest tiles need it. Raises `RefusedError` when not even these fit.
    """
    pools = pools_around(call)
    unlimited = in_order(tiling_problem_of(operator, {}, pools))
    usable = {name: pools[name].usable for name, _ in unlimited.pools}
    sizes = {name: size for name, size in usable.items() if size is not None}
    least = least_usage(in_order(tiling_problem_of(operator, sizes, pools)))
    if any(least[name] > size for name, size in sizes.items()):
        raise RefusedError(call.location, refusal_text(operator, least, sizes))
    whole = usage_as_one_tile(unlimited)
    return {
        name: min(whole[name], max(least[name], size // _SHARE)) for name, size in sizes.items()
    }


def _best_tiling(problem: TilingProblem) -> LoopTiling:
    """Return the tiling with the fewest cycles, of those with slots and those in order."""
    if not problem.overlaps:
        return find_tiling(problem)
    found: list[LoopTiling] = []
    with suppress(TilingError):
        found.append(find_tiling(problem))
    return min([*found, find_tiling(in_order(problem))], key=lambda tiling: tiling.cycles)
