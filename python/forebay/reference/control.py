"""Functions that the rules of control flow share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from forebay.reference.registry import Frame


def assign(frame: Frame, slots: Sequence[int], values: Sequence[Any]) -> None:
    """Store values in slots of a frame."""
    for slot, value in zip(slots, values, strict=True):
        frame[slot] = value
