"""The status codes of a network's calls, with the same values and names for every network."""

from __future__ import annotations

from forebay.codegen.c.syntax.wrap import wrap_line
from forebay.network.model import ModelInfo
from forebay.network.names import Naming

STATUSES = (
    ("OK", "success"),
    ("ERROR_NULL", "a pointer is null"),
    ("ERROR_ALIGNMENT", "a pool does not begin at a multiple of its alignment"),
    ("ERROR_SIZE", "a pool has fewer bytes than are needed"),
    ("ERROR_NOT_RESET", "the state was not reset since power-up or ERROR_DEVICE"),
    ("ERROR_NOT_LOADED", "constants were not loaded into their pool since power-up"),
    ("ERROR_DEVICE", "a device has returned an error, which ended the call"),
)
OF_INPUT = ("ERROR_INPUT", "the application could not hand in a row, which ended the call")
"""The status behind `STATUSES`, of networks with an input that the application hands in by rows."""


def statuses_of(model: ModelInfo) -> tuple[tuple[str, str], ...]:
    """Return the names of the statuses of a network, in the order of their values."""
    return (*STATUSES, OF_INPUT) if model.row_inputs else STATUSES


def declare_statuses(model: ModelInfo, naming: Naming) -> str:
    """Return the enumeration and the declaration of `<m>_status_name`."""
    m, macro, statuses = naming.prefix, naming.macro, statuses_of(model)
    ended = "OK, ERROR_DEVICE nor ERROR_INPUT" if model.row_inputs else "OK nor ERROR_DEVICE"
    members = [
        f"    {macro}_{name} = {value}{',' if value + 1 < len(statuses) else ''} /* {meaning} */"
        for value, (name, meaning) in enumerate(statuses)
    ]
    return "\n".join(
        [
            f"/* What a call returns. If neither {ended}, the call had no effect. */",
            f"typedef enum {m}_status {{",
            *members,
            f"}} {m}_status;",
            "",
            "/* The name of a status, for logs: a constant string, for any value. */",
            f"const char *{m}_status_name({m}_status status);",
        ]
    )


def define_status_name(model: ModelInfo, m: str) -> str:
    """Return the function that returns the name of a status."""
    statuses = statuses_of(model)
    names = ", ".join(f'"{name}"' for name, _ in statuses)
    return "\n".join(
        [
            f"const char *{m}_status_name({m}_status status)",
            "{",
            f"    static const char *const names[{len(statuses)}] = {{",
            *wrap_line(f"        {names}}};"),
            f'    return (unsigned)status < {len(statuses)}u ? names[status] : "unknown status";',
            "}",
        ]
    )
