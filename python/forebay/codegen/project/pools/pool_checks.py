"""The checks that public functions make of the pools that they receive."""

from __future__ import annotations

from collections.abc import Sequence

from forebay.codegen.c.syntax.wrap import wrap_line
from forebay.network.model import ModelInfo, PlannedPool
from forebay.network.names import Naming


def check_pool_symbols(model: ModelInfo, naming: Naming) -> list[str]:
    """Return the function by which a run checks all pools, if it receives any."""
    if not model.handed_pools:
        return []
    m, macro = naming.prefix, naming.macro
    lines = [
        f"static {m}_status check_pools(const {m}_pools *pools)",
        "{",
        *pool_checks(model.handed_pools, model, naming),
        f"    return {macro}_OK;",
        "}",
    ]
    return ["\n".join(lines)]


def pool_checks(pools: Sequence[PlannedPool], model: ModelInfo, naming: Naming) -> list[str]:
    """Return the statements that refuse pools that are null, too small or misaligned."""
    pools = [pool for pool in pools if pool in model.handed_pools]
    if not pools:
        return []
    macro = naming.macro
    members = [f"pools->{naming.pools[pool.name]}" for pool in pools]
    nulls = ["pools == NULL", *(f"{member} == NULL" for member in members)]
    lines = _refuse(" || ".join(nulls), f"{macro}_ERROR_NULL")
    for pool, member in zip(pools, members, strict=True):
        name = naming.pool_macro(pool.name)
        if pool.size:
            lines += _refuse(f"{member}_size < {name}_SIZE", f"{macro}_ERROR_SIZE")
        lines += _refuse(f"(uintptr_t){member} % {name}_ALIGN != 0", f"{macro}_ERROR_ALIGNMENT")
    return lines


def _refuse(condition: str, status: str) -> list[str]:
    return [*wrap_line(f"    if ({condition}) {{"), f"        return {status};", "    }"]
