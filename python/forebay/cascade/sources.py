"""Operators that read the rows of an input that the application hands in, one by one.

Their tensor must never be there as a whole. So all operators that read it are in one loop with its
source, in which a row has died before the last one comes::

    source      0   1   2   3   4   5       rows of the input, one in each tick
    window          0   1   2   3   4   5   3 rows each: at most 3 of 6 rows are live
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from forebay.cascade.graph import RowGraph
from forebay.cascade.schedule import Segment


class RowSource:
    """The operator `operator` of a graph, which writes the rows of an input step by step.

    The graph is the one before results are merged with operands, so that the readers are those of
    the input itself.
    """

    def __init__(self, graph: RowGraph, operator: int) -> None:
        self.graph = graph
        self.operator = operator
        self.tensor = graph.operators[operator].writes[0].tensor
        self.rows = graph.tensors[self.tensor].rows

    @cached_property
    def readers(self) -> tuple[int, ...]:
        """The operators that read the rows."""
        return self.graph.readers[self.tensor]

    def is_streamed(self, segment: Segment) -> bool:
        """Return whether a segment with the operator never holds all rows at once."""
        if not segment.by_rows or not all(segment.start <= r < segment.stop for r in self.readers):
            return False
        return self.most_live(segment) < self.rows

    def most_live(self, segment: Segment) -> int:
        """Return the most rows that are live in a tick of a segment with all readers."""
        written = [segment.tick(self.operator, step) for step in range(self.rows)]
        died = np.array(written)
        for reader in self.readers:
            for access in self.graph.operators[reader].reads:
                if access.tensor == self.tensor:
                    steps, rate = access.steps, segment.rates[reader - segment.start]
                    ticks = rate * steps.last + segment.skews[reader - segment.start]
                    died[steps.rows] = np.maximum(died[steps.rows], ticks)
        live = np.zeros(segment.ticks + 1, np.int64)
        np.add.at(live, written, 1)
        np.add.at(live, died + 1, -1)
        return int(np.cumsum(live).max())

    def whole_reader(self) -> int:
        """Return a reader that needs all rows at once, else the last one."""
        for reader in self.readers:
            for access in self.graph.operators[reader].reads:
                if access.tensor == self.tensor and max(access.counts) == self.rows:
                    return reader
        return max(self.readers, default=self.operator)


def sources_of(graph: RowGraph) -> tuple[RowSource, ...]:
    """Return the sources of a graph."""
    return tuple(
        RowSource(graph, number) for number, op in enumerate(graph.operators) if op.is_source
    )
