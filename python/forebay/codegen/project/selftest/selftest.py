"""`<m>_selftest.c`: runs the network on golden inputs and compares with golden outputs."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from forebay.codegen.c.syntax.text import (
    comment_text,
    ctype_of,
    initialiser,
    macro_float,
    string_literal,
)
from forebay.codegen.project.interface.row_inputs import (
    caller_arguments,
    feed_functions,
    feed_variables,
    unread_rows,
)
from forebay.codegen.project.interface.signatures import device_arguments
from forebay.codegen.project.selftest.selftest_memory import (
    before_includes,
    call_map_memory,
    crc,
    image_macro,
    map_memory,
    overwrite_pools,
    read_image,
    refuse_other_constants,
)
from forebay.network.model import GoldenStep, ModelInfo, Port
from forebay.network.names import Naming


def write_selftest(
    model: ModelInfo, naming: Naming, images: Mapping[str, NDArray[np.uint8]]
) -> str:
    """Return a program that exits with 0 if all outputs are as expected.

    `images` are the bytes of constant pools. If a file holds other bytes, the program exits with 2.
    """
    m = naming.prefix
    steps = range(len(model.golden))
    parts = [
        f"{_head(model)}\n{before_includes(model)}"
        f'#include "{m}.h"\n\n#include <stdio.h>\n#include <string.h>',
        *map_memory(model, naming),
        *(image_macro(pool, naming) for pool in model.outside_pools),
        *(_arrays(model, naming, step, i) for i, step in enumerate(model.golden)),
        *(
            f"static {ctype_of(port)} {_got(port, naming)}[{_macro(port, naming)}];"
            for port in model.outputs
            if port.pool is None
        ),
        *feed_functions(model, naming),
        *(_compare(model, naming, port) for port in model.outputs),
        *(_step(model, naming, i) for i in steps),
        *(read_image(pool, naming) for pool in model.outside_pools),
        *([crc()] if model.outside_pools else []),
        _main(model, naming, images),
    ]
    return "\n\n".join(parts) + "\n"


def _head(model: ModelInfo) -> str:
    lines = [f"/* Self-test of {comment_text(model.name)}."]
    if model.golden_origin:
        text = f"Its expected outputs are {comment_text(model.golden_origin)}."
        lines += textwrap.wrap(text, 95, initial_indent="   ", subsequent_indent="   ")
    return "\n".join(lines) + " */"


def _checked(call: str, name: str, macro: str) -> list[str]:
    return [
        f"    if ({call} != {macro}_OK) {{",
        f'        puts("{name} failed");',
        "        return 1;",
        "    }",
    ]


def _macro(port: Port, naming: Naming) -> str:
    return f"{naming.port_macro(port.name)}_ELEMENTS"


def _arrays(model: ModelInfo, naming: Naming, step: GoldenStep, index: int) -> str:
    pairs = [
        *zip(model.inputs, step.inputs, strict=True),
        *zip(model.outputs, step.outputs, strict=True),
    ]
    return "\n".join(
        f"static const {ctype_of(port)} "
        f"{_golden(naming, port, index)}[{_macro(port, naming)}] = {{\n"
        f"{initialiser(np.asarray(data, dtype=port.dtype), '    ')}\n}};"
        for port, data in pairs
    )


def _golden(naming: Naming, port: Port, step: int) -> str:
    return f"step{step}_{naming.ports[port.name]}"


def _got(port: Port, naming: Naming) -> str:
    """Return the array of an output; the prefix avoids the names of headers and other variables."""
    return f"got_{naming.ports[port.name]}"


def _compare(model: ModelInfo, naming: Naming, port: Port) -> str:
    ctype, name = ctype_of(port), naming.ports[port.name]
    is_float = ctype in ("float", "double")
    form, cast = ("%.9g", "(double)") if is_float else ("%lld", "(long long)")
    differs = "got[i] != expected[i]"
    if is_float:
        tolerance = macro_float(model.tolerance)
        differs = (
            f"!(got[i] - expected[i] <= {tolerance} && expected[i] - got[i] <= {tolerance}) &&\n"
            "            memcmp(&got[i], &expected[i], sizeof got[i]) != 0"
        )
    return f"""\
static int compare_{name}(int step, const {ctype} *got, const {ctype} *expected)
{{
    for (int32_t i = 0; i < {_macro(port, naming)}; ++i) {{
        if ({differs}) {{
            printf("step %d, output %s: element %ld is {form}, expected {form}\\n", step,
                {string_literal(port.name)}, (long)i, {cast}got[i], {cast}expected[i]);
            return 1;
        }}
    }}
    return 0;
}}"""


def _step(model: ModelInfo, naming: Naming, index: int) -> str:
    m, macro = naming.prefix, naming.macro
    lines = [f"static int run_step{index}(void)", "{"]
    pools = [f"&{m}_default_pools"] if model.handed_pools else []
    given = ", ".join(pools)
    for port in model.inputs:
        if port.pool is not None:
            golden = _golden(naming, port, index)
            target = f"{m}_{naming.ports[port.name]}({given})"
            lines.append(f"    memcpy({target}, {golden}, sizeof {golden});")
    devices, error = device_arguments("main", model, f"&{m}_default_devices", "&error")
    arrays = [
        _golden(naming, port, index) if port in model.inputs else _got(port, naming)
        for port in model.caller_ports
    ]
    for port in model.row_inputs:
        lines += feed_variables(port, naming, _golden(naming, port, index))
    own = caller_arguments(model.caller_ports, naming, arrays)
    arguments = [*pools, *devices, *own, *error]
    if model.devices_commanded_by("main"):
        lines.append(f"    {m}_device_error error;")
    lines += [
        f"    const {m}_status status = {m}_run({', '.join(arguments)});",
        *_device_error(index, model, naming),
        f"    if (status != {macro}_OK) {{",
        f'        printf("step {index}: %s\\n", {m}_status_name(status));',
        "        return 1;",
        "    }",
        "    int mismatches = 0;",
    ]
    for port in model.row_inputs:
        lines += [
            f"    if ({unread_rows(port, naming)}) {{",
            f'        puts("step {index}: not all rows of an input were read");',
            "        mismatches += 1;",
            "    }",
        ]
    for port in model.outputs:
        name = naming.ports[port.name]
        got = _got(port, naming) if port.pool is None else f"{m}_{name}({given})"
        lines.append(
            f"    mismatches += compare_{name}({index}, {got}, {_golden(naming, port, index)});"
        )
    return "\n".join([*lines, "    return mismatches;", "}"])


def _device_error(index: int, model: ModelInfo, naming: Naming) -> list[str]:
    if not model.devices_commanded_by("main"):
        return []
    return [
        f"    if (status == {naming.macro}_ERROR_DEVICE) {{",
        f'        printf("step {index}: %s returned %ld at %s\\n", error.device, (long)error.code,',
        "            error.where);",
        "    }",
    ]


def _main(model: ModelInfo, naming: Naming, images: Mapping[str, NDArray[np.uint8]]) -> str:
    m, macro = naming.prefix, naming.macro
    lines = ["int main(void)", "{"]
    given = f"&{m}_default_pools" if model.handed_pools else ""
    lines += [*call_map_memory(model), *overwrite_pools(model, naming)]
    for pool in model.outside_pools:
        name = naming.pools[pool.name]
        lines += [f"    if (read_{name}() != 0) {{", "        return 1;", "    }"]
        lines += refuse_other_constants(pool, naming, images[pool.name])
    if model.needs_init:
        devices, error = device_arguments("reset", model, f"&{m}_default_devices", "NULL")
        arguments = ", ".join([*filter(None, [given]), *devices, *error])
        lines += _checked(f"{m}_init({arguments})", "init", macro)
    lines.append("    int mismatches = 0;")
    lines += [f"    mismatches += run_step{i}();" for i in range(len(model.golden))]
    lines += [
        f'    puts(mismatches == 0 ? "{m}: all outputs are as expected" : "{m}: MISMATCH");',
        "    return mismatches == 0 ? 0 : 1;",
        "}",
    ]
    return "\n".join(lines)
