import numpy as np
import pytest

from forebay.codegen.c.syntax.text import (
    array_bounds,
    comment_text,
    initialiser,
    numbers,
    round_up,
    string_literal,
)


def test_a_comment_cannot_be_ended_or_broken_by_its_text() -> None:
    assert comment_text("a */ b /* c\nd\x00e") == "a * / b / * c d e"


@pytest.mark.parametrize(
    ("text", "literal"),
    [
        ("plain", '"plain"'),
        ('say "hi" \\ there', r'"say \"hi\" \\ there"'),
        ("what??/", r'"what\077\077/"'),  # no trigraph
        ("\n1", r'"\0121"'),
        ("é", r'"\303\251"'),
    ],
)
def test_a_string_is_ascii_with_octal_escapes(text: str, literal: str) -> None:
    assert string_literal(text) == literal


@pytest.mark.parametrize(
    ("dtype", "values", "texts"),
    [
        ("int8", [-128, 127], ["-128", "127"]),
        ("int32", [-(2**31), 2**31 - 1], ["INT32_MIN", "2147483647"]),
        ("uint32", [2**32 - 1], ["4294967295u"]),
        ("int64", [-(2**63), -1], ["INT64_MIN", "INT64_C(-1)"]),
        ("uint64", [2**64 - 1], ["UINT64_C(18446744073709551615)"]),
        ("bool", [True, False], ["1", "0"]),
        ("float32", [0.5, -1.0], ["0.5f", "-1.0f"]),
        ("float64", [0.5], ["0.5"]),
    ],
)
def test_elements_are_literals_of_their_type(dtype: str, values: list, texts: list[str]) -> None:
    assert list(numbers(np.array(values, dtype))) == texts


def test_an_initialiser_has_lines_of_16_bytes_or_6_numbers() -> None:
    lines = initialiser(np.zeros((3, 7), np.int8), "  ").split("\n")
    assert [line.count("0") for line in lines] == [16, 5]
    assert lines[0] == "  " + ", ".join("0" * 16) + ","
    lines = initialiser(np.zeros(8, np.int32), "").split("\n")
    assert [line.count("0") for line in lines] == [6, 2]


@pytest.mark.parametrize("dtype", ["int8", "uint8"])
def test_an_initialiser_has_every_byte_in_row_major_order(dtype: str) -> None:
    values = np.arange(256, dtype=np.uint8).view(dtype)
    text = initialiser(values.reshape(2, 128).T.copy().T, "")
    assert [int(word) for word in text.replace(",", " ").split()] == values.tolist()


@pytest.mark.parametrize("count", [0, 1, 16, 65536, 65537, 140000])
def test_an_initialiser_of_many_bytes_has_lines_of_16(count: int) -> None:
    values = np.random.default_rng(count).integers(-128, 128, count, dtype=np.int8)
    rows = [", ".join(map(str, values[i : i + 16])) for i in range(0, count, 16)]
    assert initialiser(values, "  ") == ",\n".join(f"  {row}" for row in rows)


def test_small_pieces() -> None:
    assert array_bounds((1, 32, 3)) == "[1][32][3]"
    assert array_bounds(()) == ""
    assert [round_up(n, 16) for n in (0, 1, 16, 17)] == [0, 16, 16, 32]
