"""The arguments that the public functions pass to `@main` and `@reset`."""

from __future__ import annotations

from collections.abc import Sequence

from mlir.dialects import func
from mlir.ir import MemRefType

from forebay.codegen.c.syntax.text import ctype_of
from forebay.codegen.c.syntax.types import scalar_type
from forebay.codegen.project.interface.signatures import pool_pointer
from forebay.ir.machine.devices import handle_of
from forebay.network.errors import EmissionError
from forebay.network.model import ModelInfo
from forebay.network.names import Naming
from forebay.network.pool_arguments import pool_name


def entry_arguments(
    function: func.FuncOp,
    model: ModelInfo,
    naming: Naming,
    ports: Sequence[str],
) -> list[str]:
    """Return an entry point's arguments: pools by name, the caller's ports in order, handles.

    Raises EmissionError when the function's arguments do not match the model's pools and ports.
    """
    pools = [pool_name(argument) for argument in function.arguments]
    handles = [handle_of(function, i) for i in range(len(pools))]
    caller_arguments = [i for i, pool in enumerate(pools) if pool is None and handles[i] is None]
    if len(caller_arguments) != len(ports):
        raise EmissionError(
            function.location,
            f"@{function.name.value} has {len(caller_arguments)} arguments that are no pools, "
            f"but the model has {len(ports)} inputs and outputs of the caller",
        )
    arguments: list[str] = []
    for i, pool in enumerate(pools):
        handle = handles[i]
        if handle is not None:
            arguments.append(f"devices->{naming.devices[handle]}")
        elif pool is not None:
            arguments.append(_pool_argument(pool, function, model, naming))
        else:
            arguments.append(_port_argument(function, i, caller_arguments.index(i), model, naming))
    return arguments


def _pool_argument(pool: str, function: func.FuncOp, model: ModelInfo, naming: Naming) -> str:
    if pool not in naming.pools:
        known = ", ".join(sorted(naming.pools))
        raise EmissionError(function.location, f"unknown pool '{pool}'; known: {known}")
    facts, name = model.pool(pool), naming.pools[pool]
    if facts.is_rom:
        return f"&{naming.prefix}_{name}"
    base = pool_pointer(pool, model, naming)
    if facts.is_constant:
        return f"(const {naming.prefix}_{name}_layout *)(const void *){base}"
    return base


def _port_argument(
    function: func.FuncOp, argument: int, index: int, model: ModelInfo, naming: Naming
) -> str:
    port = model.caller_ports[index]
    type_ = function.arguments[argument].type
    if not isinstance(type_, MemRefType) or tuple(type_.shape) != port.shape:
        raise EmissionError(
            function.location,
            f"argument {argument} of @main is {type_}, but port '{port.name}' has shape "
            f"{port.dtype}{list(port.shape)}",
        )
    inner = scalar_type(type_.element_type)
    name = naming.ports[port.name]
    if port.by_rows or inner == ctype_of(port):
        return name
    const = "const " if port in model.inputs else ""
    return f"({const}{inner} *){name}"
