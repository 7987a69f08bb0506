"""The macros of `<m>.h` for pools and ports; all but shapes and scales are usable in `#if`."""

from __future__ import annotations

from forebay.codegen.c.syntax.text import (
    array_bounds,
    comment_text,
    ctype_of,
    macro_float,
)
from forebay.network.model import ModelInfo, PlannedPool, Port
from forebay.network.names import Naming
from forebay.network.overwritten import is_overwritten
from forebay.network.pool_images import image_name
from forebay.pools import Fill, PoolKind


def pool_macros(pool: PlannedPool, naming: Naming) -> str:
    """Return a pool's purpose, its size, and its alignment or its address."""
    name = naming.pool_macro(pool.name)
    lines = [f"/* {_purpose(pool, naming)} In bytes. */", f"#define {name}_SIZE {pool.size}"]
    if pool.base is None:
        return "\n".join([*lines, f"#define {name}_ALIGN {pool.alignment}"])
    return "\n".join([*lines, *_address(pool, naming)])


def _address(pool: PlannedPool, naming: Naming) -> list[str]:
    """Return the address of a pool at a fixed base, which is in no structure of pools."""
    name = naming.pool_macro(pool.name)
    return [
        "/* The code uses this constant address: no function takes it as argument, and there is\n"
        "   no array. Bytes [BASE + START, BASE + SIZE) must be memory. */",
        f"#define {name}_BASE 0x{pool.base:08x}u",
        f"#define {name}_START {pool.start}",
        f"#if defined UINTPTR_MAX && {name}_BASE + {name}_SIZE - 1u > UINTPTR_MAX",
        f'#error "{naming.pools[pool.name]} is beyond the addresses of this machine"',
        "#endif",
    ]


def _purpose(pool: PlannedPool, naming: Naming) -> str:
    """Return the purpose of a pool and how it is filled."""
    name = naming.pools[pool.name]
    if pool.is_mapped and pool.is_constant:
        return _purpose_of_constants_at(pool, naming)
    if pool.kind is PoolKind.workspace:
        return f"Workspace {name}: its contents are undefined between two inferences."
    if pool.kind is PoolKind.state:
        return f"State {name}: lasts from inference to inference; init and reset initialise it."
    m = naming.prefix
    return {
        Fill.rom: f"Constants {name}: part of the image.",
        Fill.at_init: f"Constants {name} in memory of the application, copied from the image by\n"
        f"   {m}_init or {m}_load_{name}.",
        Fill.by_host: f"Constants {name} in memory of the application, which puts the bytes of\n"
        f"   {image_name(pool, naming)} there before the first inference; they are no part of the\n"
        "   image.",
    }[pool.fill]


def _purpose_of_constants_at(pool: PlannedPool, naming: Naming) -> str:
    """Return the purpose of a constant pool at a fixed base and how it is filled."""
    name, m = naming.pools[pool.name], naming.prefix
    file = image_name(pool, naming)
    filled = {
        Fill.rom: f"where the bytes of\n   {file} are programmed; they are no part of the image.",
        Fill.at_init: f"copied from the image by\n   {m}_load_{name} before the first inference.",
        Fill.by_host: f"where the application puts\n   the bytes of {file} before the first "
        "inference:\n   they are no part of the image.",
    }
    return f"Constants {name} at a fixed address, {filled[pool.fill]}"


def port_macros(port: Port, model: ModelInfo, naming: Naming) -> str:
    """Return the type, shape and quantisation of an input or output."""
    name = naming.port_macro(port.name)
    title = "Input" if port in model.inputs else "Output"
    shape = ", ".join(map(str, port.shape)) or "1"
    real = "" if port.scale is None else " real = (q - ZERO_POINT) * SCALE."
    lines = [
        f"/* {title} '{comment_text(port.name)}': {ctype_of(port)} {array_bounds(port.shape)}."
        f"{real}{_where(port, model, naming)} */",
        f"#define {name}_ELEMENTS {port.elements}",
        f"#define {name}_BYTES {port.size}",
        f"#define {name}_RANK {len(port.shape)}",
        f"#define {name}_SHAPE {{{shape}}}",
    ]
    if port.by_rows:
        lines.append(f"#define {name}_ROWS {port.rows}")
        lines.append(f"#define {name}_ELEMENTS_PER_ROW {port.elements // port.rows}")
    if port.scale is not None:
        lines.append(f"#define {name}_SCALE {macro_float(port.scale)}")
        lines.append(f"#define {name}_ZERO_POINT ({port.zero_point or 0})")
    return "\n".join(lines)


def _where(port: Port, model: ModelInfo, naming: Naming) -> str:
    """Return the pool and bytes of a port, and whether other buffers use the bytes too."""
    if port.by_rows:
        return "\n   The application hands in its rows one by one; no memory holds it as a whole."
    if port.pool is None:
        return ""
    place = f"\n   {port.size:,} bytes at offset {port.offset:,} of {naming.pools[port.pool]}"
    if port in model.inputs and is_overwritten(port, model):
        return f"{place}; other buffers use them too."
    return f"{place}."
