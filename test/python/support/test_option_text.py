import pytest
from mlir import ir
from mlir.passmanager import PassManager

from forebay.errors import Error
from forebay.support.option_text import can_be_quoted, quoted, with_options


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({}, "p"),
        ({"on": True, "n": 3}, "p{on=true n=3}"),
        ({"path": "a/b.tflite"}, "p{path=a/b.tflite}"),
        ({"path": "a b"}, "p{path='a b'}"),
        ({"path": "it's"}, 'p{path="it\'s"}'),
        ({"path": ""}, "p{path=''}"),
        ({"list": ["a", "b"]}, "p{list=a,b}"),
        ({"list": ["a b", "c"]}, "p{list={'a b',c}}"),
        ({"list": []}, "p{list=''}"),
        ({"one": "a,b"}, "p{one=a,b}"),
    ],
)
def test_options_are_written_for_the_parser_of_pipelines(options: dict, text: str) -> None:
    assert with_options("p", options) == text


def test_a_list_s_element_with_a_comma_is_quoted() -> None:
    assert quoted("a,b") == "'a,b'"


@pytest.mark.parametrize("text", ["'\"", "{", "}{", "a\nb", "\udc80"])
def test_what_no_quotes_can_hold_is_refused(text: str) -> None:
    assert not can_be_quoted(text)
    with pytest.raises(Error, match="cannot be the option of a pass"):
        with_options("p", {"path": text})


@pytest.mark.parametrize("value", ["plain", "two words", "it's", "{braces}", "comma, too"])
def test_upstream_s_parser_reads_them(value: str) -> None:
    with ir.Context():
        text = with_options("canonicalize", {"disable-patterns": [value]})
        PassManager.parse(f"builtin.module({text})")
