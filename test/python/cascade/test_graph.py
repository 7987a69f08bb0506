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
