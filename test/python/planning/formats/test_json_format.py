import json

import pytest

from forebay.planning import Buffer, ByteRange, FormatError, Kind, Pool, live, plan
from forebay.planning.formats.json_format import parse_json, print_json


def test_fields_go_by_their_names():
    text = json.dumps(
        {
            "name": "net",
            "pools": [{"name": "ram", "capacity": 64, "alignment": 16, "reserved": [[0, 16]]}],
            "buffers": [
                {"name": "a", "size": 10, "lifetime": [[0, 2]], "candidates": ["ram"]},
                {"name": "w", "size": 4, "candidates": ["ram"], "kind": "constant"},
            ],
            "conflicts": [["a", "w"]],
            "steps": ["conv", "add"],
        }
    )
    problem = parse_json(text, "t")
    assert problem.pools == (Pool("ram", 64, 16, (ByteRange(0, 16),)),)
    assert problem.buffers == (
        Buffer("a", 10, live(0, 2), ("ram",)),
        Buffer("w", 4, candidates=("ram",), kind=Kind.CONSTANT),
    )
    assert (problem.name, problem.conflicts, problem.steps) == (
        "net",
        (("a", "w"),),
        ("conv", "add"),
    )


def test_usmp_dumps_ask_for_the_smallest_unlimited_pool():
    text = json.dumps(
        {
            "pools": [{"name": "fast", "size_limit": 8}, {"name": "slow", "size_limit": None}],
            "buffers": [
                {"id": "a", "size": 8, "align": 4, "pool_candidates": ["fast", "slow"]},
                {"id": "b", "size": 6, "align": 4, "pool_candidates": ["fast", "slow"]},
            ],
            "conflicts_directed": {"a": ["b"], "b": []},
        }
    )
    problem = parse_json(text, "t")
    assert problem.conflicts == (("a", "b"),)
    found = plan(problem)
    assert (found.peak("fast"), found.peak("slow")) == (8, 6)


def test_a_plan_holds_placements_and_certificates():
    problem = parse_json(
        '{"pools": [{"name": "m"}], "buffers": [{"id": "a", "size": 3, "lower": 0, "upper": 1, '
        '"candidates": ["m"]}]}',
        "t",
    )
    assert json.loads(print_json(plan(problem, "first-fit"))) == {
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


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not JSON: "),
        ("[]", "needs an object with 'pools' and 'buffers'"),
        ('{"pools": [], "buffers": 3}', "'buffers' must be a list of objects"),
        ('{"pools": [{"name": "m", "sise": 1}], "buffers": []}', "'m': unknown field 'sise'"),
        (
            '{"pools": [], "buffers": [{"name": "a", "size": "1"}]}',
            "'a': 'size' must be an integer",
        ),
        (
            '{"pools": [], "buffers": [{"name": "a", "size": 1, "lifetime": [3]}]}',
            "'a': 'lifetime' is wrong: ",
        ),
        (
            '{"pools": [], "buffers": [], "conflicts": ["abc"]}',
            "a conflict is a pair of names, not 'abc'",
        ),
    ],
)
def test_a_wrong_file_is_refused(text: str, message: str):
    with pytest.raises(FormatError) as refusal:
        parse_json(text, "t")
    assert str(refusal.value).startswith(message)
