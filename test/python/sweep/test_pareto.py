from common.documents.sweep_records import RECORDS

from forebay.sweep.pareto import ParetoPoint, pareto_page, undominated


def point(size: int, cost: int) -> ParetoPoint:
    return ParetoPoint(size, cost, "npu", f"{size} {cost}")


def test_points_that_another_improves_are_not_on_the_line():
    points = [point(10, 9), point(10, 8), point(20, 8), point(30, 3), point(5, 20), point(40, 3)]
    assert [(it.bytes, it.cost) for it in undominated(points)] == [(5, 20), (10, 8), (30, 3)]


def test_the_page_has_a_point_per_planned_record():
    page = pareto_page(RECORDS, "a < b")
    assert page.count("<circle") == 1
    assert "npu size=16K mode=1 planner=auto: 64 bytes" in page
    assert "<h1>a &lt; b</h1>" in page
    assert "No configuration has" in pareto_page(RECORDS[1:], "none")
