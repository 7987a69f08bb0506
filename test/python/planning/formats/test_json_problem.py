import json

from forebay.planning import Buffer, ByteRange, Interval, Kind, Pool, Problem, Separation, live
from forebay.planning.formats.json_format import parse_json
from forebay.planning.formats.json_problem import print_json_problem

FULL = Problem(
    (Pool("fast", 128, 16, (ByteRange(64, 80),), 32, 64, 16, 3, 0, 4), Pool("slow")),
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
    assert parse_json(print_json_problem(FULL), "other") == FULL


def test_defaults_are_left_out():
    problem = Problem((Pool("ram"),), (Buffer("a", 8, live(0, 1), ("ram",)),), name="p")
    assert json.loads(print_json_problem(problem)) == {
        "name": "p",
        "pools": [{"name": "ram"}],
        "buffers": [{"name": "a", "size": 8, "lifetime": [[0, 1]], "candidates": ["ram"]}],
    }
