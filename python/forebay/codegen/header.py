"""`<m>.h`: all that an application needs to know."""

from __future__ import annotations

from .c_text import comment_text, ctype_of, dimensions, macro_float
from .load_functions import load_signature
from .model import ModelInfo, PoolInfo, Port
from .names import Naming
from .overwritten import is_overwritten
from .pool_images import image_name

STATUSES = (
    ("OK", "the call did what it says"),
    ("ERROR_NULL", "a pointer is null"),
    ("ERROR_ALIGNMENT", "a pool does not begin at a multiple of its alignment"),
    ("ERROR_NOT_RESET", "the state was not reset since power-up"),
)


def run_parameters(model: ModelInfo, naming: Naming, *, with_ports: bool = True) -> list[str]:
    """Return the parameters of `<m>_run`, or of `<m>_reset` without the ports."""
    parameters = [f"const {naming.prefix}_pools *pools"] if model.provided_pools else []
    for port in model.caller_ports if with_ports else ():
        const = "const " if port in model.inputs else ""
        parameters.append(f"{const}{ctype_of(port)} *{naming.ports[port.name]}")
    return parameters


def write_header(model: ModelInfo, naming: Naming) -> str:
    """Return the text of the header."""
    m, macro = naming.prefix, naming.macro
    sections = [
        _intro(model, naming),
        f"#ifndef {macro}_H\n#define {macro}_H\n\n#include <stdbool.h>\n#include <stdint.h>\n\n"
        '#ifdef __cplusplus\nextern "C" {\n#endif',
        *(_pool_macros(pool, naming) for pool in model.pools),
        *(_port_macros(port, naming, is_input=port in model.inputs) for port in model.ports),
        _statuses(m, macro),
        *([_pools_struct(model, naming)] if model.provided_pools else []),
        *([_default_pools(m)] if model.provided_pools else []),
        *(_load(pool, naming) for pool in model.filled("at_init")),
        *([_reset(model, naming)] if model.state_pools else []),
        _run(model, naming),
        *(_accessor(port, model, naming) for port in model.ports if port.pool),
        f"#ifdef __cplusplus\n}}\n#endif\n\n#endif /* {macro}_H */",
    ]
    return "\n\n".join(sections) + "\n"


def _intro(model: ModelInfo, naming: Naming) -> str:
    pools = ", ".join(f"{pool.name} {pool.size:,} bytes ({pool.kind})" for pool in model.pools)
    return (
        f"/* {comment_text(model.name)}: a neural network, compiled by forebay.\n"
        f"   Pools: {pools or 'none'}.\n"
        f"   {naming.prefix}.json lists every buffer in them. */"
    )


def _pool_macros(pool: PoolInfo, naming: Naming) -> str:
    name = naming.pool_macro(pool.name)
    lines = [f"/* {_purpose(pool, naming)} In bytes. */", f"#define {name}_SIZE {pool.size}"]
    lines.append(f"#define {name}_ALIGN {pool.alignment}")
    if pool.base is not None:
        lines += [
            "/* Planned for this address; memory elsewhere has the same remainder by ALIGN. */",
            f"#define {name}_BASE {pool.base:#x}",
        ]
    return "\n".join(lines)


def _purpose(pool: PoolInfo, naming: Naming) -> str:
    """What a pool is for, and who fills it."""
    if pool.kind == "workspace":
        return "Workspace: its contents mean nothing between two inferences."
    if pool.kind == "state":
        return "State: lives across inferences, initialised by reset."
    m = naming.prefix
    return {
        "rom": "Constants: part of the image.",
        "at_init": "Constants in memory of the application, copied from the image by\n"
        f"   {m}_load_{naming.pools[pool.name]} before the first inference.",
        "by_host": "Constants in memory of the application, which puts the bytes of\n"
        f"   {image_name(pool, naming)} there before the first inference; they are no part of the\n"
        "   image.",
    }[pool.fill]


def _port_macros(port: Port, naming: Naming, *, is_input: bool) -> str:
    name = naming.port_macro(port.name)
    title = "Input" if is_input else "Output"
    shape = ", ".join(map(str, port.shape)) or "1"
    lines = [
        f"/* {title} '{comment_text(port.name)}': {ctype_of(port)} {dimensions(port.shape)}. */",
        f"#define {name}_ELEMENTS {port.elements}",
        f"#define {name}_BYTES {port.size}",
        f"#define {name}_RANK {len(port.shape)}",
        f"#define {name}_SHAPE {{{shape}}}",
    ]
    if port.scale is not None:
        lines[0] = lines[0][:-3] + " real = (q - ZERO_POINT) * SCALE. */"
        lines.append(f"#define {name}_SCALE {macro_float(port.scale)}")
        lines.append(f"#define {name}_ZERO_POINT ({port.zero_point or 0})")
    return "\n".join(lines)


def _statuses(m: str, macro: str) -> str:
    members = [
        f"    {macro}_{name} = {value}{',' if value + 1 < len(STATUSES) else ''} /* {meaning} */"
        for value, (name, meaning) in enumerate(STATUSES)
    ]
    return "\n".join(
        [
            "/* What a call returns. */",
            f"typedef enum {m}_status {{",
            *members,
            f"}} {m}_status;",
            "",
            "/* The name of a status, for logs. */",
            f"const char *{m}_status_name({m}_status status);",
        ]
    )


def _pools_struct(model: ModelInfo, naming: Naming) -> str:
    m = naming.prefix
    members = [
        f"    uint8_t *{naming.pools[pool.name]}; /* {naming.pool_macro(pool.name)}_SIZE bytes, "
        f"aligned to {naming.pool_macro(pool.name)}_ALIGN */"
        for pool in model.provided_pools
    ]
    return "\n".join(
        [
            "/* Memory that the caller owns. Two threads may run at once, each with\n"
            "   pools of its own. */",
            f"typedef struct {m}_pools {{",
            *members,
            f"}} {m}_pools;",
        ]
    )


def _default_pools(m: str) -> str:
    return (
        f"/* Statically allocated pools ({m}_pools.c); leave it out to provide your own. */\n"
        f"extern const {m}_pools {m}_default_pools;"
    )


def _load(pool: PoolInfo, naming: Naming) -> str:
    return (
        f"/* Puts its constants into {naming.pools[pool.name]}: before the first inference. */\n"
        f"{load_signature(pool, naming)};"
    )


def _reset(model: ModelInfo, naming: Naming) -> str:
    m = naming.prefix
    parameters = ", ".join(run_parameters(model, naming, with_ports=False))
    return (
        "/* Initialises the state: before the first inference, and to start a new sequence. */\n"
        f"{m}_status {m}_reset({parameters});"
    )


def _run(model: ModelInfo, naming: Naming) -> str:
    m = naming.prefix
    parameters = run_parameters(model, naming)
    one_line = f"{m}_status {m}_run({', '.join(parameters) or 'void'});"
    if len(one_line) > 100:
        joined = ",\n    ".join(parameters)
        one_line = f"{m}_status {m}_run(\n    {joined});"
    rule = " Inputs are not written; they must not overlap outputs or pools."
    note = f"/* Runs one inference.{rule if model.caller_ports else ''} */"
    return f"{note}\n{one_line}"


def _accessor(port: Port, model: ModelInfo, naming: Naming) -> str:
    is_input = port in model.inputs
    elements = f"{naming.port_macro(port.name)}_ELEMENTS elements inside a pool"
    what, then = "Read this output after a run", ""
    if is_input and is_overwritten(port, model):
        what, then = "Write this input before each run", "; a run overwrites them"
    elif is_input:
        what, then = "Write this input before a run", "; no run overwrites them"
    return f"/* {what}:\n   {elements}{then}. */\n{accessor_signature(port, naming, is_input)};"


def accessor_signature(port: Port, naming: Naming, is_input: bool) -> str:
    """Return the declaration of a pooled port's accessor, without a semicolon."""
    const = "" if is_input else "const "
    m = naming.prefix
    name = naming.ports[port.name]
    return f"{const}{ctype_of(port)} *{m}_{name}(const {m}_pools *pools)"
