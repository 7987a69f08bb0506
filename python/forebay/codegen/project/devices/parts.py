"""`<m>_<device>.c`: the functions of a device; `<m>_parts.h`: functions called across units."""

from __future__ import annotations

from forebay.codegen.c.analysis.units import unit_names
from forebay.codegen.c.module import ModuleText, UnitText
from forebay.codegen.c.syntax.text import comment_text
from forebay.codegen.project.interface.identity import identity_check
from forebay.network.model import ModelInfo
from forebay.network.names import Naming


def device_files(
    devices: tuple[str, ...], text: ModuleText, model: ModelInfo, naming: Naming
) -> dict[str, str]:
    """Return a source file per device, and the header for calls between these files."""
    m = naming.prefix
    named = {f"{m}_{name}.c": device for device, name in unit_names(devices).items()}
    files = {file: _source(file, device, text, model, naming) for file, device in named.items()}
    if text.prototypes:
        files[f"{m}_parts.h"] = _header(text, model, naming)
    return files


def included(unit: UnitText, text: ModuleText, model: ModelInfo, naming: Naming) -> list[str]:
    """Return the project's internal headers that a unit needs."""
    m = naming.prefix
    return [
        *unit.instruction_sets,
        *([f"{m}_intrinsics.h"] if unit.calls_intrinsics else []),
        *([f"{m}_parts.h"] if text.prototypes else []),
        *([f"{m}_weights.h"] if model.constant_pools else []),
    ]


def _source(file: str, device: str, text: ModuleText, model: ModelInfo, naming: Naming) -> str:
    unit = text.units[device]
    headers = (f"{naming.prefix}.h", *included(unit, text, model, naming))
    includes = [f'#include "{header}"' for header in headers]
    headers = sorted({"limits.h", "stdint.h", *unit.headers})
    parts = [
        f"/* The functions of {comment_text(model.name)} that run on {device}. */\n"
        + "\n".join(includes),
        "\n".join(f"#include <{header}>" for header in headers),
        identity_check(file, model, naming),
        *([unit.helpers.rstrip()] if unit.helpers else []),
        unit.functions.rstrip(),
    ]
    return "\n\n".join(parts) + "\n"


def _header(text: ModuleText, model: ModelInfo, naming: Naming) -> str:
    m, macro = naming.prefix, naming.macro
    weights = f'#include "{m}_weights.h"\n\n' if model.constant_pools else ""
    parts = [
        f"/* Functions of {comment_text(model.name)} that one of its source files calls in "
        "another. */\n"
        f"#ifndef {macro}_PARTS_H\n#define {macro}_PARTS_H\n\n{weights}#include <stdbool.h>\n"
        "#include <stdint.h>",
        *text.prototypes,
        f"#endif /* {macro}_PARTS_H */",
    ]
    return "\n\n".join(parts) + "\n"
