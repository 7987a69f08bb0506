"""`<m>_load_<pool>`: copies the constants of a pool from the image into the pool's memory."""

from __future__ import annotations

from forebay.codegen.project.interface.signatures import load_signature, pool_pointer
from forebay.codegen.project.pools.pool_checks import pool_checks
from forebay.network.model import ModelInfo, PlannedPool
from forebay.network.names import Naming


def load_functions(model: ModelInfo, naming: Naming) -> list[str]:
    """Return a function per pool that is filled at init."""
    return [_load(pool, model, naming) for pool in model.at_init_pools]


def _load(pool: PlannedPool, model: ModelInfo, naming: Naming) -> str:
    m, macro, name = naming.prefix, naming.macro, naming.pools[pool.name]
    target, source = pool_pointer(pool.name, model, naming), f"&{m}_{name}"
    size = f"{naming.pool_macro(pool.name)}_SIZE"
    if pool.start:  # the bytes before `start` do not belong to this network
        target, source = f"{target} + {pool.start}", f"(const uint8_t *){source} + {pool.start}"
        size = f"{size} - {pool.start}"
    return "\n".join(
        [
            load_signature(pool, model, naming),
            "{",
            *pool_checks((pool,), model, naming),
            f"    (void)memcpy({target}, {source}, {size});",
            f"    return {macro}_OK;",
            "}",
        ]
    )
