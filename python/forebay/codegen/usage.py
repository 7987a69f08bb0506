"""The order in which an application calls a network, as the header says it."""

from __future__ import annotations

from .model import ModelInfo
from .names import Naming
from .pool_images import image_name
from .signatures import accessor_call, pools_argument


def usage(model: ModelInfo, naming: Naming) -> list[str]:
    """Return the lines: memory, what is done once, and what is done for each inference."""
    m, pools = naming.prefix, pools_argument(model)
    lines: list[str] = []
    if model.handed_pools:
        lines += _memory(model, naming)
    for pool in model.filled("by_host"):
        lines.append(f"Once: put {image_name(pool, naming)} into {naming.pools[pool.name]}.")
    for pool in model.filled("at_init"):
        lines.append(f"Once: {m}_load_{naming.pools[pool.name]}({pools});")
    if model.state_pools:
        lines.append(f"Once, and to begin a new sequence: {m}_reset({pools});")
    own = [naming.ports[port.name] for port in model.caller_ports]
    arguments = ", ".join([pools, *own] if pools else own)
    pooled = [port for port in model.inputs if port.pool is not None]
    written = [f"write {accessor_call(port, model, naming)}, then " for port in pooled]
    results = [accessor_call(port, model, naming) for port in model.outputs if port.pool]
    read = f" then read {', '.join(results)}." if results else ""
    lines.append(f"Each inference: {''.join(written)}{m}_run({arguments});{read}")
    return [*lines, *_threads(model)]


def _memory(model: ModelInfo, naming: Naming) -> list[str]:
    m = naming.prefix
    return [f"Memory: {m}_pools pools = {m}_default_pools; ({m}_pools.c), or memory of your own."]


def _threads(model: ModelInfo) -> list[str]:
    if model.internal_pools and model.provided_pools:
        return ["", "Its memory is inside of it, so one thread at a time may call it."]
    if not model.handed_pools:
        return ["", "It has no memory of its own: threads may call it at once."]
    kept = [pool.name for pool in model.handed_pools if pool.kind != "workspace"]
    lines = [
        "",
        "All functions are re-entrant: threads may call them at once with pools of their own.",
    ]
    if len(kept) < len(model.handed_pools):
        others = f"; but not that of {', '.join(kept)}" if kept else ""
        lines.append(f"Memory of a workspace may serve several networks in turn{others}.")
    return lines
