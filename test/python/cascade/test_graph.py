"""Claims about row graphs."""

from __future__ import annotations

from common.programs.row_graphs import GraphMaker

from forebay.regions import Span


def test_a_window_reads_the_rows_inside_of_its_source():
    maker = GraphMaker()
    source = maker.tensor(4, 16, is_input=True)
    result = maker.window(source, 8, kernel=3, pad=1)
    graph = maker.graph()
    (access,) = graph.operators[0].reads
    assert access.spans == (Span(0, 2), Span(0, 3), Span(1, 4), Span(2, 4))
    assert access.hull == Span(0, 4)
    assert graph.readers == ((0,), ())
    assert graph.writers == ((), (0,))
    assert graph.tensors[result].bytes == 32


def test_a_dilated_window_reads_no_row_between_those_of_its_kernel():
    """Steps read rows 2; 0, 2 and 4; 2 and 4: rows 1 and 3 are never read."""
    maker = GraphMaker()
    maker.window(maker.tensor(5, 16), 8, kernel=3, stride=2, pad=2, dilation=2)
    (access,) = maker.graph().operators[0].reads
    assert access.slices == (slice(0, 3, 2), slice(0, 5, 2), slice(2, 5, 2))
    assert access.counts == (2, 3, 2)
    assert access.steps.rows.tolist() == [0, 2, 4]
    assert (access.steps.first.tolist(), access.steps.last.tolist()) == ([0, 0, 1], [1, 2, 2])
