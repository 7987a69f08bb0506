"""Claims about the table and the picture of a budget report."""

from __future__ import annotations

from xml.etree import ElementTree

from forebay.cascade.steps import BudgetStep
from forebay.formats.budget_report import BudgetReport, PoolBudgets, ReportedBudget
from forebay.reports.budget import budget_parts, budget_picture, step_lines
from forebay.reports.table import plain_text

PLANS = (ReportedBudget(4096, 4096, 0, 0, 0, 0), ReportedBudget(1024, 1000, 1, 5, 300, 40))
REPORT = BudgetReport("a<b", (PoolBudgets("sram", 4096, 1000, (f"conv;{'x' * 99}", "add"), PLANS),))


def test_the_table_has_a_line_for_each_plan():
    text = plain_text(budget_parts(REPORT))
    assert "a<b: pool 'sram'" in text
    assert [line.split() for line in text.splitlines()[2:4]] == [
        ["4,096", "4,096", "0", "0", "0", "0"],
        ["1,024", "1,000", "1", "5", "300", "40"],
    ]
    assert "at least 1,000 by rows, in 'conv', 'add'" in text


def test_a_pool_that_rows_do_not_help_says_so():
    pool = PoolBudgets("sram", 4096, 4096, ("fc",), PLANS[:1])
    text = plain_text(budget_parts(BudgetReport("fc", (pool,))))
    assert "rows save none of them" in text


def test_the_picture_has_a_point_for_each_plan():
    picture = ElementTree.fromstring(budget_picture(REPORT))
    circles = picture.findall("{http://www.w3.org/2000/svg}circle")
    heights = [int(circle.attrib["cy"]) for circle in circles]
    assert len(heights) == 2
    assert heights[0] < heights[1], "fewer bytes are lower"


def test_each_step_says_what_it_gives_and_costs():
    steps = [
        BudgetStep("a", "whole tensors", 4096, 0),
        BudgetStep("b", "whole tensors", 64, 0),
        BudgetStep("a", "plan", 1024, 300),
    ]
    assert list(step_lines(steps)) == [
        "budget of pool 'a': 4,096 whole tensors, 1,024 plan (+300 instructions)",
        "budget of pool 'b': 64 whole tensors",
    ]
