"""Networks on functions with the interface of CMSIS-NN (`cmsis_nn/`), on the host and boards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

import forebay
from forebay.engines.c import C_LIBRARY_FLAGS, CEngine
from forebay.mcu import Board, build_application, run_application
from forebay.network.names import naming_of

LIBRARY = Path(__file__).parents[1] / "cmsis_nn"
SOURCE = LIBRARY / "cmsis_nn.c"
FLAGS: Mapping[str, tuple[str, ...]] = {
    "none": (),
    "dsp": ("-DCMSIS_NN_DSP",),
    "mve": ("-DCMSIS_NN_MVE",),
}
"""The flags with which the functions have the sizes for an extension."""

_STRICT = ("-Wall", "-Wextra", "-Wconversion", "-Wcast-qual", "-Wshadow", "-pedantic", "-Werror")
_GUARD = 64


def linked(network: forebay.Compiled, extension: str) -> CEngine:
    """Return the emitted C with its wrappers and the library, without warnings."""
    built = network._built  # pyright: ignore[reportPrivateUsage]
    wrappers = Path(f"{naming_of(network.info).prefix}_wrappers.c")
    flags = (*C_LIBRARY_FLAGS, *_STRICT, f"-I{LIBRARY}", *FLAGS[extension])
    with built.final.context:
        return CEngine(built.final, built.info, flags, [wrappers, SOURCE])


def run_on_board(
    board: Board,
    network: forebay.Compiled,
    extension: str,
    values: tuple[NDArray[Any], NDArray[Any]],
    directory: Path,
) -> int:
    """Run the network with the library; return 0, or what went wrong.

    1: the network returned an error; 2: the result differs; 3: bytes behind the workspace changed.
    """
    m = naming_of(network.info)
    project = network.write(directory / "project")
    main = directory / "main.c"
    main.write_text(_main(m.prefix, network, values))
    sources = [main, SOURCE, project / f"{m.prefix}_wrappers.c"]
    image = build_application(
        board, sources, [network], directory / "built", include=[LIBRARY], flags=FLAGS[extension]
    )
    return run_application(board, image)


def _main(prefix: str, network: forebay.Compiled, values: Sequence[NDArray[Any]]) -> str:
    macro = prefix.upper()
    given, expected = (", ".join(map(str, it.ravel().tolist())) for it in values)
    pools = {pool.name: f"{macro}_{pool.name.upper()}_SIZE" for pool in network.info.handed_pools}
    memories = "\n".join(
        f"static _Alignas(16) uint8_t {name}[{size} + GUARD];" for name, size in pools.items()
    )
    members = ", ".join(f".{name} = {name}, .{name}_size = {size}" for name, size in pools.items())
    painted = "\n".join(f"    memset({name}, 0x5C, sizeof {name});" for name in pools)
    checks = "\n".join(f"    changed += guard({name} + {size});" for name, size in pools.items())
    return f"""
#include "{prefix}.h"
#include <string.h>
enum {{ GUARD = {_GUARD} }};
static const int8_t given[] = {{{given}}};
static const int8_t expected[] = {{{expected}}};
static int8_t got[sizeof expected];
{memories}
static int guard(const uint8_t *behind)
{{
    int changed = 0;
    for (int i = 0; i < GUARD; ++i) {{
        changed += behind[i] != 0x5C;
    }}
    return changed;
}}
int main(void)
{{
    static const {prefix}_pools pools = {{{members}}};
    {prefix}_device_error error;
    int changed = 0;
{painted}
    if ({prefix}_run(&pools, given, got, &error) != {macro}_OK) {{
        return 1;
    }}
{checks}
    if (changed != 0) {{
        return 3;
    }}
    return memcmp(got, expected, sizeof expected) == 0 ? 0 : 2;
}}
"""
