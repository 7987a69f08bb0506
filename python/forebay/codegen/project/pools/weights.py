"""`<m>_weights.h/.c`: each constant pool as one const structure of typed arrays.

Typed members are readable and, unlike bytes, mean the same on a big-endian machine. Their offsets
are those of the plan: gaps are members too, and the compiler checks the size. The values of a pool
are in `<m>_<pool>_values.h`, which `<m>_weights.c` includes unless the pool is assembled from a
binary file: a preprocessor needs 0.3 s to skip 17 MB of numbers.
"""

from __future__ import annotations

from collections.abc import Mapping

from forebay.codegen.c.analysis.layout import Member, PoolLayout
from forebay.codegen.c.syntax.text import array_bounds, comment_text, initialiser
from forebay.codegen.project.interface.identity import identity_check
from forebay.codegen.project.pools.placement import placement_macros
from forebay.codegen.project.pools.weights_incbin import incbin_name, is_assembled
from forebay.network.model import ModelInfo, PlannedPool
from forebay.network.names import Naming


def write_weights_header(
    model: ModelInfo, naming: Naming, layouts: Mapping[str, PoolLayout]
) -> str:
    """Return the text of the header."""
    m, macro = naming.prefix, naming.macro
    parts = [
        f"/* Constants of {comment_text(model.name)}; only {m}.c includes this file. */\n"
        f"#ifndef {macro}_WEIGHTS_H\n#define {macro}_WEIGHTS_H\n\n#include <stdint.h>",
        *(
            _structure(layouts[pool.name], is_image=pool in model.image_pools)
            for pool in model.constant_pools
        ),
        f"#endif /* {macro}_WEIGHTS_H */",
    ]
    return "\n\n".join(parts) + "\n"


def write_weights_source(
    model: ModelInfo, naming: Naming, layouts: Mapping[str, PoolLayout]
) -> str:
    """Return the text of the source file, which includes the files of values."""
    m = naming.prefix
    includes = f'#include "{m}_weights.h"\n\n#include "{m}.h"'
    images = [layouts[pool.name] for pool in model.image_pools]
    if any(member.ctype in ("float", "double") for x in images for member in x.members):
        includes += "\n\n#include <math.h>"
    parts = [includes, identity_check(f"{m}_weights.c", model, naming)]
    parts += [_included(layouts[pool.name], pool, naming) for pool in model.image_pools]
    parts += [_size_check(layouts[pool.name]) for pool in model.image_pools]
    return "\n\n".join(parts) + "\n"


def write_weights_values(
    model: ModelInfo, naming: Naming, layouts: Mapping[str, PoolLayout]
) -> dict[str, str]:
    """Return the text of the files that define the pools, by name."""
    return {
        _values_name(layouts[pool.name]): _definition(layouts[pool.name], pool, naming)
        for pool in model.image_pools
    }


def _values_name(layout: PoolLayout) -> str:
    return f"{layout.symbol}_values.h"


def _structure(layout: PoolLayout, *, is_image: bool) -> str:
    lines = [f"    {m.ctype} {m.name}[{m.count}];{_described(m)}" for m in layout.members]
    return "\n".join(
        [
            f"typedef struct {layout.ctype} {{",
            *(lines or ["    uint8_t none;"]),
            f"}} {layout.ctype};",
            *(["", f"extern const {layout.ctype} {layout.symbol};"] if is_image else []),
        ]
    )


def _described(member: Member) -> str:
    constant = member.constant
    shape = "" if constant is None else " " + array_bounds(constant.data.shape)
    if constant is not None and (order := constant.interleaved):
        words = "" if order.word == 1 else f" in words of {order.word}"
        shape += f", {order.channels} channels interleaved{words}"
    return f" /* offset {member.offset}{shape} */"


def _included(layout: PoolLayout, pool: PlannedPool, naming: Naming) -> str:
    """Return the lines that include the definition of a pool."""
    return f"""\
#if !({is_assembled(pool, naming)}) /* else {incbin_name(naming)} defines it */
#include "{_values_name(layout)}"
#endif"""


def _size_check(layout: PoolLayout) -> str:
    return f"""\
/* The compiler must not add padding. */
FOREBAY_STATIC_ASSERT(sizeof({layout.ctype}) == {layout.size},
    {layout.symbol}_has_its_size);"""


def _definition(layout: PoolLayout, pool: PlannedPool, naming: Naming) -> str:
    """Return the definition of a constant pool; if it is filled at init, of the source image."""
    guard = f"{layout.symbol.upper()}_VALUES_H"
    return "\n".join(
        [
            f"/* Only {naming.prefix}_weights.c includes this file. */",
            f"#ifndef {guard}\n#define {guard}\n",
            *([placement_macros(pool, naming)] if pool.is_rom else []),
            f"const {layout.ctype} {layout.symbol} = {{",
            *([_values(member) for member in layout.members] or ["    0"]),
            f"}};\n\n#endif /* {guard} */\n",
        ]
    )


def _values(member: Member) -> str:
    if member.constant is None:
        return f"    /* {member.name} */\n    {{0}},"
    return f"    /* {member.name} */\n    {{\n{initialiser(member.constant.data, ' ' * 8)}\n    }},"
