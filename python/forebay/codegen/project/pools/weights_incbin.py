"""`<m>_weights_incbin.S`: the constant pools of the image, assembled from binary files.

A C compiler needs seconds for megabytes of numbers as text; an assembler copies a file. The macro
`<POOL>_IMAGE`, the path of a pool's file, selects this form in both `<m>_weights_incbin.S` and
`<m>_weights.c`. Without it the C file defines the pool.
"""

from __future__ import annotations

from collections.abc import Mapping

from forebay.codegen.c.analysis.layout import PoolLayout
from forebay.codegen.c.syntax.text import comment_text
from forebay.codegen.project.pools.placement import section_of
from forebay.network.model import ModelInfo, PlannedPool
from forebay.network.names import Naming
from forebay.network.pool_images import image_name

_NATURAL_ALIGNMENT = 8  # of the largest element; a pool that is only copied needs no more


def incbin_name(naming: Naming) -> str:
    """Return the name of the assembly file; without suffix, no C file has the same name."""
    return f"{naming.prefix}_weights_incbin.S"


def image_macros(model: ModelInfo, naming: Naming) -> dict[str, str]:
    """Return the macro that selects the assembled form of each image pool, and the pool's file."""
    return {
        f"{naming.pool_macro(pool.name)}_IMAGE": image_name(pool, naming)
        for pool in model.image_pools
    }


def is_assembled(pool: PlannedPool, naming: Naming) -> str:
    """Return the preprocessor's condition under which the assembly file defines the pool.

    Attributes of the application's own are C, so the C file has to define such a pool.
    """
    macro = naming.pool_macro(pool.name)
    return f"defined {macro}_IMAGE && !defined {macro}_ATTRIBUTES"


def write_weights_incbin(
    model: ModelInfo, naming: Naming, layouts: Mapping[str, PoolLayout]
) -> str:
    """Return the text of the assembly file."""
    m, macro = naming.prefix, naming.macro
    head = f"""\
/* Constants of {comment_text(model.name)} from binary files, because compilers read numbers slowly.
   Define the path of each pool's file for this file and for {m}_weights.c, or for neither:
   {", ".join(image_macros(model, naming))}. */
#if defined __ELF__ && defined __linux__
    .section .note.GNU-stack, "", %progbits
#endif
/* The prefix of C's names in assembly is empty (2 - - 1) or an underscore, which counts as 0. */
#if 2 - __USER_LABEL_PREFIX__ - 1 == 3
#define {macro}_SYMBOL(name) name
#else
#define {macro}_SYMBOL(name) _##name
#endif"""
    parts = [head, *(_pool(layouts[pool.name], pool, naming) for pool in model.image_pools)]
    return "\n\n".join(parts) + "\n"


def _pool(layout: PoolLayout, pool: PlannedPool, naming: Naming) -> str:
    macro = naming.pool_macro(pool.name)
    symbol = f"{naming.macro}_SYMBOL({layout.symbol})"
    alignment = max(pool.alignment if pool.is_rom else 1, _NATURAL_ALIGNMENT)
    return f"""\
#if {is_assembled(pool, naming)}
#if !defined __ELF__ || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "{macro}_IMAGE needs ELF and a little-endian machine: leave it undefined"
#endif
{_section(pool, naming)}
    .balign {alignment}
    .globl {symbol}
    .type {symbol}, %object
{symbol}:
    .incbin {macro}_IMAGE
    .if . - {symbol} - {pool.size}
    .error "the file of {macro}_IMAGE must have {pool.size} bytes"
    .endif{_padding(layout.size - pool.size)}
    .size {symbol}, . - {symbol}
#endif"""


def _padding(size: int) -> str:
    """Return the line for the bytes by which the structure in C is larger than the file."""
    return f"\n    .zero {size}" if size else ""


def _section(pool: PlannedPool, naming: Naming) -> str:
    if not pool.is_rom:  # the image from which the application's memory is filled
        return f'    .section .rodata.{naming.prefix}_{naming.pools[pool.name]}, "a", %progbits'
    macro = naming.pool_macro(pool.name)
    return f"""\
#ifndef {macro}_SECTION
#define {macro}_SECTION "{section_of(pool, naming)}"
#endif
    .section {macro}_SECTION, "a", %progbits"""
