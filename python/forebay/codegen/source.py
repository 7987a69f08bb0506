"""`<m>.c`: the network's functions behind checked entry points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mlir.dialects import func
from mlir.ir import MemRefType, Module

from .c_printer import print_module
from .c_printer.function import Signature
from .c_printer.module import ModuleText
from .c_printer.types import scalar_type
from .c_printer.wrap import wrapped
from .c_text import ctype_of
from .constants import ConstantMemory
from .errors import EmissionError
from .header import STATUSES, accessor_signature, run_parameters
from .layout import Layout
from .model import ModelInfo
from .names import Naming
from .pool_arguments import pool_name

REQUIREMENTS = """\
#if INT_MAX < 2147483647
#error "this code computes in int, which must have 32 bits or more"
#endif
#if (-1 >> 1) != -1
#error "this code needs arithmetic right shifts"
#endif"""


def write_source(
    module: Module,
    model: ModelInfo,
    naming: Naming,
    memory: ConstantMemory,
    layouts: Mapping[str, Layout],
) -> str:
    """Return the text of the source file."""
    m = naming.prefix
    text = print_module(module, _taken(model, naming), memory, layouts)
    entries = {op.name.value: op for op in module.body.operations if isinstance(op, func.FuncOp)}
    if "main" not in entries:
        raise EmissionError(module.operation.location, "the module has no function @main")
    headers = ["limits.h", "stddef.h", "stdint.h", *text.headers]
    if model.state_pools:
        headers.append("string.h")
    includes = "\n".join(f"#include <{header}>" for header in sorted(set(headers)))
    own = f'#include "{m}.h"\n' + (f'#include "{m}_weights.h"\n' if model.constant_pools else "")
    parts = [
        f"{own}\n{includes}\n\n{REQUIREMENTS}",
        *([text.helpers.rstrip()] if text.helpers else []),
        text.functions.rstrip(),
        *_state_marker(model, naming),
        *_check_pools(model, naming),
        *_reset(model, naming, entries, text),
        _run(model, naming, entries["main"], text),
        *_accessors(model, naming),
        _status_name(m),
    ]
    return "\n\n".join(parts) + "\n"


def _taken(model: ModelInfo, naming: Naming) -> set[str]:
    m = naming.prefix
    fixed = {"pools", "status", "marker", "check_pools", "min", "max"}
    own = {f"{m}_{name}" for name in ("run", "reset", "pools", "status", "status_name", "weights")}
    pools = {f"{m}_{naming.pools[pool.name]}" for pool in model.pools}
    pools |= {f"{pool}_layout" for pool in pools}
    return fixed | own | pools | {f"{m}_{name}" for name in naming.ports.values()}


def _check_pools(model: ModelInfo, naming: Naming) -> list[str]:
    if not model.writable_pools:
        return []
    m, macro = naming.prefix, naming.macro
    members = [f"pools->{naming.pools[pool.name]}" for pool in model.writable_pools]
    nulls = " || ".join(["pools == NULL", *(f"{member} == NULL" for member in members)])
    lines = [
        f"static {m}_status check_pools(const {m}_pools *pools)",
        "{",
        f"    if ({nulls}) {{",
        f"        return {macro}_ERROR_NULL;",
        "    }",
    ]
    for pool, member in zip(model.writable_pools, members, strict=True):
        lines += [
            f"    if ((uintptr_t){member} % {naming.pool_macro(pool.name)}_ALIGN != 0) {{",
            f"        return {macro}_ERROR_ALIGNMENT;",
            "    }",
        ]
    return ["\n".join([*lines, f"    return {macro}_OK;", "}"])]


def _state_marker(model: ModelInfo, naming: Naming) -> list[str]:
    if not model.state_pools:
        return []
    digits = model.source_hash[:16].rjust(16, "1")
    value = ", ".join(f"0x{digits[i : i + 2]}" for i in range(0, 16, 2))
    return [
        "/* Stands at the beginning of each state pool once it is reset. */\n"
        f"static const uint8_t marker[8] = {{{value}}};"
    ]


def _reset(
    model: ModelInfo, naming: Naming, entries: dict[str, func.FuncOp], text: ModuleText
) -> list[str]:
    if not model.state_pools:
        return []
    m, macro = naming.prefix, naming.macro
    call: list[str] = []
    if "reset" in entries:
        arguments = _arguments(entries["reset"], text.entries["reset"], model, naming, ())
        call = [f"    {text.entries['reset'].name}({', '.join(arguments)});"]
    marks = [
        f"    memcpy(pools->{naming.pools[pool.name]}, marker, sizeof marker);"
        for pool in model.state_pools
    ]
    return [
        "\n".join(
            [
                f"{m}_status {m}_reset(const {m}_pools *pools)",
                "{",
                f"    const {m}_status status = check_pools(pools);",
                f"    if (status != {macro}_OK) {{",
                "        return status;",
                "    }",
                *call,
                *marks,
                f"    return {macro}_OK;",
                "}",
            ]
        )
    ]


def _run(model: ModelInfo, naming: Naming, main: func.FuncOp, text: ModuleText) -> str:
    m, macro = naming.prefix, naming.macro
    parameters = ", ".join(run_parameters(model, naming)) or "void"
    lines = [f"{m}_status {m}_run({parameters})", "{"]
    if len(lines[0]) > 100:
        joined = ",\n    ".join(run_parameters(model, naming))
        lines[0] = f"{m}_status {m}_run(\n    {joined})"
    if model.writable_pools:
        lines += [
            f"    const {m}_status status = check_pools(pools);",
            f"    if (status != {macro}_OK) {{",
            "        return status;",
            "    }",
        ]
    if model.caller_ports:
        nulls = " || ".join(f"{naming.ports[port.name]} == NULL" for port in model.caller_ports)
        lines += [f"    if ({nulls}) {{", f"        return {macro}_ERROR_NULL;", "    }"]
    for pool in model.state_pools:
        lines += [
            f"    if (memcmp(pools->{naming.pools[pool.name]}, marker, sizeof marker) != 0) {{",
            f"        return {macro}_ERROR_NOT_RESET;",
            "    }",
        ]
    ports = [naming.ports[port.name] for port in model.caller_ports]
    arguments = _arguments(main, text.entries["main"], model, naming, ports)
    lines += wrapped(f"    {text.entries['main'].name}({', '.join(arguments)});")
    lines.append(f"    return {macro}_OK;")
    return "\n".join([*lines, "}"])


def _arguments(
    function: func.FuncOp,
    signature: Signature,
    model: ModelInfo,
    naming: Naming,
    ports: Sequence[str],
) -> list[str]:
    """Return what an entry point passes: pools by name, then the caller's ports in order."""
    pools = [pool_name(argument) for argument in function.arguments]
    own = [i for i, pool in enumerate(pools) if pool is None]
    if len(own) != len(ports):
        raise EmissionError(
            function.location,
            f"@{function.name.value} has {len(own)} arguments that are no pools, "
            f"but the model has {len(ports)} inputs and outputs of the caller",
        )
    arguments: list[str] = []
    for i, pool in enumerate(pools):
        if pool is not None:
            arguments.append(_pool_argument(pool, function, model, naming))
        else:
            arguments.append(_port_argument(function, i, own.index(i), model, naming))
    return arguments


def _pool_argument(pool: str, function: func.FuncOp, model: ModelInfo, naming: Naming) -> str:
    if pool not in naming.pools:
        known = ", ".join(sorted(naming.pools))
        raise EmissionError(function.location, f"unknown pool '{pool}'; known: {known}")
    if model.pool(pool).is_constant:
        return f"&{naming.prefix}_{naming.pools[pool]}"
    return f"pools->{naming.pools[pool]}"


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
    if inner == ctype_of(port):
        return name
    const = "const " if port in model.inputs else ""
    return f"({const}{inner} *){name}"


def _accessors(model: ModelInfo, naming: Naming) -> list[str]:
    texts: list[str] = []
    for port in model.ports:
        if port.pool is None:
            continue
        is_input = port in model.inputs
        const, ctype = "" if is_input else "const ", ctype_of(port)
        base = f"pools->{naming.pools[port.pool]}"
        address = f"({base} + {port.offset})" if port.offset else base
        through = "" if ctype in ("int8_t", "uint8_t", "bool") else f"({const}void *)"
        value = f"({const}{ctype} *){through}{address}"
        texts.append(f"{accessor_signature(port, naming, is_input)}\n{{\n    return {value};\n}}")
    return texts


def _status_name(m: str) -> str:
    names = ", ".join(f'"{name}"' for name, _ in STATUSES)
    return "\n".join(
        [
            f"const char *{m}_status_name({m}_status status)",
            "{",
            f"    static const char *const names[] = {{{names}}};",
            f'    return (unsigned)status < {len(STATUSES)}u ? names[status] : "unknown status";',
            "}",
        ]
    )
