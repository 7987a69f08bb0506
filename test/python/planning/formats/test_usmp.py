import json

import pytest

from forebay.planning import FormatError, plan
from forebay.planning.formats.json_problem import parse_json_problem


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
    problem = parse_json_problem(text, "t")
    assert problem.conflicts == (("a", "b"),)
    found = plan(problem)
    assert (found.peak("fast"), found.peak("slow")) == (8, 6)


REST = '{"pools": [], "buffers": [], %s}'
BUFFER = '{"pools": [], "buffers": [{"id": "a", "size": 1, %s}]}'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (REST % '"conflicts_directed": [1]', "$.conflicts_directed must be an object of lists of"),
        (REST % '"conflicts_directed": {"a": 1}', "$.conflicts_directed must be an object of"),
        (BUFFER % '"align": "4"', "$.buffers[0].alignment ('a') must be an integer or null, not"),
        (BUFFER % '"lower": 0.5, "upper": 1', "$.buffers[0].lifetime[0][0] ('a') must be an int"),
        (BUFFER % '"lower": 1', "$.buffers[0] ('a') has the unknown field 'lower'; known: name, "),
    ],
)
def test_a_wrong_dump_is_refused(text: str, message: str):
    with pytest.raises(FormatError) as refusal:
        parse_json_problem(text, "t")
    assert str(refusal.value).startswith(message)
