"""The status codes of a network's calls, with the same values and names for every network."""

from __future__ import annotations

from forebay.codegen.c.syntax.wrap import wrap_line
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


def declare_statuses(naming: Naming) -> str:
    """Return the enumeration and the declaration of `<m>_status_name`."""
    m, macro = naming.prefix, naming.macro
    members = [
        f"    {macro}_{name} = {value}{',' if value + 1 < len(STATUSES) else ''} /* {meaning} */"
        for value, (name, meaning) in enumerate(STATUSES)
    ]
    return "\n".join(
        [
            "/* What a call returns. If neither OK nor ERROR_DEVICE, the call had no effect. */",
            f"typedef enum {m}_status {{",
            *members,
            f"}} {m}_status;",
            "",
            "/* The name of a status, for logs: a constant string, for any value. */",
            f"const char *{m}_status_name({m}_status status);",
        ]
    )


def define_status_name(m: str) -> str:
    """Return the function that returns the name of a status."""
    names = ", ".join(f'"{name}"' for name, _ in STATUSES)
    return "\n".join(
        [
            f"const char *{m}_status_name({m}_status status)",
            "{",
            f"    static const char *const names[{len(STATUSES)}] = {{",
            *wrap_line(f"        {names}}};"),
            f'    return (unsigned)status < {len(STATUSES)}u ? names[status] : "unknown status";',
            "}",
        ]
    )
