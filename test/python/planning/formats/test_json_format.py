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


POOL = '{"pools": [{"name": "m", %s}], "buffers": []}'
BUFFER = '{"pools": [], "buffers": [{"name": "a", %s}]}'
REST = '{"pools": [], "buffers": [], %s}'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not JSON: "),
        ("[]", "needs an object with 'pools' and 'buffers'"),
        ('{"pools": [], "buffers": 3}', "'buffers' must be a list of objects"),
        (POOL % '"sise": 1', "'m': unknown field 'sise'; known: name, capacity, alignment, "),
        (POOL % '"alignment": null', "'m': 'alignment' must be an integer, not None"),
        (POOL % '"reserved": [[1]]', "'m': 'reserved' must be a list of [start, end], not [[1]]"),
        (POOL % '"capacity": true', "'m': 'capacity' must be an integer, not True"),
        (BUFFER % '"size": "1"', "'a': 'size' must be an integer, not '1'"),
        (BUFFER % '"kind": "weights"', "'a': needs 'size'"),
        (
            BUFFER % '"size": 1, "kind": "weights"',
            "'a': 'kind' must be one of workspace, constant, state, input, output, not 'weights'",
        ),
        (BUFFER % '"size": 1, "kind": []', "'a': 'kind' must be one of workspace, "),
        (BUFFER % '"size": 1, "lifetime": [3]', "'a': 'lifetime' must be a list of integers, not"),
        (
            BUFFER % '"size": 1, "lifetime": [[0.5, 1]]',
            "'a': 'lifetime' must be an integer, not [[0.5, 1]]",
        ),
        (BUFFER % '"size": 1, "candidates": "ram"', "'a': 'candidates' must be a list of text, "),
        (BUFFER % '"size": 1, "candidates": [[1]]', "'a': 'candidates' must be text, not [[1]]"),
        (BUFFER % '"size": 1, "costs": ["x"]', "'a': 'costs' must be an integer, not ['x']"),
        (BUFFER % '"size": 1, "alias": 5', "'a': 'alias' must be text, not 5"),
        ('{"pools": [{}], "buffers": []}', "'a pool': needs 'name'"),
        (REST % '"conflicts": ["abc"]', "a conflict is a pair of names, not 'abc'"),
        (REST % '"conflicts": [["a", 7]]', "a conflict is a pair of names, not ['a', 7]"),
        (REST % '"conflicts": 7', "'conflicts' must be a list of pairs of names"),
        (REST % '"conflicts_directed": [1]', "'conflicts_directed' must be an object of lists of"),
        (REST % '"conflicts_directed": {"a": 1}', "'conflicts_directed' must be an object of"),
        (REST % '"separations": 3', "'separations' must be a list of objects"),
        (REST % '"separations": [{"first": "a"}]', "'a': needs 'second'"),
        (REST % '"steps": 3', "'steps' must be a list of names"),
    ],
)
def test_a_wrong_file_is_refused(text: str, message: str):
    with pytest.raises(FormatError) as refusal:
        parse_json(text, "t")
    assert str(refusal.value).startswith(message)
