"""`<m>.c`: the network's functions behind checked entry points."""

from __future__ import annotations

from collections.abc import Mapping

from mlir.dialects import func
from mlir.ir import Module

from .c_printer import print_module
from .c_printer.helpers import HELPERS, MATH_FUNCTIONS
from .constants import ConstantMemory
from .entry_points import accessors, check_pools, reset_function, run_function, status_name
from .errors import EmissionError
from .layout import Layout
from .load_functions import load_functions
from .model import ModelInfo
from .names import ENTRY_POINT_NAMES, Naming
from .state_marker import state_marker

REQUIREMENTS = """\
#if INT_MAX < 2147483647
#error "this code computes in int, which must have 32 bits or more"
#endif
#if (-1 >> 1) != -1
#error "this code needs arithmetic right shifts"
#endif"""


def write_source(
    module: Module,
    model: ModelInfo,
    naming: Naming,
    memory: ConstantMemory,
    layouts: Mapping[str, Layout],
) -> str:
    """Return the text of the source file."""
    m = naming.prefix
    text = print_module(module, _taken(model, naming), memory, layouts)
    entries = {op.name.value: op for op in module.body.operations if isinstance(op, func.FuncOp)}
    if "main" not in entries:
        raise EmissionError(module.operation.location, "the module has no function @main")
    headers = ["limits.h", "stddef.h", "stdint.h", *text.headers]
    if model.state_pools or model.filled("at_init"):
        headers.append("string.h")
    includes = "\n".join(f"#include <{header}>" for header in sorted(set(headers)))
    own = f'#include "{m}.h"\n' + (f'#include "{m}_weights.h"\n' if model.constant_pools else "")
    parts = [
        f"{own}\n{includes}\n\n{REQUIREMENTS}",
        *([text.helpers.rstrip()] if text.helpers else []),
        text.functions.rstrip(),
        *state_marker(model),
        *check_pools(model, naming),
        *load_functions(model, naming),
        *reset_function(model, naming, entries, text),
        run_function(model, naming, entries["main"], text),
        *accessors(model, naming),
        status_name(m),
    ]
    return "\n\n".join(parts) + "\n"


def _taken(model: ModelInfo, naming: Naming) -> set[str]:
    """Names that no function, parameter or variable of the network may have."""
    m = naming.prefix
    pools = {f"{m}_{naming.pools[pool.name]}" for pool in model.pools}
    pools |= {f"{pool}_layout" for pool in pools}
    public = {f"{m}_{name}" for name in (*ENTRY_POINT_NAMES, *naming.ports.values())}
    public |= {f"{m}_load_{naming.pools[pool.name]}" for pool in model.filled("at_init")}
    return {*ENTRY_POINT_NAMES, *HELPERS, *MATH_FUNCTIONS, *pools, *public}
