"""The parameters of a network's functions, and the expressions by which they access pools."""

from __future__ import annotations

from forebay.codegen.c.syntax.text import ctype_of
from forebay.codegen.project.interface.row_inputs import row_struct
from forebay.network.model import ModelInfo, PlannedPool, Port
from forebay.network.names import Naming


def pools_parameter(model: ModelInfo, naming: Naming) -> list[str]:
    """Return the parameter through which a function receives the pools, if there are any."""
    return [f"const {naming.prefix}_pools *pools"] if model.handed_pools else []


def pools_argument(model: ModelInfo) -> str:
    """Return the argument that an application passes for its variable `pools`."""
    return "&pools" if model.handed_pools else ""


def pool_pointer(pool: str, model: ModelInfo, naming: Naming) -> str:
    """Return the C expression, in public functions, of a pool's first byte outside the image."""
    name = naming.pools[pool]
    if model.pool(pool).is_mapped:
        return fixed_pointer(pool, naming)
    return internal_name(name) if model.internal_pools else f"pools->{name}"


def fixed_pointer(pool: str, naming: Naming) -> str:
    """Return the C expression of the first byte of a pool at a fixed base."""
    return f"((uint8_t *)(uintptr_t){naming.pool_macro(pool)}_BASE)"


def internal_name(pool: str) -> str:
    """Return the name of the array in `<m>.c` that is an internal pool."""
    return f"own_{pool}"


def error_parameter(entry: str, model: ModelInfo, naming: Naming) -> list[str]:
    """Return the parameter through which an entry function reports a device's error."""
    return [f"{naming.prefix}_device_error *error"] if model.devices_commanded_by(entry) else []


def devices_parameter(entry: str, model: ModelInfo, naming: Naming) -> list[str]:
    """Return the parameter through which an entry function receives device handles, if it does."""
    return [f"const {naming.prefix}_devices *devices"] if model.handed_to(entry) else []


def device_arguments(
    entry: str, model: ModelInfo, devices: str, error: str
) -> tuple[list[str], ...]:
    """Return the arguments for handles, which follow the pools, and for errors, at the end."""
    return (
        [devices] if model.handed_to(entry) else [],
        [error] if model.devices_commanded_by(entry) else [],
    )


def run_parameters(model: ModelInfo, naming: Naming) -> list[str]:
    """Return the parameters of `<m>_run`."""
    parameters = [
        *pools_parameter(model, naming),
        *devices_parameter("main", model, naming),
    ]
    for port in model.caller_ports:
        const = "const " if port in model.inputs else ""
        type_ = row_struct(port, naming) if port.by_rows else ctype_of(port)
        parameters.append(f"{const}{type_} *{naming.ports[port.name]}")
    return [*parameters, *error_parameter("main", model, naming)]


def run_signature(model: ModelInfo, naming: Naming) -> str:
    """Return the head of `<m>_run`, without a semicolon."""
    m, parameters = naming.prefix, run_parameters(model, naming)
    line = f"{m}_status {m}_run({', '.join(parameters) or 'void'})"
    if len(line) < 100:
        return line
    joined = ",\n    ".join(parameters)
    return f"{m}_status {m}_run(\n    {joined})"


def init_signature(model: ModelInfo, naming: Naming) -> str:
    """Return the head of `<m>_init`, without a semicolon."""
    m = naming.prefix
    return f"{m}_status {m}_init({_with_reset(model, naming)})"


def reset_signature(model: ModelInfo, naming: Naming) -> str:
    """Return the head of `<m>_reset`, without a semicolon."""
    m = naming.prefix
    return f"{m}_status {m}_reset({_with_reset(model, naming)})"


def load_signature(pool: PlannedPool, model: ModelInfo, naming: Naming) -> str:
    """Return the head of a pool's load function, without a semicolon."""
    m = naming.prefix
    return f"{m}_status {m}_load_{naming.pools[pool.name]}({_only_pools(model, naming)})"


def accessor_signature(port: Port, model: ModelInfo, naming: Naming) -> str:
    """Return the head of a pooled port's accessor, without a semicolon."""
    const = "" if port in model.inputs else "const "
    name = f"{naming.prefix}_{naming.ports[port.name]}"
    return f"{const}{ctype_of(port)} *{name}({_only_pools(model, naming)})"


def accessor_call(port: Port, model: ModelInfo, naming: Naming) -> str:
    """Return an application's call of a pooled port's accessor."""
    return f"{naming.prefix}_{naming.ports[port.name]}({pools_argument(model)})"


def _with_reset(model: ModelInfo, naming: Naming) -> str:
    """Return the parameters of a function that resets the state."""
    parameters = [
        *pools_parameter(model, naming),
        *devices_parameter("reset", model, naming),
        *error_parameter("reset", model, naming),
    ]
    return ", ".join(parameters) or "void"


def _only_pools(model: ModelInfo, naming: Naming) -> str:
    return ", ".join(pools_parameter(model, naming)) or "void"
