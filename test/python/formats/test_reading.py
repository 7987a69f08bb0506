from typing import Annotated, ClassVar, Literal

import pytest
from msgspec import Meta

from forebay.formats.reading import DocumentError, read_document
from forebay.formats.record import Count, Document, Record


class Shelf(Record, frozen=True):
    name: str
    books: Annotated[dict[str, Count] | None, Meta(description="Pages by title.")] = None
    width: float | None = None


class Library(Document, frozen=True):
    document: ClassVar[str] = "library"
    title: ClassVar[str] = "Library"

    version: Literal[3]
    shelves: tuple[Shelf, ...] = ()


def mistake(text: str) -> str:
    with pytest.raises(DocumentError) as error:
        read_document(text, Library)
    return str(error.value).removesuffix("; `forebay schema library` prints the format")


def test_a_document_becomes_its_type():
    text = '{"version": 3, "shelves": [{"name": "a", "books": {"b": 9223372036854775808}}]}'
    assert read_document(text, Library) == Library(3, (Shelf("a", {"b": 2**63}),))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not JSON: line 1, column 1: Expecting value"),
        ('{"version": 3,\n "shelves": [\n', "not JSON: line 3, column 1: Expecting value"),
        (
            '{"version": 3,\n "é": NaN}',
            "not JSON: line 2, column 7: invalid character",
        ),
        ('{"version": "\\ud800"}', "not JSON: an escape \\ud800 to \\udfff is not half of a pair"),
        ("[" * 100_000, "lists and objects are nested too deeply"),
        (
            '{"version": ' + "1" * 5000 + "}",
            "a number has more than 4,300 digits or exceeds 1.8e308",
        ),
        ('{"version": 1e400}', "a number has more than 4,300 digits or exceeds 1.8e308"),
    ],
)
def test_what_is_not_json_is_refused_with_its_position(text: str, message: str):
    assert mistake(text).startswith(message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("3", "the document must be an object, not 3"),
        ("{}", "the document needs 'version'"),
        ('{"version": 2}', "$.version must be one of 3, not 2"),
        (
            '{"version": 3, "shelfs": 1}',
            "the document has the unknown field 'shelfs'; known: version, shelves",
        ),
        ('{"version": 3, "shelves": [{"name": "a"}, {}]}', "$.shelves[1] needs 'name'"),
        (
            '{"version": 3, "shelves": [{"name": "a", "width": "' + "x" * 80 + '"}]}',
            "$.shelves[0].width ('a') must be a number or null, not \"" + "x" * 56 + "...",
        ),
        (
            '{"version": 3, "shelves": [{"name": "a", "books": {"b": -1}}]}',
            "$.shelves[0].books[...] ('a') must be an integer >= 0",
        ),
    ],
)
def test_a_wrong_value_is_refused_with_its_path(text: str, message: str):
    assert mistake(text) == message
