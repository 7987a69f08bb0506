"""The stack frames of the public functions of `<m>.c`, and their calls."""

from __future__ import annotations

from collections.abc import Mapping

from forebay.codegen.c.analysis.stack_bound import StackFrame
from forebay.codegen.c.module import ModuleText
from forebay.codegen.c.status import FAIL_FUNCTION
from forebay.codegen.project.interface.signatures import run_parameters
from forebay.network.model import ModelInfo
from forebay.network.names import Naming

POINTER, STATUS = "pointer", "status"


def entry_frames(model: ModelInfo, naming: Naming, text: ModuleText) -> Mapping[str, StackFrame]:
    """Return the frame of each public function; `text` has the frames of the network's own."""
    m = naming.prefix
    loads = {f"{m}_load_{naming.pools[pool.name]}" for pool in model.at_init_pools}
    resets = {text.entries["reset"].name} if "reset" in text.entries else set[str]()
    checked = (STATUS,) if model.handed_pools else ()
    reset = tuple(
        POINTER
        for _ in ("pools", *model.devices_commanded_by("reset")[:1], *model.handed_to("reset")[:1])
    )
    # One call is returned at once, without a variable.
    init = (*reset, STATUS) if len(loads) + bool(model.state_pools) > 1 else reset
    run = (*(POINTER for _ in run_parameters(model, naming)), *checked)
    return {
        "check_pools": StackFrame((POINTER,)),
        FAIL_FUNCTION: StackFrame((POINTER, "int32_t", POINTER, POINTER)),
        **{load: StackFrame((POINTER,)) for load in loads},
        f"{m}_reset": StackFrame(reset, frozenset(resets)),
        f"{m}_init": StackFrame(init, frozenset({*loads, f"{m}_reset"})),
        f"{m}_run": StackFrame(run, frozenset({"check_pools", text.entries["main"].name})),
    }
