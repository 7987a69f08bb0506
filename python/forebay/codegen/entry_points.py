"""The public functions of `<m>.c`."""

from __future__ import annotations

from mlir.dialects import func

from .c_printer.module import ModuleText
from .c_printer.wrap import wrapped
from .c_text import ctype_of
from .entry_arguments import entry_arguments
from .header import STATUSES, accessor_signature, run_parameters
from .model import ModelInfo
from .names import Naming


def check_pools(model: ModelInfo, naming: Naming) -> list[str]:
    """Return a function that tells null and misaligned pools, where there are pools."""
    if not model.provided_pools:
        return []
    m, macro = naming.prefix, naming.macro
    members = [f"pools->{naming.pools[pool.name]}" for pool in model.provided_pools]
    nulls = " || ".join(["pools == NULL", *(f"{member} == NULL" for member in members)])
    lines = [
        f"static {m}_status check_pools(const {m}_pools *pools)",
        "{",
        *wrapped(f"    if ({nulls}) {{"),
        f"        return {macro}_ERROR_NULL;",
        "    }",
    ]
    for pool, member in zip(model.provided_pools, members, strict=True):
        align = f"{naming.pool_macro(pool.name)}_ALIGN"
        lines += [
            f"    if ((uintptr_t){member} % {align} != {pool.remainder}) {{",
            f"        return {macro}_ERROR_ALIGNMENT;",
            "    }",
        ]
    return ["\n".join([*lines, f"    return {macro}_OK;", "}"])]


def reset_function(
    model: ModelInfo, naming: Naming, entries: dict[str, func.FuncOp], text: ModuleText
) -> list[str]:
    """Return `<m>_reset`, where there is state."""
    if not model.state_pools:
        return []
    m, macro = naming.prefix, naming.macro
    call: list[str] = []
    if "reset" in entries:
        arguments = entry_arguments(entries["reset"], model, naming, ())
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


def run_function(model: ModelInfo, naming: Naming, main: func.FuncOp, text: ModuleText) -> str:
    """Return `<m>_run`: checks, then the network."""
    m, macro = naming.prefix, naming.macro
    parameters = ", ".join(run_parameters(model, naming)) or "void"
    lines = [f"{m}_status {m}_run({parameters})", "{"]
    if len(lines[0]) > 100:
        joined = ",\n    ".join(run_parameters(model, naming))
        lines[0] = f"{m}_status {m}_run(\n    {joined})"
    if model.provided_pools:
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
    arguments = entry_arguments(main, model, naming, ports)
    lines += wrapped(f"    {text.entries['main'].name}({', '.join(arguments)});")
    lines.append(f"    return {macro}_OK;")
    return "\n".join([*lines, "}"])


def accessors(model: ModelInfo, naming: Naming) -> list[str]:
    """Return a function per port that lies in a pool."""
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


def status_name(m: str) -> str:
    """Return the function that names a status."""
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
