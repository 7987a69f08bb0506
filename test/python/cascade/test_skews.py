"""Claims about the skew of one operator, judged by all skews in between."""

from __future__ import annotations

import pytest
from common.programs.row_graphs import random_graph

from forebay.cascade.graph import RowGraph
from forebay.cascade.skews import SkewChoice, Timing


def _area(graph: RowGraph, timing: Timing) -> int:
    """Return the bytes times ticks of all rows that operators of the timing access."""
    inside = range(timing.start, timing.start + len(timing.rates))
    total = 0
    for number, tensor in enumerate(graph.tensors):
        for row in range(tensor.rows):
            used, written = [], []
            for k in inside:
                op = graph.operators[k]
                for access in (*op.reads, *op.writes):
                    for step, span in enumerate(access.spans):
                        rows = range(span.start, span.stop, access.distance)
                        if access.tensor == number and row in rows:
                            at = timing.skews[k - timing.start]
                            used.append(at + timing.rates[k - timing.start] * step)
                            if access in op.writes:
                                written.append(used[-1])
            if used:
                total += (max(used) - min(written, default=0)) * tensor.row_bytes
    return total


@pytest.mark.parametrize("seed", range(40))
def test_no_other_skew_has_fewer_bytes_times_ticks(seed):
    graph = random_graph(seed)
    choice, count = SkewChoice(graph), len(graph.operators)
    for k in range(count):
        timing = Timing(
            0, [1 + (seed + n) % 3 for n in range(count)], [4 * n for n in range(count)]
        )
        least, latest = timing.skews[k], timing.skews[k] + 11

        def area(skew, timing=timing, k=k):
            skews = [*timing.skews[:k], skew, *timing.skews[k + 1 :]]
            return _area(graph, timing._replace(skews=skews))

        areas = {skew: area(skew) for skew in range(least, latest + 1)}
        best = choice.best_skew(k, timing, latest)
        assert areas[best] == min(areas.values())
        later = timing._replace(skews=[skew + 7 for skew in timing.skews])
        assert choice.best_skew(k, later, latest + 7) == best + 7
