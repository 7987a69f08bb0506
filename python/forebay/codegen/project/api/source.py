"""`<m>.c`: the network's functions behind checked entry points."""

from __future__ import annotations

from collections.abc import Mapping

from mlir.dialects import func
from mlir.ir import Module
from msgspec import Struct

from forebay.codegen.c import print_module
from forebay.codegen.c.analysis.layout import PoolLayout
from forebay.codegen.c.analysis.stack_bound import StackBound, stack_bound
from forebay.codegen.c.syntax.helpers import HELPERS, MATH_FUNCTIONS
from forebay.codegen.project.api.entry_frames import entry_frames
from forebay.codegen.project.api.entry_points import (
    accessors,
    fail_function,
    init_function,
    internal_pools,
    reset_function,
    run_function,
)
from forebay.codegen.project.devices.parts import device_files, included
from forebay.codegen.project.interface.identity import identity_check
from forebay.codegen.project.interface.row_inputs import row_source_types, row_struct
from forebay.codegen.project.interface.signatures import internal_name
from forebay.codegen.project.interface.statuses import define_status_name
from forebay.codegen.project.pools.load_functions import load_functions
from forebay.codegen.project.pools.pool_checks import check_pool_symbols
from forebay.codegen.project.pools.state_marker import state_marker
from forebay.ir.machine.intrinsics import called_intrinsics
from forebay.ir.module import ops_in_body
from forebay.network.constants import ConstantMemory
from forebay.network.errors import EmissionError
from forebay.network.model import ModelInfo
from forebay.network.names import ENTRY_POINT_NAMES, Naming
from forebay.network.pool_images import pool_images

_HOOKS = """\
/* Before each inference, and around each operator, by its index in the model. FOREBAY_HOOKS names a
   header that defines the macros; without a definition they are empty. */
#if defined FOREBAY_HOOKS
#include FOREBAY_HOOKS
#endif
#if !defined FOREBAY_INFERENCE_BEGIN
#define FOREBAY_INFERENCE_BEGIN() ((void)0)
#endif
#if !defined FOREBAY_OPERATOR_BEGIN
#define FOREBAY_OPERATOR_BEGIN(index) ((void)0)
#endif
#if !defined FOREBAY_OPERATOR_END
#define FOREBAY_OPERATOR_END(index) ((void)0)
#endif"""


class _Sources(Struct, frozen=True):
    """The source files by name, and the largest stack use of a call into them.

    `instruction_sets` are the headers of ours with functions on vectors that they include, `hooked`
    the operators with macros around their calls, by index.
    """

    files: Mapping[str, str]
    stack: StackBound
    instruction_sets: frozenset[str]
    hooked: frozenset[int]


def write_sources(
    module: Module,
    model: ModelInfo,
    naming: Naming,
    memory: ConstantMemory,
    layouts: Mapping[str, PoolLayout],
    *,
    entries_only: bool = False,
) -> _Sources:
    """Return `<m>.c`, and the files of other devices.

    With `entries_only`, `<m>.c` has only the public functions, and an object defines the network.
    """
    m = naming.prefix
    addresses = {p.name: f"{naming.pool_macro(p.name)}_BASE" for p in model.mapped_pools}
    text = print_module(
        module,
        m,
        _taken(module, model, naming),
        memory,
        layouts,
        addresses=addresses,
        entries_only=entries_only,
        has_hooks=model.operator_hooks,
        row_sources=row_source_types(model, naming),
    )
    entries = {op.name.value: op for op in ops_in_body(module.operation, func.FuncOp)}
    if "main" not in entries:
        raise EmissionError(module.operation.location, "the module has no function @main")
    host, *devices = text.units
    unit = text.units[host]
    headers = ["limits.h", "stddef.h", "stdint.h", *unit.headers]
    if model.needs_init:
        headers.append("string.h")
    own = [f"{m}.h", *included(unit, text, model, naming)]
    parts = [
        "\n".join(f'#include "{header}"' for header in own),
        "\n".join(f"#include <{header}>" for header in sorted(set(headers))),
        identity_check(f"{m}.c", model, naming),
        *([_HOOKS] if model.operator_hooks else []),
        *([unit.helpers.rstrip()] if unit.helpers else []),
        *fail_function(model, naming),
        unit.functions.rstrip(),
        *internal_pools(model, naming),
        *state_marker(model),
        *check_pool_symbols(model, naming),
        *load_functions(model, naming),
        *reset_function(model, naming, entries, text),
        *init_function(model, naming),
        run_function(model, naming, entries["main"], text, pool_images(module, model)),
        *accessors(model, naming),
        define_status_name(model, m),
    ]
    files = {f"{m}.c": "\n\n".join(parts) + "\n"}
    files |= device_files(tuple(devices), text, model, naming)
    calls_math = any("math.h" in unit.headers for unit in text.units.values())
    frames = {**text.frames, **entry_frames(model, naming, text)}
    vectors = frozenset(name for unit in text.units.values() for name in unit.instruction_sets)
    return _Sources(files, stack_bound(frames, calls_math=calls_math), vectors, text.hooked)


def _taken(module: Module, model: ModelInfo, naming: Naming) -> set[str]:
    """Return the names that no function, parameter or variable of the network may have."""
    m = naming.prefix
    pools = {f"{m}_{naming.pools[pool.name]}" for pool in model.pools}
    pools |= {f"{pool}_layout" for pool in pools}
    public = {f"{m}_{name}" for name in (*ENTRY_POINT_NAMES, *naming.ports.values())}
    public |= {f"{m}_load_{naming.pools[pool.name]}" for pool in model.at_init_pools}
    public |= {internal_name(naming.pools[pool.name]) for pool in model.pools}
    public |= {row_struct(port, naming) for port in model.row_inputs}
    intrinsics = {op.symbol.value for op in called_intrinsics(module.operation)}
    return {*ENTRY_POINT_NAMES, *HELPERS, *MATH_FUNCTIONS, *pools, *public, *intrinsics}
