"""The bytes that two accesses to one memory share."""

from __future__ import annotations

import numpy as np

from forebay.emulator.memory.footprint import Footprint

PlacedFootprint = tuple[int, Footprint]
"""The offset of the view's first byte, and the bytes relative to it."""


def first_common(one: PlacedFootprint, other: PlacedFootprint) -> int | None:
    """Return the first byte of `one`, in its own order, that is in `other` too, or None."""
    (at, bytes_), (other_at, others) = one, other
    if not bytes_.size or not others.size:
        return None
    first, end = (at + edge for edge in bytes_.span)
    other_first, other_end = (other_at + edge for edge in others.span)
    if end <= other_first or other_end <= first:
        return None
    base = min(first, other_first)
    marks = np.zeros(max(end, other_end) - base, np.bool_)
    others.put(marks, other_at - base, True)
    shared = bytes_.take(marks, at - base)
    if not shared.any():
        return None
    return at + bytes_.offset_of(int(shared.argmax()))
