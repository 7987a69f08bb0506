"""Claims about live rows, judged by a simulation."""

from __future__ import annotations

from common.programs.row_graphs import GraphMaker, random_graph, simulate

from forebay.cascade.live import LiveRows
from forebay.cascade.schedule import Scheduler


def test_a_result_grows_into_the_dead_rows_of_its_operand():
    maker = GraphMaker()
    source = maker.tensor(8, 10, is_input=True)
    maker.window(source, 10, 1)
    maker.whole(1, 1)
    graph = maker.graph()
    live, scheduler = LiveRows(graph), Scheduler(graph)
    assert live.peak(scheduler.whole(0)).bytes == 160
    assert live.peak(scheduler.segment(0, 1)).bytes == 90
    assert [live.held_at(cut) for cut in range(4)] == [80, 80, 0, 0]


def test_the_peak_names_its_operator_and_step():
    maker = GraphMaker()
    source = maker.tensor(6, 1, is_input=True)
    maker.window(maker.window(source, 50, 1), 5, 3)
    graph = maker.graph()
    peak = LiveRows(graph).peak(Scheduler(graph).segment(0, 2))
    assert (peak.operator, peak.step) == (1, 0)
    assert peak.bytes == 3 + 3 * 50 + 5


def test_random_schedules_have_the_simulated_peak():
    for seed in range(150):
        graph = random_graph(seed)
        live, scheduler, count = LiveRows(graph), Scheduler(graph), len(graph.operators)
        for start in range(count):
            for stop in range(start + 1, count + 1):
                segments = (
                    *map(scheduler.whole, range(start)),
                    scheduler.segment(start, stop),
                    *map(scheduler.whole, range(stop, count)),
                )
                peak = max(live.peak(segment).bytes for segment in segments)
                assert peak == simulate(graph, segments), (seed, start, stop)
