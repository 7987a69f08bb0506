"""Inputs whose rows the application hands in one by one, in C: a function that each run calls."""

from __future__ import annotations

from collections.abc import Sequence

from forebay.codegen.c.row_source import RowSourceType
from forebay.codegen.c.syntax.text import ctype_of
from forebay.network.model import ModelInfo, Port
from forebay.network.names import Naming


def row_struct(port: Port, naming: Naming) -> str:
    """Return the C structure with the function that reads the rows of an input."""
    return f"{naming.prefix}_{naming.ports[port.name]}_rows"


def row_source_types(model: ModelInfo, naming: Naming) -> dict[int, RowSourceType]:
    """Return the inputs that are read row by row, by their number among the caller's ports."""
    return {
        number: RowSourceType(port.name, row_struct(port, naming), ctype_of(port))
        for number, port in enumerate(model.caller_ports)
        if port.by_rows
    }


def declare_row_struct(port: Port, naming: Naming) -> str:
    """Return the structure that an application passes for an input."""
    name, macro = row_struct(port, naming), naming.port_macro(port.name)
    return "\n".join(
        [
            f"/* The rows of input '{naming.ports[port.name]}', which are never stored as a whole.",
            "   A run calls read when it needs the next row: for rows 0, 1, 2, ..., each once. It",
            f"   writes all {macro}_ELEMENTS_PER_ROW elements of the row to target, which is in",
            "   a workspace, and returns 0; any other value ends the run. It must not call",
            "   functions of this header with the same pools. */",
            f"typedef struct {name} {{",
            f"    int32_t (*read)(void *context, int32_t row, {ctype_of(port)} *target);",
            "    void *context; /* is passed to read; any value */",
            f"}} {name};",
        ]
    )


def caller_arguments(ports: Sequence[Port], naming: Naming, arrays: Sequence[str]) -> list[str]:
    """Return the arguments for the caller's ports of a program that has their values in arrays.

    An input by rows is represented by a structure that `feed_variables` declares.
    """
    return [
        f"&rows_of_{naming.ports[port.name]}" if port.by_rows else array
        for port, array in zip(ports, arrays, strict=True)
    ]


def feed_functions(model: ModelInfo, naming: Naming) -> list[str]:
    """Return the functions by which a test program hands in rows of arrays, in the right order."""
    return [_feed_function(port, naming) for port in model.inputs if port.by_rows]


def feed_name(port: Port, naming: Naming) -> str:
    """Return the name of such a function."""
    return f"read_{naming.ports[port.name]}"


def _feed_function(port: Port, naming: Naming) -> str:
    name, macro, ctype = naming.ports[port.name], naming.port_macro(port.name), ctype_of(port)
    return f"""\
struct fed_{name} {{
    const {ctype} *values;
    int32_t next; /* the row that is due */
}};

/* Hands in a row of an array; refuses a row that is out of order. */
static int32_t {feed_name(port, naming)}(void *context, int32_t row, {ctype} *target)
{{
    struct fed_{name} *const fed = (struct fed_{name} *)context;
    if (row != fed->next) {{
        return 1;
    }}
    fed->next += 1;
    memcpy(target, fed->values + row * {macro}_ELEMENTS_PER_ROW,
        {macro}_ELEMENTS_PER_ROW * sizeof *target);
    return 0;
}}"""


def feed_variables(port: Port, naming: Naming, array: str) -> list[str]:
    """Return the statements that make the argument for an input by rows from an array."""
    name = naming.ports[port.name]
    return [
        f"    struct fed_{name} fed_{name} = {{{array}, 0}};",
        f"    const {row_struct(port, naming)} rows_of_{name} = {{{feed_name(port, naming)}, "
        f"&fed_{name}}};",
    ]


def unread_rows(port: Port, naming: Naming) -> str:
    """Return the C condition that a run did not read all rows."""
    return f"fed_{naming.ports[port.name]}.next != {naming.port_macro(port.name)}_ROWS"
