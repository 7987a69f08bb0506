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
from forebay.planning.formats.csv_format import parse_csv
from forebay.planning.formats.csv_problem import print_csv_problem

RAM = Pool("ram", capacity=64, alignment=16)
A = Buffer("a", 8, live(0, 2), ("ram",))
B = Buffer("b", 9, live(1, 3), ("ram",), 4, pinned_offset=32)
W = Buffer("w", 5, candidates=("rom",), kind=Kind.CONSTANT)


def test_the_rows_are_the_buffers_that_share_a_pool():
    problem = Problem((RAM, Pool("rom")), (A, W, B))
    text = "id,lower,upper,size,alignment,offset\na,0,2,8,16,\nb,1,3,9,4,32\n"
    assert print_csv_problem(problem) == text
    assert [b.name for b in parse_csv(text, "t").buffers] == ["a", "b"]


@pytest.mark.parametrize(
    ("problem", "message"),
    [
        (
            Problem((RAM, Pool("rom")), (A, Buffer("c", 8, live(0, 1), ("rom",)))),
            "a .csv has one pool in which bytes are shared, not 'ram', 'rom'; write .json or .mlir",
        ),
        (Problem((RAM,), ()), "a .csv has one pool in which bytes are shared, not none;"),
        (Problem((RAM,), (A, B), (("a", "b"),)), "a .csv has no pairs of buffers;"),
        (
            Problem((RAM,), (A, B), separations=(Separation("a", "b", 1),)),
            "a .csv has no pairs of buffers;",
        ),
        (
            Problem((Pool("ram", reserved=(ByteRange(0, 8),)),), (A,)),
            "a .csv has plain bytes from 0, unlike pool 'ram';",
        ),
        (
            Problem((RAM,), (Buffer("a", 8, (Interval(0, 1), Interval(3, 4)), ("ram",)),)),
            "a .csv has one life per buffer, no aliases and no blocks, unlike 'a';",
        ),
        (
            Problem((RAM,), (A, Buffer("k", 8, candidates=("ram",), kind=Kind.STATE))),
            "a .csv has one life per buffer, no aliases and no blocks, unlike 'k';",
        ),
    ],
)
def test_what_it_cannot_hold_is_refused(problem: Problem, message: str):
    with pytest.raises(FormatError) as refusal:
        print_csv_problem(problem)
    assert str(refusal.value).startswith(message)
