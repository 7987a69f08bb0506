import pytest

from forebay.planning import FormatError, plan
from forebay.planning.formats.csv_format import parse_csv, print_csv

TEXT = "id,lower,upper,size,alignment,offset\na,0,2,10,16,\nb,1,3,20,,32\n"


def test_columns_become_fields_and_an_offset_is_a_pin():
    a, b = parse_csv(TEXT, "t").buffers
    assert (a.name, a.lifetime, a.size, a.alignment, a.pinned_offset) == (
        "a",
        ((0, 2),),
        10,
        16,
        None,
    )
    assert (b.size, b.alignment, b.pinned_offset) == (20, None, 32)


def test_a_plan_has_the_rows_of_the_problem_with_all_offsets():
    found = plan(parse_csv(TEXT, "t"), "first-fit")
    assert print_csv(found) == (
        "id,lower,upper,size,alignment,offset\na,0,2,10,16,0\nb,1,3,20,1,32\n"
    )


def test_start_and_end_are_other_names():
    assert parse_csv("buffer,start,end,size\na,0,2,10\n", "t").buffers[0].lifetime == ((0, 2),)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ("id,lower,upper\n", "line 1: needs one column 'size', has id, lower, upper"),
        ("id,lower,upper,size,gaps\n", "line 1: unknown column 'gaps'"),
        ("id,lower,upper,size\na,0,2\n", "line 2: has 3 fields, the header has 4"),
        ("id,lower,upper,size\na,0,2,ten\n", "line 2: size 'ten' is no integer"),
        ("id,lower,upper,size\na,0,,10\n", "line 2: lower, upper and size must be given"),
    ],
)
def test_a_wrong_file_is_refused_at_its_line(text: str, message: str):
    with pytest.raises(FormatError) as refusal:
        parse_csv(text, "t")
    assert str(refusal.value).startswith(message)
