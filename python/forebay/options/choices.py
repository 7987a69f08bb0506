"""Options that are one of a few texts, and requests `PHASE=PASS`."""

from typing import Literal, get_args

from forebay.support.option_kinds import OptionError

Io = Literal["caller", "pool"]
"""Inputs and outputs are in the caller's memory, or in the workspace."""

Requantise = Literal["host", "device"]
"""Who rounds sums to int8: the host as the model says, or the device in its own way."""

Optimize = Literal["speed", "size"]
"""The processor that the code of the host's kernels is made for."""

Phase = Literal[
    "before-partition", "after-partition", "before-assign", "after-bufferize", "after-plan"
]
"""A phase at which the user's own passes run."""

PHASES: tuple[Phase, ...] = get_args(Phase)
"""The phases in pipeline order."""


def phase_and_pass(request: object) -> tuple[Phase, str]:
    """Return both parts of a text `PHASE=PASS`; raise `OptionError` for anything else."""
    name, _, what = request.partition("=") if isinstance(request, str) else ("", "", "")
    phase: Phase | None = next((phase for phase in PHASES if phase == name), None)
    if phase is None or not what:
        raise OptionError(
            f"{request!r} is not PHASE=PASS with a phase of {', '.join(PHASES)} and a Python "
            "file, an entry point or a pipeline text"
        )
    return phase, what
