"""Writer of `main.c`: golden inputs and outputs of a network, and a run that compares them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forebay.codegen.c.syntax.text import (
    comment_text,
    ctype_of,
    initialiser,
    macro_float,
)
from forebay.codegen.project.interface.row_inputs import (
    caller_arguments,
    feed_functions,
    feed_variables,
    unread_rows,
)
from forebay.codegen.project.interface.signatures import device_arguments
from forebay.codegen.project.pools.pools_file import filled_memory
from forebay.codegen.project.selftest.selftest_memory import overwrite_pools
from forebay.mcu.errors import McuError
from forebay.mcu.image.placement import image_symbol, is_guarded
from forebay.network.model import (
    GoldenStep,
    ModelInfo,
    PlannedPool,
    Port,
)
from forebay.network.names import Naming


def write_main(model: ModelInfo, naming: Naming, images: Mapping[str, NDArray[np.uint8]]) -> str:
    """Return a program that exits with 0 if all outputs equal the model's golden outputs.

    `images` are the bytes of the constant pools that the application fills, by pool name.
    """
    _refuse_doubles(model)
    m = naming.prefix
    pools = model.outside_pools
    parts = [
        f"/* {comment_text(model.name)} on golden inputs. Written by forebay. */\n"
        f'#include "{m}.h"\n#include "bare_board.h"\n\n#include <string.h>',
        *(_image(pool, naming, images[pool.name]) for pool in pools),
        *(_arrays(model, naming, step, index) for index, step in enumerate(model.golden)),
        *(
            f"static {ctype_of(port)} {_place(port, model, naming)}[{_elements(port, naming)}];"
            for port in model.outputs
            if port.pool is None
        ),
        *feed_functions(model, naming),
        *_declare_guards(model, naming),
        _refused(),
        *(_step(model, naming, index) for index in range(len(model.golden))),
        _main(model, naming),
    ]
    return "\n\n".join(parts) + "\n"


def _refuse_doubles(model: ModelInfo) -> None:
    for port in model.outputs:
        if port.dtype == "float64":
            raise McuError(f"output '{port.name}' is float64; boards compare float32 and integers")


def _elements(port: Port, naming: Naming) -> str:
    return f"{naming.port_macro(port.name)}_ELEMENTS"


def _image(pool: PlannedPool, naming: Naming, data: NDArray[np.uint8]) -> str:
    size = f"{naming.pool_macro(pool.name)}_SIZE"
    name = image_symbol(naming.pools[pool.name])
    if pool.is_programmed:  # as a flash programmer would put it there
        section = f'__attribute__((section(".rodata.at.{naming.pools[pool.name]}")))'
        return f"{section} const uint8_t {name}[{size}] = {{\n{initialiser(data, '    ')}\n}};"
    return f"static const uint8_t {name}[{size}] = {{\n{initialiser(data, '    ')}\n}};"


def _arrays(model: ModelInfo, naming: Naming, step: GoldenStep, index: int) -> str:
    pairs: list[tuple[Port, NDArray[Any]]] = [
        *zip(model.inputs, step.inputs, strict=True),
        *zip(model.outputs, step.outputs, strict=True),
    ]
    return "\n".join(
        f"static const {ctype_of(port)} {_golden(port, naming, index)}"
        f"[{_elements(port, naming)}] = {{\n"
        f"{initialiser(np.asarray(data, dtype=port.dtype), '    ')}\n}};"
        for port, data in pairs
    )


def _golden(port: Port, naming: Naming, step: int) -> str:
    return f"step{step}_{naming.ports[port.name]}"


def _refused() -> str:
    return """\
/* Says which call failed, and ends. */
static void refused(const char *call, const char *status)
{
    console_write("refused ");
    console_write(call);
    console_write(" ");
    console_write(status);
    console_write("\\n");
    board_exit(EXIT_REFUSED);
}"""


def _checked(call: str, name: str, naming: Naming) -> list[str]:
    m = naming.prefix
    return [
        f"    status = {call};",
        f"    if (status != {naming.macro}_OK) {{",
        f'        refused("{name}", {m}_status_name(status));',
        "    }",
    ]


def _step(model: ModelInfo, naming: Naming, index: int) -> str:
    m = naming.prefix
    pools = [f"&{m}_default_pools"] if model.handed_pools else []
    lines = [f"static int run_step{index}(void)", "{", f"    {m}_status status;"]
    lines.append("    int mismatches = 0;")
    for port in model.inputs:
        if port.pool is not None:
            golden = _golden(port, naming, index)
            lines.append(f"    memcpy({_place(port, model, naming)}, {golden}, sizeof {golden});")
    devices, error = device_arguments("main", model, f"&{m}_default_devices", "NULL")
    arrays = [
        _golden(port, naming, index) if port in model.inputs else _place(port, model, naming)
        for port in model.caller_ports
    ]
    for port in model.row_inputs:
        lines += feed_variables(port, naming, _golden(port, naming, index))
    own = caller_arguments(model.caller_ports, naming, arrays)
    arguments = [*pools, *devices, *own, *error]
    run, *answer = _checked(f"{m}_run({', '.join(arguments)})", "run", naming)
    lines += ["    stack_paint();", run, "    report_stack(stack_used());", *answer]
    for port in model.row_inputs:
        lines.append(f"    mismatches += {unread_rows(port, naming)};")
    for number, port in enumerate(model.outputs):
        lines.append(f"    mismatches += {_check(model, naming, port, index, number)};")
    if index == len(model.golden) - 1:
        lines += [_touched(pool, number, naming) for number, pool in painted_pools(model)]
        for number, pool in guarded_pools(model):
            lines.append(f"    report_guard({number}u, {', '.join(_guards(pool, naming))});")
    return "\n".join([*lines, "    return mismatches;", "}"])


def _place(port: Port, model: ModelInfo, naming: Naming) -> str:
    if port.pool is None:
        return f"got_{naming.ports[port.name]}"
    m = naming.prefix
    given = f"&{m}_default_pools" if model.handed_pools else ""
    return f"{m}_{naming.ports[port.name]}({given})"


def _check(model: ModelInfo, naming: Naming, port: Port, step: int, number: int) -> str:
    golden = _golden(port, naming, step)
    both = f"{step}u, {number}u, {_place(port, model, naming)}, {golden}"
    if port.dtype == "float32":
        return f"check_floats({both}, {_elements(port, naming)}, {macro_float(model.tolerance)})"
    return f"check_bytes({both}, sizeof {golden}, sizeof {golden}[0])"


def painted_pools(model: ModelInfo) -> list[tuple[int, PlannedPool]]:
    """Return the pools that the program fills with a pattern before the runs, with their numbers.

    The highest byte without the pattern after the runs is the last one that they touched.
    """
    return [
        (number, pool)
        for number, pool in enumerate(model.pools)
        if not pool.is_constant and (pool.is_mapped or not model.internal_pools)
    ]


def guarded_pools(model: ModelInfo) -> list[tuple[int, PlannedPool]]:
    """Return the painted pools around which there are guard bytes, with their numbers."""
    return [(number, pool) for number, pool in painted_pools(model) if is_guarded(pool)]


def _guards(pool: PlannedPool, naming: Naming) -> list[str]:
    """Return the symbols of the linker script: beginning and end, below and above the pool."""
    name = naming.pools[pool.name]
    return [f"guard_{side}_{name}{end}" for side in ("below", "above") for end in ("", "_end")]


def _declare_guards(model: ModelInfo, naming: Naming) -> list[str]:
    return [
        "\n".join(f"extern uint8_t {symbol}[];" for symbol in _guards(pool, naming))
        for _, pool in guarded_pools(model)
    ]


def _paint_guards(pool: PlannedPool, naming: Naming) -> list[str]:
    below, below_end, above, above_end = _guards(pool, naming)
    return [f"    guard_paint({below}, {below_end});", f"    guard_paint({above}, {above_end});"]


def _touched(pool: PlannedPool, number: int, naming: Naming) -> str:
    memory, size = filled_memory(pool, naming), f"{naming.pool_macro(pool.name)}_SIZE"
    return f"    report_pool({number}u, {memory}, {size}, {pool.start}u);"


def _main(model: ModelInfo, naming: Naming) -> str:
    m = naming.prefix
    lines = ["int main(void)", "{", "    int mismatches = 0;"]
    if model.needs_init:
        lines.append(f"    {m}_status status;")
    lines += overwrite_pools(model, naming)
    for _, pool in guarded_pools(model):
        lines += _paint_guards(pool, naming)
    for pool in (pool for pool in model.outside_pools if not pool.is_programmed):
        image = image_symbol(naming.pools[pool.name])
        lines.append(f"    memcpy({filled_memory(pool, naming)}, {image}, sizeof {image});")
    if model.needs_init:
        given = [f"&{m}_default_pools"] if model.handed_pools else []
        devices, error = device_arguments("reset", model, f"&{m}_default_devices", "NULL")
        arguments = ", ".join([*given, *devices, *error])
        lines += _checked(f"{m}_init({arguments})", "init", naming)
    lines += [f"    mismatches += run_step{index}();" for index in range(len(model.golden))]
    return "\n".join(
        [
            *lines,
            "    return mismatches == 0 ? EXIT_PASSED : EXIT_MISMATCH;",
            "}",
        ]
    )
