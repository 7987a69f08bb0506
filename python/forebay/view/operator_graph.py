"""The data flow between operators, from the buffers that the steps of a memory map use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from forebay.formats.memory_map import MapBuffer, MapStep


def operator_edges(
    buffers: Sequence[MapBuffer], steps: Sequence[MapStep]
) -> tuple[tuple[int, int], ...]:
    """Return pairs of operators: the second reads what the first one wrote.

    Several operators may write parts of one buffer. One that reads and writes it computes in place,
    so later readers read its result. Where a buffer becomes live again, it is another tensor.
    """
    begins = [_begins(buffer) for buffer in buffers]
    writers: list[dict[int, None]] = [{} for _ in buffers]
    edges: dict[tuple[int, int], None] = {}
    for tick, step in enumerate(steps):
        operator = step.operator
        if operator is None:
            continue
        for number in step.reads:
            edges.update({(one, operator): None for one in writers[number] if one != operator})
        for number in step.writes:
            if number in step.reads or tick in begins[number]:
                writers[number].clear()
            writers[number][operator] = None
    return tuple(sorted(edges))


def steps_of_operators(steps: Sequence[MapStep]) -> Mapping[int, tuple[int, int]]:
    """Return the half-open range of steps from the first to the last of each operator."""
    found: dict[int, tuple[int, int]] = {}
    for tick, step in enumerate(steps):
        if step.operator is not None:
            first, _ = found.get(step.operator, (tick, tick))
            found[step.operator] = (first, tick + 1)
    return found


def _begins(buffer: MapBuffer) -> frozenset[int]:
    """Return the steps at which the buffer becomes live."""
    return frozenset((buffer.lifetime[0], *(end for _, end in buffer.gaps or ())))
