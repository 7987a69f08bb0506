"""`<m>_pools.c`: default pools, statically allocated."""

from __future__ import annotations

from .model import ModelInfo, PoolInfo
from .names import Naming


def write_pools(model: ModelInfo, naming: Naming) -> str:
    """Return the text of the file; the application may leave it out."""
    m = naming.prefix
    members = ", ".join(_begin(pool, naming) for pool in model.provided_pools)
    return (
        "\n\n".join(
            [
                f"/* Default pools; leave this file out to provide your own {m}_pools. */\n"
                f'#include "{m}.h"',
                *(_pool(pool, naming) for pool in model.provided_pools),
                f"const {m}_pools {m}_default_pools = {{{members}}};",
            ]
        )
        + "\n"
    )


def _begin(pool: PoolInfo, naming: Naming) -> str:
    """Where the pool begins in its array: behind it where its base is not aligned as a buffer."""
    name = naming.pools[pool.name]
    return f"&{name}[{pool.remainder}]" if pool.remainder else name


def _pool(pool: PoolInfo, naming: Naming) -> str:
    macro, name = naming.pool_macro(pool.name), naming.pools[pool.name]
    section = f'section("{pool.section}"), ' if pool.section else ""
    size = f"{macro}_SIZE" if pool.size else "1"
    size += f" + {pool.remainder}" if pool.remainder else ""
    return (
        "/* Alignment and section; define it to choose your own. */\n"
        f"#ifndef {macro}_ATTRIBUTES\n"
        f"#define {macro}_ATTRIBUTES \\\n    __attribute__(({section}aligned({macro}_ALIGN)))\n"
        "#endif\n"
        f"{macro}_ATTRIBUTES\nstatic uint8_t {name}[{size}];"
    )
