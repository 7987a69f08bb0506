"""The user's settings for the pipelines from a model to C."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Io = Literal["caller", "pool"]

Phase = Literal[
    "before-partition", "after-partition", "before-assign", "after-bufferize", "after-plan"
]

PHASES: tuple[Phase, ...] = (
    "before-partition",
    "after-partition",
    "before-assign",
    "after-bufferize",
    "after-plan",
)
"""The phases at which the user's passes may run, in pipeline order."""


OWN_TARGET = ""
"""The target of a module that declares its devices and pools itself."""


@dataclass(frozen=True)
class Settings:
    """The user's settings for the pipelines; the defaults give the plain pipelines.

    * `target` names a target or a target file, or is `OWN_TARGET`.
    * `place` lists `OPERATOR=DEVICE`, and `placement` is a file with such entries; `offload_report`
      is a file for the JSON report of where each operator runs.
    * `order` lists devices in the order in which their stages run; the others follow.
    * `io` says whether inputs and outputs are in the caller's memory or in the workspace;
      `input_pools`, `output_pools` and `constant_pools` list `NAME=POOL` for single tensors.
    * `strict` refuses copies between pools.
    * `planner` names a planner or a planner's file.
    * `slots` is the most buffers that a tile of a pipelined loop gets; 1 pipelines no loop.
    * `at` holds pipeline texts of the user's passes by phase.
    * `given` keeps objects alive that names in these texts stand for.
    """

    target: str = "host"
    place: tuple[str, ...] = ()
    placement: str = ""
    offload_report: str = ""
    order: tuple[str, ...] = ()
    io: Io = "caller"
    input_pools: tuple[str, ...] = ()
    output_pools: tuple[str, ...] = ()
    constant_pools: tuple[str, ...] = ()
    strict: bool = False
    planner: str = "auto"
    slots: int = 2
    at: Mapping[Phase, tuple[str, ...]] = field(default_factory=dict[Phase, tuple[str, ...]])
    given: tuple[object, ...] = ()

    def passes_at(self, phase: Phase) -> tuple[str, ...]:
        """Return the user's passes at a phase, in order."""
        return self.at.get(phase, ())
