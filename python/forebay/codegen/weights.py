"""`<m>_weights.h/.c`: each constant pool as one const structure of typed arrays.

Typed members, unlike bytes, read well and mean the same on a big-endian machine. Their offsets are
those of the plan: gaps are members too, and the size is checked by the compiler.
"""

from __future__ import annotations

from collections.abc import Mapping

from .c_text import comment_text, dimensions, initialiser
from .layout import Layout, Member
from .model import ModelInfo
from .names import Naming


def write_weights_header(model: ModelInfo, naming: Naming, layouts: Mapping[str, Layout]) -> str:
    """Return the text of the header."""
    m, macro = naming.prefix, naming.macro
    parts = [
        f"/* Constants of {comment_text(model.name)}; {m}.c alone includes this. */\n"
        f"#ifndef {macro}_WEIGHTS_H\n#define {macro}_WEIGHTS_H\n\n#include <stdint.h>",
        *(_structure(layout) for layout in layouts.values()),
        f"#endif /* {macro}_WEIGHTS_H */",
    ]
    return "\n\n".join(parts) + "\n"


def write_weights_source(model: ModelInfo, naming: Naming, layouts: Mapping[str, Layout]) -> str:
    """Return the text of the source file."""
    m = naming.prefix
    includes = f'#include "{m}_weights.h"\n\n#include "{m}.h"'
    if any(member.ctype in ("float", "double") for x in layouts.values() for member in x.members):
        includes += "\n\n#include <math.h>"
    parts = [includes]
    for pool in model.constant_pools:
        parts += _definition(layouts[pool.name], naming.pool_macro(pool.name), pool.section)
    return "\n\n".join(parts) + "\n"


def _structure(layout: Layout) -> str:
    lines = [f"    {m.ctype} {m.name}[{m.count}];{_described(m)}" for m in layout.members]
    return "\n".join(
        [
            f"typedef struct {layout.ctype} {{",
            *(lines or ["    uint8_t none;"]),
            f"}} {layout.ctype};",
            "",
            f"extern const {layout.ctype} {layout.symbol};",
        ]
    )


def _described(member: Member) -> str:
    shape = "" if member.constant is None else " " + dimensions(member.constant.data.shape)
    return f" /* offset {member.offset}{shape} */"


def _definition(layout: Layout, macro: str, section: str | None) -> list[str]:
    attributes = f"{macro}_ATTRIBUTES"
    place = f', section("{section}")' if section else ""
    check = f"typedef char {layout.symbol}_has_its_size"
    lines = [_values(member) for member in layout.members] or ["    0"]
    return [
        "/* Alignment and section; define it to choose your own. */\n"
        f"#ifndef {attributes}\n"
        f"#define {attributes} \\\n    __attribute__((aligned({macro}_ALIGN){place}))\n"
        "#endif",
        "/* The compiler must add no gaps of its own. */\n"
        f"{check}[\n    sizeof({layout.ctype}) == {layout.size} ? 1 : -1];",
        f"{attributes}\nconst {layout.ctype} {layout.symbol} = {{\n" + "\n".join(lines) + "\n};",
    ]


def _values(member: Member) -> str:
    if member.constant is None:
        return f"    /* {member.name} */\n    {{0}},"
    return f"    /* {member.name} */\n    {{\n{initialiser(member.constant.data, ' ' * 8)}\n    }},"
