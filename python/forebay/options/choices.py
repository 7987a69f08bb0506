"""Options that are one of a few texts."""

from typing import Literal, get_args

Io = Literal["caller", "pool"]
"""Inputs and outputs are in the caller's memory, or in the workspace."""

Phase = Literal[
    "before-partition", "after-partition", "before-assign", "after-bufferize", "after-plan"
]
"""A phase at which the user's own passes run."""

PHASES: tuple[Phase, ...] = get_args(Phase)
"""The phases in pipeline order."""
