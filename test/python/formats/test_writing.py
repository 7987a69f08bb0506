import json

from forebay.formats.memory_plan import MemoryPlan, PlannedPlacement, PoolQuality
from forebay.formats.planning_problem import PlanningProblem, ProblemBuffer, ProblemPool
from forebay.formats.writing import json_lines, json_text

PLAN = MemoryPlan(
    planner="first-fit",
    cost=0,
    pools=(
        PoolQuality(
            pool="é",
            peak=3,
            lower_bound=3,
            optimal=True,
            argument="largest buffer",
            at_bound=("a",),
            step="",
            holes=((0, 1),),
        ),
    ),
    placements={"a": PlannedPlacement("é", 0)},
)


def test_an_indented_text_is_that_of_pythons_json_in_utf_8():
    text = json_text(PLAN, indent=2)
    assert text == json.dumps(json.loads(text), indent=2, ensure_ascii=False) + "\n"
    assert json.loads(text)["pools"][0]["holes"] == [[0, 1]]


def test_a_field_without_a_value_is_absent():
    assert "penalty" not in json.loads(json_text(PLAN))


def test_lines_have_one_entry_of_a_list_each():
    problem = PlanningProblem(
        name="p",
        pools=(ProblemPool("m"), ProblemPool("n", capacity=4)),
        buffers=(ProblemBuffer("a", 8, ((0, 1),)),),
    )
    assert (
        json_lines(problem)
        == """{
  "name": "p",
  "pools": [
    {"name": "m"},
    {"name": "n", "capacity": 4}
  ],
  "buffers": [
    {"name": "a", "size": 8, "lifetime": [[0, 1]]}
  ]
}
"""
    )
