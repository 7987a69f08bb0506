"""The public functions of `<m>.c`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from mlir.dialects import func
from numpy.typing import NDArray

from forebay.codegen.c.module import ModuleText
from forebay.codegen.c.status import FAIL_FUNCTION
from forebay.codegen.c.syntax.text import ctype_of
from forebay.codegen.c.syntax.wrap import wrap_line
from forebay.codegen.project.api.entry_arguments import entry_arguments
from forebay.codegen.project.interface.signatures import (
    accessor_signature,
    device_arguments,
    init_signature,
    internal_name,
    pool_pointer,
    reset_signature,
    run_signature,
)
from forebay.codegen.project.pools.loaded import refuse_unless_loaded
from forebay.codegen.project.pools.pool_checks import pool_checks
from forebay.codegen.project.pools.pools_file import pool_array
from forebay.network.model import ModelInfo, PlannedPool
from forebay.network.names import Naming
from forebay.network.pool_arguments import pool_name


def internal_pools(model: ModelInfo, naming: Naming) -> list[str]:
    """Return the pool arrays of a network whose pools are internal."""
    if not model.internal_pools:
        return []
    return [
        pool_array(pool, naming, internal_name(naming.pools[pool.name]))
        for pool in model.provided_pools
    ]


def fail_function(model: ModelInfo, naming: Naming) -> list[str]:
    """Return the function by which entry functions report a device's error to the caller."""
    if not model.devices:
        return []
    return [
        "/* Reports an error to the caller, unless `error` is null. */\n"
        f"static int32_t {FAIL_FUNCTION}({naming.prefix}_device_error *error, int32_t code, "
        "const char *device,\n        const char *where)\n"
        "{\n"
        "    if (error != NULL) {\n"
        "        error->code = code;\n"
        "        error->device = device;\n"
        "        error->where = where;\n"
        "    }\n"
        "    return code;\n"
        "}"
    ]


def reset_function(
    model: ModelInfo, naming: Naming, entries: dict[str, func.FuncOp], text: ModuleText
) -> list[str]:
    """Return `<m>_reset` if there is state."""
    if not model.state_pools:
        return []
    call: list[str] = []
    used = {pool.name for pool in model.state_pools}
    if "reset" in entries:
        arguments = entry_arguments(entries["reset"], model, naming, ())
        call = _call("reset", arguments, text, model, naming)
        used |= {name for value in entries["reset"].arguments if (name := pool_name(value))}
    pools = [pool for pool in model.provided_pools if pool.name in used]
    marks = [
        f"    (void)memcpy({pool_pointer(pool.name, model, naming)}, marker, sizeof marker);"
        for pool in model.state_pools
    ]
    checks = [*pool_checks(pools, model, naming), *_refuse_null_devices("reset", model, naming)]
    body = [*checks, *call, *marks]
    lines = [reset_signature(model, naming), "{", *body, f"    return {naming.macro}_OK;", "}"]
    return ["\n".join(lines)]


def init_function(model: ModelInfo, naming: Naming) -> list[str]:
    """Return `<m>_init` if there is something to do once: loads, then the reset."""
    if not model.needs_init:
        return []
    m, macro, given = naming.prefix, naming.macro, ["pools"] if model.handed_pools else []
    pools = ", ".join(given)
    calls = [f"{m}_load_{naming.pools[pool.name]}({pools})" for pool in model.at_init_pools]
    if model.state_pools:
        devices, error = device_arguments("reset", model, "devices", "error")
        calls.append(f"{m}_reset({', '.join([*given, *devices, *error])})")
    first, *others = calls
    lines = [init_signature(model, naming), "{"]
    if not others:
        return ["\n".join([*lines, f"    return {first};", "}"])]
    lines.append(f"    {m}_status status = {first};")
    for call in others:
        lines += [f"    if (status == {macro}_OK) {{", f"        status = {call};", "    }"]
    return ["\n".join([*lines, "    return status;", "}"])]


def run_function(
    model: ModelInfo,
    naming: Naming,
    main: func.FuncOp,
    text: ModuleText,
    images: Mapping[str, NDArray[np.uint8]],
) -> str:
    """Return `<m>_run`: checks, then the network; `images` are the bytes of constant pools."""
    m, macro = naming.prefix, naming.macro
    lines = [run_signature(model, naming), "{"]
    if model.handed_pools:
        lines += [
            f"    const {m}_status status = check_pools(pools);",
            f"    if (status != {macro}_OK) {{",
            "        return status;",
            "    }",
        ]
    lines += _refuse_null_devices("main", model, naming)
    if model.caller_ports:
        tested = [naming.ports[port.name] for port in model.caller_ports]
        tested += [f"{naming.ports[port.name]}->read" for port in model.row_inputs]
        nulls = " || ".join(f"{value} == NULL" for value in tested)
        lines += wrap_line(f"    if ({nulls}) {{")
        lines += [f"        return {macro}_ERROR_NULL;", "    }"]
    lines += refuse_unless_loaded(model, naming, images)
    for pool in model.state_pools:
        lines += _refuse_unless_reset(pool, model, naming)
    ports = [naming.ports[port.name] for port in model.caller_ports]
    arguments = entry_arguments(main, model, naming, ports)
    if model.operator_hooks:
        lines.append("    FOREBAY_INFERENCE_BEGIN();")
    lines += _call("main", arguments, text, model, naming)
    lines.append(f"    return {macro}_OK;")
    return "\n".join([*lines, "}"])


def _refuse_null_devices(entry: str, model: ModelInfo, naming: Naming) -> list[str]:
    handles = [f"devices->{naming.devices[device.name]}" for device in model.handed_to(entry)]
    if not handles:
        return []
    nulls = " || ".join(f"{value} == NULL" for value in ("devices", *handles))
    return [
        *wrap_line(f"    if ({nulls}) {{"),
        f"        return {naming.macro}_ERROR_NULL;",
        "    }",
    ]


def _call(
    entry: str, arguments: Sequence[str], text: ModuleText, model: ModelInfo, naming: Naming
) -> list[str]:
    """Return the call of the network itself; if it ends early, every state becomes not reset."""
    name = text.entries[entry].name
    error = ["error"] if model.devices_commanded_by(entry) else []
    if not text.entries[entry].returns_status:
        return wrap_line(f"    {name}({', '.join(arguments)});")
    forget = [
        f"        (void)memset({pool_pointer(pool.name, model, naming)}, 0, sizeof marker);"
        for pool in model.state_pools
    ]
    return [
        *wrap_line(f"    if ({name}({', '.join([*arguments, *error])}) != 0) {{"),
        *forget,
        f"        return {naming.macro}_{'ERROR_DEVICE' if error else 'ERROR_INPUT'};",
        "    }",
    ]


def _refuse_unless_reset(pool: PlannedPool, model: ModelInfo, naming: Naming) -> list[str]:
    base = pool_pointer(pool.name, model, naming)
    return [
        f"    if (memcmp({base}, marker, sizeof marker) != 0) {{",
        f"        return {naming.macro}_ERROR_NOT_RESET;",
        "    }",
    ]


def accessors(model: ModelInfo, naming: Naming) -> list[str]:
    """Return a function per port that is allocated in a pool."""
    texts: list[str] = []
    for port in model.ports:
        if port.pool is None:
            continue
        const, ctype = "" if port in model.inputs else "const ", ctype_of(port)
        base = pool_pointer(port.pool, model, naming)
        address = f"({base} + {port.offset})" if port.offset else base
        through = "" if ctype in ("int8_t", "uint8_t", "bool") else f"({const}void *)"
        value = f"({const}{ctype} *){through}{address}"
        texts.append(f"{accessor_signature(port, model, naming)}\n{{\n    return {value};\n}}")
    return texts
