"""`<m>.h`: everything that an application needs."""

from __future__ import annotations

from forebay.codegen.c.analysis.stack_bound import StackBound
from forebay.codegen.c.syntax.text import comment_text
from forebay.codegen.project.api.header_functions import (
    declare_accessor,
    declare_device_error,
    declare_devices,
    declare_init,
    declare_load,
    declare_pools,
    declare_reset,
    declare_run,
)
from forebay.codegen.project.api.header_macros import pool_macros, port_macros
from forebay.codegen.project.api.usage import usage
from forebay.codegen.project.interface.identity import identity_macros
from forebay.codegen.project.interface.row_inputs import declare_row_struct
from forebay.codegen.project.interface.runtime import RUNTIME_HEADER
from forebay.codegen.project.interface.statuses import declare_statuses
from forebay.network.model import ModelInfo
from forebay.network.names import Naming


def write_header(
    model: ModelInfo, naming: Naming, stack: StackBound, *, row_tables: int = 0
) -> str:
    """Return the text of the header; `row_tables` are the bytes of the tables of rows."""
    macro = naming.macro
    sections = [
        _intro(model, naming),
        f"#ifndef {macro}_H\n#define {macro}_H\n\n#include <stdbool.h>\n#include <stddef.h>\n"
        f'#include <stdint.h>\n\n#include "{RUNTIME_HEADER}"\n\n'
        '#ifdef __cplusplus\nextern "C" {\n#endif',
        identity_macros(model, naming),
        *(pool_macros(pool, naming) for pool in model.pools),
        *(port_macros(port, model, naming) for port in model.ports),
        *_float_check(model, naming),
        *_tensors_as_rows(model, naming, row_tables),
        _stack(naming, stack),
        declare_statuses(model, naming),
        *([declare_pools(model, naming)] if model.handed_pools else []),
        *([declare_devices(model, naming)] if model.handles else []),
        *([declare_device_error(naming)] if model.devices else []),
        *(declare_row_struct(port, naming) for port in model.row_inputs),
        *([declare_init(model, naming)] if model.needs_init else []),
        *(declare_load(pool, model, naming) for pool in model.at_init_pools),
        *([declare_reset(model, naming)] if model.state_pools else []),
        declare_run(model, naming),
        *(declare_accessor(port, model, naming) for port in model.ports if port.pool),
        f"#ifdef __cplusplus\n}}\n#endif\n\n#endif /* {macro}_H */",
    ]
    return "\n\n".join(sections) + "\n"


def _intro(model: ModelInfo, naming: Naming) -> str:
    steps = "\n".join(f"   {line}".rstrip() for line in usage(model, naming))
    return f"/* {comment_text(model.name)}: a neural network, compiled by forebay.\n\n{steps} */"


def _tensors_as_rows(model: ModelInfo, naming: Naming, row_tables: int) -> list[str]:
    """Return a comment with the tensors that live as rows, and the size of their tables."""
    if not model.tensors_as_rows:
        return []
    names = "\n".join(
        f"     {comment_text(name)[:64]} ({count} rows)"
        for name, count in model.tensors_as_rows.items()
    )
    return [
        "/* Each row of these tensors has a place of its own in its pool, and is overwritten\n"
        f"   after its last read. The tables of the places are constants:\n{names} */\n"
        f"#define {naming.macro}_ROW_TABLES_SIZE {row_tables}"
    ]


def _stack(naming: Naming, stack: StackBound) -> str:
    name = f"{naming.macro}_STACK_BOUND"
    return (
        "/* Upper bound of the stack that a call uses, in bytes, without that of device drivers.\n"
        "   A compiler that makes wide vectors may exceed it. */\n"
        "#if UINTPTR_MAX > 0xffffffffu\n"
        f"#define {name} {stack.bits64}\n"
        "#else\n"
        f"#define {name} {stack.bits32}\n"
        "#endif"
    )


def _float_check(model: ModelInfo, naming: Naming) -> list[str]:
    """Return the checks of C types that the preprocessor cannot make, since they need sizeof."""
    types = {"float32": ("float", 4), "float64": ("double", 8), "bool": ("bool", 1)}
    found = sorted({types[port.dtype] for port in model.ports if port.dtype in types})
    m = naming.prefix
    return [
        f"FOREBAY_STATIC_ASSERT(sizeof({ctype}) == {size}, {m}_needs_{ctype}_of_{size});"
        for ctype, size in found
    ]
