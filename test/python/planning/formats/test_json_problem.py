import json

import pytest

from forebay.planning import (
    Buffer,
    ByteRange,
    FormatError,
    Interval,
    Kind,
    Pool,
    Problem,
    Separation,
    live,
)
from forebay.planning.formats.json_problem import parse_json_problem, print_json_problem

FULL = Problem(
    (
        Pool(
            "fast",
            capacity=128,
            alignment=16,
            reserved=(ByteRange(64, 80),),
            start=32,
            base=64,
            unit=16,
            cost=3,
            weight=0,
            banks=4,
        ),
        Pool("slow"),
    ),
    (
        Buffer("a", 8, live(0, 2), ("fast", "slow"), 64, costs=(1, 7), origin="net:3"),
        Buffer("b", 2**62, (Interval(0, 1), Interval(2, 3)), ("slow",), alias="tied"),
        Buffer("c", 8, (), (), kind=Kind.STATE, pinned_pool="slow", pinned_by=("x", "y")),
        Buffer("d", 8, live(0, 1), ("fast",), pinned_offset=32),
    ),
    conflicts=(("a", "b"),),
    steps=("conv", "add"),
    name="full",
    separations=(Separation("a", "b", 3), Separation("b", "c", 0, 5)),
)


def test_what_is_written_reads_the_same():
    assert parse_json_problem(print_json_problem(FULL), "other") == FULL


def test_defaults_are_left_out():
    problem = Problem((Pool("ram"),), (Buffer("a", 8, live(0, 1), ("ram",)),), name="p")
    assert json.loads(print_json_problem(problem)) == {
        "name": "p",
        "pools": [{"name": "ram"}],
        "buffers": [{"name": "a", "size": 8, "lifetime": [[0, 1]], "candidates": ["ram"]}],
    }


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
    problem = parse_json_problem(text, "t")
    assert problem.pools == (Pool("ram", capacity=64, alignment=16, reserved=(ByteRange(0, 16),)),)
    assert problem.buffers == (
        Buffer("a", 10, live(0, 2), ("ram",)),
        Buffer("w", 4, candidates=("ram",), kind=Kind.CONSTANT),
    )
    assert (problem.name, problem.conflicts, problem.steps) == (
        "net",
        (("a", "w"),),
        ("conv", "add"),
    )


POOL = '{"pools": [{"name": "m", %s}], "buffers": []}'
BUFFER = '{"pools": [], "buffers": [{"name": "a", %s}]}'
REST = '{"pools": [], "buffers": [], %s}'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not JSON: line 1, column 2: "),
        ("[]", "the document must be an object, not []; `forebay schema planning-problem` prints"),
        ('{"pools": []}', "the document needs 'buffers'"),
        ('{"pools": [], "buffers": 3}', "$.buffers must be a list, not 3"),
        (POOL % '"sise": 1', "$.pools[0] ('m') has the unknown field 'sise'; known: name, cap"),
        (POOL % '"alignment": null', "$.pools[0].alignment ('m') must be an integer, not null"),
        (POOL % '"reserved": [[1]]', "$.pools[0].reserved[0] ('m') must be a list of length 2"),
        (POOL % '"capacity": true', "$.pools[0].capacity ('m') must be an integer or null, not t"),
        (POOL % '"capacity": -1', "$.pools[0].capacity ('m') must be an integer >= 0, not -1"),
        (BUFFER % '"size": "1"', "$.buffers[0].size ('a') must be an integer, not \"1\""),
        (BUFFER % '"kind": "state"', "$.buffers[0] ('a') needs 'size'"),
        (
            BUFFER % '"size": 1, "kind": "weights"',
            '$.buffers[0].kind (\'a\') must be one of "constant", "input", "output", '
            '"state", "workspace", not "weights"',
        ),
        (BUFFER % '"size": 1, "kind": []', "$.buffers[0].kind ('a') must be a string, not []"),
        (BUFFER % '"size": 1, "lifetime": [3]', "$.buffers[0].lifetime[0] ('a') must be a list"),
        (
            BUFFER % '"size": 1, "lifetime": [[0.5, 1]]',
            "$.buffers[0].lifetime[0][0] ('a') must be an integer, not 0.5",
        ),
        (BUFFER % '"size": 1, "candidates": "r"', "$.buffers[0].candidates ('a') must be a list"),
        (BUFFER % '"size": 1, "candidates": [1]', "$.buffers[0].candidates[0] ('a') must be a st"),
        (BUFFER % '"size": 1, "costs": ["x"]', "$.buffers[0].costs[0] ('a') must be an integer"),
        (BUFFER % '"size": 1, "alias": 5', "$.buffers[0].alias ('a') must be a string or null"),
        ('{"pools": [{}], "buffers": []}', "$.pools[0] needs 'name'"),
        (REST % '"conflicts": ["abc"]', '$.conflicts[0] must be a list, not "abc"'),
        (REST % '"conflicts": [["a", 7]]', "$.conflicts[0][1] must be a string, not 7"),
        (REST % '"conflicts": 7', "$.conflicts must be a list, not 7"),
        (REST % '"separations": 3', "$.separations must be a list, not 3"),
        (REST % '"separations": [{"first": "a"}]', "$.separations[0] needs 'second'"),
        (REST % '"steps": 3', "$.steps must be a list, not 3"),
    ],
)
def test_a_wrong_file_is_refused(text: str, message: str):
    with pytest.raises(FormatError) as refusal:
        parse_json_problem(text, "t")
    assert str(refusal.value).startswith(message)


def test_fields_of_the_whole_document_that_are_not_known_are_ignored():
    text = REST % '"license": "none"'
    assert parse_json_problem(text, "t") == Problem((), (), name="t")
