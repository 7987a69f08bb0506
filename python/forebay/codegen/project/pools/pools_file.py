"""`<m>_pools.c`: default pools, statically allocated."""

from __future__ import annotations

from forebay.codegen.project.interface.identity import identity_check
from forebay.codegen.project.interface.signatures import fixed_pointer
from forebay.codegen.project.pools.placement import placement_macros
from forebay.network.model import ModelInfo, PlannedPool
from forebay.network.names import Naming


def write_pools(model: ModelInfo, naming: Naming) -> str:
    """Return the text of the file; the application may leave it out."""
    m = naming.prefix
    names = {pool.name: naming.pools[pool.name] for pool in model.handed_pools}
    members = ",\n".join(
        f"    {names[pool.name]}, {naming.pool_macro(pool.name)}_SIZE"
        for pool in model.handed_pools
    )
    memories = [
        f"uint8_t *const {default_memory(pool, naming)} = {names[pool.name]};"
        for pool in model.handed_pools
        if pool.is_outside
    ]
    parts = [
        f"/* Default pools; leave this file out to provide your own {m}_pools. */\n"
        f'#include "{m}.h"',
        identity_check(f"{m}_pools.c", model, naming),
        *(pool_array(pool, naming, names[pool.name]) for pool in model.handed_pools),
        *memories,
        f"const {m}_pools {m}_default_pools = {{\n{members}\n}};",
    ]
    return "\n\n".join(parts) + "\n"


def default_memory(pool: PlannedPool, naming: Naming) -> str:
    """Return the name of the pointer to a default pool, for the code that fills the pool."""
    return f"{naming.prefix}_default_{naming.pools[pool.name]}"


def filled_memory(pool: PlannedPool, naming: Naming) -> str:
    """Return the C expression for writing into a pool, default or at a fixed base."""
    if pool.is_mapped:
        return fixed_pointer(pool.name, naming)
    if pool.is_outside:
        return default_memory(pool, naming)
    return f"{naming.prefix}_default_pools.{naming.pools[pool.name]}"


def pool_array(pool: PlannedPool, naming: Naming, array: str) -> str:
    """Return the definition of a pool's bytes, with the section and alignment of its macros."""
    size = f"{naming.pool_macro(pool.name)}_SIZE" if pool.size else "1"
    return f"{placement_macros(pool, naming)}\nstatic uint8_t {array}[{size}];"
