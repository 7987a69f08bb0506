"""Claims about the schedules of segments, judged by a simulation."""

from __future__ import annotations

from common.programs.row_graphs import GraphMaker, random_graph, simulate

from forebay.cascade.schedule import Scheduler


def test_rates_and_skews_of_a_chain():
    maker = GraphMaker()
    source = maker.tensor(12, 1, is_input=True)
    first = maker.window(source, 1, 1)
    second = maker.window(first, 1, 3, pad=1)
    third = maker.window(second, 1, 3, stride=2)
    maker.window(third, 1, 1)
    segment = Scheduler(maker.graph()).segment(0, 4)
    assert segment.rates == (1, 1, 2, 2)
    assert segment.skews == (0, 1, 3, 3)
    assert segment.ticks == 13
    assert segment.tick(2, 4) == 11


def test_rates_behind_a_resize():
    maker = GraphMaker()
    source = maker.tensor(4, 1, is_input=True)
    first = maker.window(source, 1, 1)
    maker.repeat(first, 2)
    segment = Scheduler(maker.graph()).segment(0, 2)
    assert segment.rates == (2, 1)
    assert segment.ticks == 8


def test_rates_where_many_steps_read_one_row():
    """Heads of an attention: 2 rows for 300; the ratio is not rounded to 0."""
    maker = GraphMaker()
    first = maker.window(maker.tensor(2, 1, is_input=True), 1, 1)
    maker.repeat(first, 150)
    graph = maker.graph()
    segment = Scheduler(graph).segment(0, 2)
    assert segment.rates == (150, 1)
    assert simulate(graph, (segment,)) == 3


def test_a_short_branch_waits_until_its_operand_would_die():
    maker = GraphMaker()
    source = maker.tensor(16, 4, is_input=True)
    start = maker.window(source, 4, 1)
    long = maker.window(maker.window(start, 4, 3, pad=1), 4, 5, pad=2)
    short = maker.window(start, 2, 1)
    maker.sum(long, short)
    segment = Scheduler(maker.graph()).segment(0, 5)
    assert segment.skews == (0, 1, 3, 2, 3), "row y of start is read for the last time at y + 2"


def test_every_segment_of_random_graphs_keeps_the_values():
    for seed in range(150):
        graph = random_graph(seed)
        scheduler, count = Scheduler(graph), len(graph.operators)
        for start in range(count):
            for stop in range(start + 1, count + 1):
                before = tuple(map(scheduler.whole, range(start)))
                behind = tuple(map(scheduler.whole, range(stop, count)))
                simulate(graph, (*before, scheduler.segment(start, stop), *behind))
