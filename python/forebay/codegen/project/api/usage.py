"""The order in which an application calls a network, for the header's comment."""

from __future__ import annotations

from forebay.codegen.project.interface.row_inputs import row_struct
from forebay.codegen.project.interface.signatures import (
    accessor_call,
    device_arguments,
    pools_argument,
)
from forebay.network.model import ModelInfo
from forebay.network.names import Naming
from forebay.network.pool_images import image_name
from forebay.pools import PoolKind


def usage(model: ModelInfo, naming: Naming) -> list[str]:
    """Return the lines about memory, one-time calls and the calls of each inference."""
    m, pools = naming.prefix, pools_argument(model)
    lines = _memory(model, naming)
    for pool in model.outside_pools:
        verb = "program" if pool.is_programmed else "put"
        lines.append(f"Once: {verb} {image_name(pool, naming)} into {naming.pools[pool.name]}.")
    if model.needs_init:
        lines.append(f"Once: {m}_init({_to_reset(pools, model)});")
    if model.state_pools:
        lines.append(f"To begin a new sequence: {m}_reset({_to_reset(pools, model)});")
    devices, error = device_arguments("main", model, "&devices", "&error")
    ports = [f"{'&' if p.by_rows else ''}{naming.ports[p.name]}" for p in model.caller_ports]
    parameters = [*devices, *ports, *error]
    arguments = ", ".join([pools, *parameters] if pools else parameters)
    pooled = [port for port in model.inputs if port.pool is not None]
    written = [f"write {accessor_call(port, model, naming)}, then " for port in pooled]
    results = [accessor_call(port, model, naming) for port in model.outputs if port.pool]
    read = f" then read {', '.join(results)}." if results else ""
    lines.append(f"Each inference: {''.join(written)}{m}_run({arguments});{read}")
    for port in model.row_inputs:
        name = naming.ports[port.name]
        lines.append(
            f"    with {row_struct(port, naming)} {name} = {{your function, its context}};"
        )
    return [*lines, *_threads(model)]


def _to_reset(pools: str, model: ModelInfo) -> str:
    """Return the arguments of init and reset."""
    devices, error = device_arguments("reset", model, "&devices", "&error")
    return ", ".join([*filter(None, [pools]), *devices, *error])


def _memory(model: ModelInfo, naming: Naming) -> list[str]:
    """Return the lines about the pools and how the application gets them."""
    m = naming.prefix
    lines = [f"Memory; {m}.json lists every buffer:"] if model.pools else []
    for pool in model.pools:
        place = " in the image" if pool.is_rom else ""
        place = f" at {naming.pool_macro(pool.name)}_BASE" if pool.is_mapped else place
        lines.append(f"    {naming.pools[pool.name]}: {pool.kind}, {pool.size:,} bytes{place}")
    if model.handed_pools:
        lines += [f"    {m}_pools pools = {m}_default_pools; or memory of your own"]
    if model.handles:
        handles = ", ".join(naming.devices[device.name] for device in model.handles)
        lines += [f"Devices; the driver gives their handles: {m}_devices devices = {{{handles}}};"]
    return lines


def _threads(model: ModelInfo) -> list[str]:
    if model.internal_pools and model.provided_pools:
        return ["", "Its memory is inside of this code, so only one thread at a time may call it."]
    if any(not pool.is_constant for pool in model.mapped_pools):
        return [
            "",
            "Some of its memory is at fixed addresses, so only one thread at a time may call it.",
        ]
    if not model.handed_pools:
        return ["", "It has no memory of its own, so several threads may call it at the same time."]
    lines = [
        "",
        "Several threads may call all functions at the same time, each with its own pools.",
    ]
    if any(pool.kind is PoolKind.workspace for pool in model.handed_pools):
        lines.append("Between two inferences, other networks may use a workspace.")
    return lines
