"""The functions of `<m>.h`, and the structures through which they receive memory and devices."""

from __future__ import annotations

from forebay.codegen.project.interface.signatures import (
    accessor_signature,
    init_signature,
    load_signature,
    reset_signature,
    run_signature,
)
from forebay.codegen.project.pools.pools_file import default_memory
from forebay.network.model import ModelInfo, PlannedPool, Port
from forebay.network.names import Naming, struct_of
from forebay.network.overwritten import is_overwritten


def declare_pools(model: ModelInfo, naming: Naming) -> str:
    """Return the structure of pools and its default instance."""
    m = naming.prefix
    members: list[str] = []
    for pool in model.handed_pools:
        name, macro = naming.pools[pool.name], naming.pool_macro(pool.name)
        const = "const " if pool.is_outside else ""
        members += [
            f"    {const}uint8_t *{name}; /* aligned to {macro}_ALIGN */",
            f"    size_t {name}_size; /* in bytes, at least {macro}_SIZE */",
        ]
    return "\n".join(
        [
            "/* Memory that the caller owns: the address and the size of each pool. */",
            f"typedef struct {m}_pools {{",
            *members,
            f"}} {m}_pools;",
            "",
            f"/* Statically allocated pools ({m}_pools.c); leave it out to provide your own. */",
            f"extern const {m}_pools {m}_default_pools;",
            *(_declare_memory(pool, naming) for pool in model.handed_pools if pool.is_outside),
        ]
    )


def _declare_memory(pool: PlannedPool, naming: Naming) -> str:
    """Return the declaration of the memory into which the application writes a read-only pool."""
    name = naming.pools[pool.name]
    return (
        f"\n/* The address of {name} in the default pools, for the application that fills it. */\n"
        f"extern uint8_t *const {default_memory(pool, naming)};"
    )


def declare_device_error(naming: Naming) -> str:
    """Return the structure that holds the device that ended a call, and its status."""
    m, macro = naming.prefix, naming.macro
    return "\n".join(
        [
            f"/* The error of a device, if a call returns {macro}_ERROR_DEVICE. */",
            f"typedef struct {m}_device_error {{",
            "    int32_t code; /* what the device returned, not 0 */",
            "    const char *device; /* the name of the device, or one of its names */",
            "    const char *where; /* the operator of the model, or the function */",
            f"}} {m}_device_error;",
        ]
    )


def declare_devices(model: ModelInfo, naming: Naming) -> str:
    """Return the structure of device handles."""
    m = naming.prefix
    structs = sorted({struct_of(device.kind) for device in model.handles})
    members = [
        f"    {struct_of(device.kind)} *{naming.devices[device.name]};" for device in model.handles
    ]
    return "\n".join(
        [
            *(f"{struct};" for struct in structs),
            "",
            "/* Handles of the devices, one for each instance; the driver defines their types. */",
            f"typedef struct {m}_devices {{",
            *members,
            f"}} {m}_devices;",
            "",
            f"/* The devices of the self-test; {m}_reference.c or the driver defines them. */",
            f"extern const {m}_devices {m}_default_devices;",
        ]
    )


def declare_init(model: ModelInfo, naming: Naming) -> str:
    """Return the declaration of the function that does all one-time work."""
    m = naming.prefix
    loads = [f"{m}_load_{naming.pools[pool.name]}" for pool in model.at_init_pools]
    calls = [*loads, *([f"{m}_reset"] if model.state_pools else [])]
    return (
        f"/* Call once, before the first inference: it calls {', '.join(calls)}. */\n"
        f"{init_signature(model, naming)};"
    )


def declare_load(pool: PlannedPool, model: ModelInfo, naming: Naming) -> str:
    """Return the declaration of the function that copies a pool's constants from the image."""
    comment = (
        f"/* Copies the constants into {naming.pools[pool.name]}, the only pool that it uses. */"
    )
    return f"{comment}\n{load_signature(pool, model, naming)};"


def declare_reset(model: ModelInfo, naming: Naming) -> str:
    """Return the declaration of the function that initialises the state."""
    return (
        "/* Initialises the state, as init does. Call it to start a new sequence."
        f"{_on_error('reset', model, naming)} */\n{reset_signature(model, naming)};"
    )


def declare_run(model: ModelInfo, naming: Naming) -> str:
    """Return the declaration of the function that runs an inference, with its argument rules."""
    rule = ""
    if any(port.pool is None for port in model.inputs):
        rule += " Inputs that are arguments are not written."
    if model.caller_ports:
        rule += "\n   Arguments must not overlap each other or pools."
    rule += _on_error("main", model, naming)
    if model.row_inputs and not model.devices_commanded_by("main"):
        state = (
            f", and\n   the state is lost until {naming.prefix}_reset" if model.state_pools else ""
        )
        rule += f"\n   After {naming.macro}_ERROR_INPUT the outputs are invalid{state}."
    return f"/* Runs one inference.{rule} */\n{run_signature(model, naming)};"


def _on_error(entry: str, model: ModelInfo, naming: Naming) -> str:
    """Return the sentences about device errors and the state after one."""
    if not model.devices_commanded_by(entry):
        return ""
    state = f",\n   the state is lost until {naming.prefix}_reset" if model.state_pools else ""
    left = "" if entry == "reset" else f": the outputs are then invalid{state}"
    if entry == "main" and model.row_inputs:
        left += ".\n   A row that could not be handed in counts as such an error, of its input"
    return f"\n   The first error of a device ends it and fills error, unless that is null{left}."


def declare_accessor(port: Port, model: ModelInfo, naming: Naming) -> str:
    """Return the declaration of the function that returns the address of a port in a pool."""
    is_input = port in model.inputs
    elements = f"{naming.port_macro(port.name)}_ELEMENTS elements inside a pool"
    what, then = "Read this output after a run", ""
    if is_input and is_overwritten(port, model):
        what, then = "Write this input before each run", "; a run overwrites them"
    elif is_input:
        what, then = "Write this input before a run", "; no run overwrites them"
    return f"/* {what}:\n   {elements}{then}. */\n{accessor_signature(port, model, naming)};"
