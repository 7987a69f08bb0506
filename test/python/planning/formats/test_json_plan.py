import json

from forebay.planning import plan
from forebay.planning.formats.json_plan import print_json_plan
from forebay.planning.formats.json_problem import parse_json_problem


def test_a_plan_holds_placements_and_certificates():
    problem = parse_json_problem(
        '{"pools": [{"name": "m"}], "buffers": [{"id": "a", "size": 3, "lower": 0, "upper": 1, '
        '"candidates": ["m"]}]}',
        "t",
    )
    assert json.loads(print_json_plan(plan(problem, "first-fit"))) == {
        "planner": "first-fit",
        "cost": 0,
        "pools": [
            {
                "pool": "m",
                "peak": 3,
                "lower_bound": 3,
                "optimal": True,
                "argument": "largest buffer",
                "at_bound": ["a"],
                "step": "",
                "holes": [],
            }
        ],
        "placements": {"a": {"pool": "m", "offset": 0}},
    }
