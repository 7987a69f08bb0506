"""The memory of the self-test: mapping it, spoiling it, and reading constants from files."""

from __future__ import annotations

from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from forebay.codegen.project.pools.pools_file import filled_memory
from forebay.network.fixed_memory import AddressRange, spans
from forebay.network.model import ModelInfo, PlannedPool
from forebay.network.names import Naming
from forebay.network.pool_images import image_name


def before_includes(model: ModelInfo) -> str:
    """Return the lines that must precede the first header so that system headers declare `mmap`."""
    return "#define _GNU_SOURCE /* for mmap */\n" if model.mapped_pools else ""


def map_memory(model: ModelInfo, naming: Naming) -> list[str]:
    """Return the include and the function that map memory at fixed bases."""
    if not model.mapped_pools:
        return []
    include = (
        "#if defined __linux__\n#include <sys/mman.h>\n#if !defined MAP_FIXED_NOREPLACE\n"
        "#define MAP_FIXED_NOREPLACE 0x100000\n#endif\n#endif"
    )
    lines = [
        "/* Linux maps memory at the address that a process asks for. On other systems the memory",
        "   must exist. */",
        "static int map_memory(void)",
        "{",
        "#if defined __linux__",
        *(line for span in spans(model.mapped_pools) for line in _map(span, naming)),
        "#endif",
        "    return 0;",
        "}",
    ]
    return [include, "\n".join(lines)]


def _map(span: AddressRange, naming: Naming) -> list[str]:
    names = " and ".join(naming.pools[pool.name] for pool in span.pools)
    address = f"(void *)(uintptr_t)0x{span.start:08x}u"
    return [
        f"    if (mmap({address}, {span.end - span.start}, PROT_READ | PROT_WRITE,",
        "            MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) !=",
        f"        {address}) {{",
        f'        puts("no memory for {names} at 0x{span.start:08x} in this process");',
        "        return 1;",
        "    }",
    ]


def call_map_memory(model: ModelInfo) -> list[str]:
    """Return the statements of `main` that map memory at fixed bases."""
    if not model.mapped_pools:
        return []
    return ["    if (map_memory() != 0) {", "        return 1;", "    }"]


def overwrite_pools(model: ModelInfo, naming: Naming) -> list[str]:
    """Return the statements that fill pools with 0xA5, since no result may depend on old contents.

    Constants that are programmed at their base are not overwritten.
    """
    lines: list[str] = []
    mapped = [pool for pool in model.mapped_pools if not pool.is_programmed]
    for pool in (*model.handed_pools, *mapped):
        target, size = filled_memory(pool, naming), f"{naming.pool_macro(pool.name)}_SIZE"
        if pool.start:
            target, size = f"{target} + {pool.start}", f"{size} - {pool.start}"
        lines.append(f"    memset({target}, 0xA5, {size});")
    return lines


def image_macro(pool: PlannedPool, naming: Naming) -> str:
    """Return the macro that names the file with a pool's constants."""
    macro = f"{naming.pool_macro(pool.name)}_IMAGE"
    return (
        "/* The file with the bytes of a pool that are no part of the image. */\n"
        f'#ifndef {macro}\n#define {macro} "{image_name(pool, naming)}"\n#endif'
    )


def read_image(pool: PlannedPool, naming: Naming) -> str:
    """Return the function that reads the file of constants into the pool."""
    macro, name = naming.pool_macro(pool.name), naming.pools[pool.name]
    return f"""\
static int read_{name}(void)
{{
    FILE *file = fopen({macro}_IMAGE, "rb");
    if (file == NULL) {{
        puts("cannot open " {macro}_IMAGE);
        return 1;
    }}
    const size_t count = fread({filled_memory(pool, naming)}, 1, {macro}_SIZE, file);
    fclose(file);
    if (count != {macro}_SIZE) {{
        puts({macro}_IMAGE " is too short");
        return 1;
    }}
    return 0;
}}"""


def crc() -> str:
    """Return the function that computes the CRC-32 of memory as zlib does, bit by bit."""
    return """\
static uint32_t crc32(const uint8_t *bytes, size_t size)
{
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < size; ++i) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; ++bit) {
            crc = (crc >> 1) ^ ((crc & 1u) != 0u ? 0xEDB88320u : 0u);
        }
    }
    return ~crc;
}"""


def refuse_other_constants(
    pool: PlannedPool, naming: Naming, image: NDArray[np.uint8]
) -> list[str]:
    """Return the statements of `main` that stop before the comparison if the constants differ.

    The expected outputs are those of the constants at the time of compilation.
    """
    macro, known = naming.pool_macro(pool.name), crc32(image.tobytes())
    return [
        f"    if (crc32({filled_memory(pool, naming)}, {macro}_SIZE) != 0x{known:08x}u) {{",
        f'        puts({macro}_IMAGE " has other constants than the expected outputs are for:");',
        '        puts("nothing is compared");',
        "        return 2;",
        "    }",
    ]
