"""`<m>_load_<pool>`: copies the constants of a pool from the image into the memory it lies in."""

from __future__ import annotations

from .model import ModelInfo, PoolInfo
from .names import Naming


def load_signature(pool: PoolInfo, naming: Naming) -> str:
    """Return the declaration of a pool's load function, without a semicolon."""
    m = naming.prefix
    return f"{m}_status {m}_load_{naming.pools[pool.name]}(const {m}_pools *pools)"


def load_functions(model: ModelInfo, naming: Naming) -> list[str]:
    """Return a function per pool that is filled at init."""
    return [_load(pool, naming) for pool in model.filled("at_init")]


def _load(pool: PoolInfo, naming: Naming) -> str:
    m, macro, name = naming.prefix, naming.macro, naming.pools[pool.name]
    return "\n".join(
        [
            load_signature(pool, naming),
            "{",
            f"    const {m}_status status = check_pools(pools);",
            f"    if (status != {macro}_OK) {{",
            "        return status;",
            "    }",
            f"    memcpy(pools->{name}, &{m}_{name}, {naming.pool_macro(pool.name)}_SIZE);",
            f"    return {macro}_OK;",
            "}",
        ]
    )
