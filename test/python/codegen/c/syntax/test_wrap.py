import pytest

from forebay.codegen.c.syntax.wrap import wrap_line


def test_a_line_that_fits_stays() -> None:
    assert wrap_line("    x = 1;", 10) == ["    x = 1;"]


def test_it_is_broken_at_the_lowest_depth_as_far_right_as_fits() -> None:
    line = "    y = first(alpha, beta) + second(gamma, delta);"
    assert wrap_line(line, 40) == [
        "    y = first(alpha, beta) +",
        "            second(gamma, delta);",
    ]


def test_it_is_broken_as_often_as_needed() -> None:
    line = "call(" + ", ".join(["argument"] * 9) + ");"
    pieces = wrap_line(line, 40)
    assert all(len(piece) <= 40 for piece in pieces)
    assert " ".join(piece.strip() for piece in pieces) == line
    assert all(piece.startswith(" " * 8) for piece in pieces[1:])


def test_a_name_that_does_not_fit_does_not_keep_the_rest_in_one_line() -> None:
    assert wrap_line("void a_function_with_a_long_name(int first, int second)", 30) == [
        "void a_function_with_a_long_name(int first,",
        "        int second)",
    ]


@pytest.mark.parametrize(
    "line", ['puts("a string, with commas, that is longer than the width");', "x" * 60]
)
def test_what_cannot_be_broken_stays_whole(line: str) -> None:
    assert wrap_line(line, 30) == [line]


def test_text_behind_an_escaped_quote_is_still_text() -> None:
    line = r'print("\", \", \", \", \", \"", value);'
    assert wrap_line(line, 33) == [r'print("\", \", \", \", \", \"",', "        value);"]
