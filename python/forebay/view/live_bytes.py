"""The live bytes of a pool from step to step."""

from __future__ import annotations

from collections.abc import Iterable

Spans = Iterable[tuple[int, int]]


def live_bytes(blocks: Iterable[tuple[Spans, int]]) -> tuple[tuple[int, int], ...]:
    """Return pairs of a step and the bytes that are live from it on, where the number changes.

    Each block is bytes that are live in the union of its spans.
    """
    change: dict[int, int] = {}
    for spans, size in blocks:
        for start, end in merged_spans(spans):
            change[start] = change.get(start, 0) + size
            change[end] = change.get(end, 0) - size
    total, found = 0, list[tuple[int, int]]()
    for step in sorted(change):
        if change[step]:
            total += change[step]
            found.append((step, total))
    return tuple(found)


def merged_spans(spans: Spans) -> list[tuple[int, int]]:
    """Return the union of half-open ranges as disjoint ranges, in ascending order."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        elif start < end:
            merged.append((start, end))
    return merged
