"""The phases at which a user's own passes run."""

from typing import Literal, get_args

Phase = Literal[
    "before-partition", "after-partition", "before-assign", "after-bufferize", "after-plan"
]

PHASES: tuple[Phase, ...] = get_args(Phase)
"""The phases in pipeline order."""
