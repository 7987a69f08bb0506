"""`<m>_wrappers.c`: the functions of intrinsics that are calls of a library."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import dedent, indent

from forebay.codegen.c.syntax.text import comment_text
from forebay.codegen.c.syntax.wrap import wrap_line
from forebay.codegen.project.devices.intrinsics import Prototype
from forebay.ir.machine.wrappers import Wrapper, wrapper_of
from forebay.network.errors import EmissionError
from forebay.network.model import ModelInfo
from forebay.network.names import Naming


def wrapped_functions(prototypes: Sequence[Prototype]) -> tuple[tuple[Prototype, Wrapper], ...]:
    """Return the functions that have a wrapper.

    Raises EmissionError where two intrinsics of one C function have different wrappers.
    """
    found = ((prototype, _wrapper(prototype)) for prototype in prototypes)
    return tuple((prototype, wrapper) for prototype, wrapper in found if wrapper is not None)


def write_wrappers(
    model: ModelInfo, naming: Naming, wrapped: Sequence[tuple[Prototype, Wrapper]]
) -> str:
    """Return the text of the file."""
    headers = list(dict.fromkeys(header for _, wrapper in wrapped for header in wrapper.headers))
    include = f'#include "{naming.prefix}_intrinsics.h"'
    parts = [
        f"/* The functions of devices that {comment_text(model.name)} calls, as calls of a "
        f"library. */\n{include}",
        *(["\n".join(f"#include {_quoted(header)}" for header in headers)] if headers else []),
        *(_function(prototype, wrapper) for prototype, wrapper in wrapped),
    ]
    return "\n\n".join(parts) + "\n"


def _wrapper(prototype: Prototype) -> Wrapper | None:
    first, *others = prototype.intrinsics
    wrapper = wrapper_of(first)
    for other in others:
        if wrapper_of(other) != wrapper:
            raise EmissionError(
                other.location,
                f"'@{other.sym_name.value}' and '@{first.sym_name.value}' are one C function, "
                f"'{prototype.symbol}', with different wrappers; give one of them another symbol",
            )
    return wrapper


def _quoted(header: str) -> str:
    return header if header.startswith("<") else f'"{header}"'


def _function(prototype: Prototype, wrapper: Wrapper) -> str:
    head = "\n".join(wrap_line(prototype.declaration))
    body = indent(dedent(wrapper.body).strip("\n"), "    ").rstrip()
    return f"{head}\n{{\n{body}\n}}"
