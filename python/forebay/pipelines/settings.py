"""What a user may say about the road from a model to C."""

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
"""Where passes of the user's own may run, in the order of the road."""


OWN_TARGET = ""
"""The target of a module that declares its devices and pools itself."""


@dataclass(frozen=True)
class Settings:
    """What a user may say about the road; the defaults are the plain one.

    * `target` names a target or a target file, or is `OWN_TARGET`.
    * `place` lists `OPERATOR=DEVICE`, and `placement` is a file of them; `offload_report` is a file
      to write where each operator runs to, as JSON.
    * `order` lists devices in the order in which their stages run; those not named follow.
    * `io` says whether inputs and outputs are the caller's memory or places in the workspace;
      `input_pools`, `output_pools` and `constant_pools` list `NAME=POOL` for single tensors.
    * `strict` refuses copies between pools.
    * `planner` names a planner or a planner's file.
    * `slots` is how many buffers a tile of a pipelined loop gets at most; 1 pipelines none.
    * `at` holds pipeline texts of the user's passes by phase.
    * `given` keeps objects that words in these texts stand for.
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
        """The user's passes at a phase, in their order."""
        return self.at.get(phase, ())
