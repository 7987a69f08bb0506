"""Options of the project writer that change neither the network nor its plan."""

from __future__ import annotations

from dataclasses import replace

from forebay.network.errors import CodegenError
from forebay.network.model import ModelInfo, PlannedPool
from forebay.pools import Fill


def with_weights_blob(model: ModelInfo) -> ModelInfo:
    """Return the model with all constants outside the image, in files the application loads."""
    return replace(model, pools=tuple(_by_host(pool) for pool in model.pools))


def _by_host(pool: PlannedPool) -> PlannedPool:
    return replace(pool, fill=Fill.by_host) if pool.is_constant else pool


def with_internal_pools(model: ModelInfo) -> ModelInfo:
    """Return the model with all memory in the C, so that functions take only inputs and outputs.

    Raises CodegenError for a network with a pool that the application fills.
    """
    outside = [pool.name for pool in model.outside_pools if not pool.is_mapped]
    if outside:
        raise CodegenError(
            f"'{model.name}' cannot have its pools inside: the application fills "
            f"{', '.join(outside)}, and must know where that is; leave the constants in the image"
        )
    return replace(model, internal_pools=True)
