"""Claims about inputs that are handed in row by row."""

from __future__ import annotations

from dataclasses import replace

import pytest
from common.programs.row_graphs import GraphMaker

from forebay.cascade.graph import RowAccess, RowGraph
from forebay.cascade.schedule import Scheduler
from forebay.cascade.search import CascadeSearch
from forebay.cascade.sources import sources_of
from forebay.regions import Span

BYTES = 4


def fed(*, kernel: int, rows: int = 8, dilation: int = 1, stride: int = 1) -> RowGraph:
    """Return a source, a window over its rows, and another window behind it."""
    maker = GraphMaker()
    image = maker.tensor(rows, BYTES)
    spans = tuple(Span(y, y + 1) for y in range(rows))
    maker.add([], [RowAccess(image, spans)])
    pad = kernel // 2 * dilation
    first = maker.window(image, BYTES, kernel, stride, pad, dilation=dilation)
    maker.window(first, BYTES, 3, pad=1)
    graph = maker.graph()
    first, *others = graph.operators
    return RowGraph(graph.tensors, (replace(first, is_source=True), *others))


def test_a_window_holds_as_many_rows_as_its_kernel_has() -> None:
    graph = fed(kernel=3)
    (source,) = sources_of(graph)
    scheduler = Scheduler(graph)
    assert source.readers == (1,)
    assert source.most_live(scheduler.segment(0, 2)) == 3
    assert source.is_streamed(scheduler.segment(0, 2))
    assert not source.is_streamed(scheduler.segment(0, 1))  # the reader is outside
    assert not source.is_streamed(scheduler.whole(0))


def test_a_dilated_window_holds_only_the_rows_of_its_kernel() -> None:
    """Of rows 0 to 4 step 1 reads 0, 2 and 4; rows 1 and 3 die when they come."""
    graph = fed(kernel=3, rows=5, dilation=2, stride=2)
    (source,) = sources_of(graph)
    assert source.most_live(Scheduler(graph).segment(0, 2)) == 3
    assert CascadeSearch(graph, (source,)).cheapest() is not None


def test_the_search_never_runs_a_source_as_a_whole() -> None:
    graph = fed(kernel=3)
    search = CascadeSearch(graph, sources_of(graph))
    cheapest = search.cheapest()
    assert cheapest is not None
    for plan in (cheapest, search.smallest()):
        loop = plan.segments[0]
        assert loop.by_rows and loop.start == 0 and loop.stop >= 2
    assert cheapest.segments[0].stop == 2  # the second window need not be in the loop
    assert CascadeSearch(graph).within(1 << 20) == CascadeSearch(graph).layer_wise()


@pytest.mark.parametrize("rows", [2, 5])
def test_a_window_over_all_rows_cannot_be_fed(rows: int) -> None:
    graph = fed(kernel=2 * rows + 1, rows=rows)
    (source,) = sources_of(graph)
    assert CascadeSearch(graph, (source,)).cheapest() is None
    assert source.whole_reader() == 1
