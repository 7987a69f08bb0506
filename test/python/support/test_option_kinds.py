"""Types of options: the values that each allows, and how it reads them."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Any, Literal

import pytest

from forebay.support.option_kinds import OptionError, Size, kind_of
from forebay.support.option_text import with_options


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


PAIRS = tuple[tuple[str, tuple[str, ...]], ...]


@pytest.mark.parametrize(
    ("hint", "texts", "value"),
    [
        (bool, ["true"], True),
        (bool, ["0"], False),
        (bool, ["TRUE"], True),
        (int, ["-12"], -12),
        (str, ["x=1"], "x=1"),
        (Size, ["64K"], 65536),
        (Size, ["0x10"], 16),
        (Path | None, ["a/b"], Path("a/b")),
        (Path | None, [""], None),
        (Literal["a", "b"], ["b"], "b"),
        (Colour, ["red"], Colour.RED),
        (tuple[str, ...], ["x", "y"], ("x", "y")),
        (tuple[int, ...], [], ()),
        (tuple[Colour, ...], ["blue", "red"], (Colour.BLUE, Colour.RED)),
        (tuple[tuple[str, str], ...], ["a=b=c"], (("a=b", "c"),)),
        (PAIRS, ["a=p", "b=p+q"], (("a", ("p",)), ("b", ("p", "q")))),
    ],
)
def test_texts_are_read(hint: Any, texts: list[str], value: object) -> None:
    kind = kind_of(hint)
    assert kind.checked("it", kind.read(texts)) == value


@pytest.mark.parametrize(
    ("hint", "text", "message"),
    [
        (bool, "yes", "it is true or false, not 'yes'"),
        (int, "1.5", "it is a number, not '1.5'"),
        (int, "1_000", "it is a number, not '1_000'"),
        (int, "\u0663", "it is a number, not '\u0663'"),  # a digit, but not of ASCII
        (Size, "-1", "it is a number of bytes: 65536, 0x10000, 64K or 64KiB, not '-1'"),
        (Literal["a", "b", "c"], "d", "it is 'a', 'b' or 'c', not 'd'"),
        (Colour, "green", "it is 'red' or 'blue', not 'green'"),
        (tuple[int, ...], "x", "a value of it is a number, not 'x'"),
        (tuple[tuple[str, str], ...], "=x", "a value of it is NAME=VALUE, not '=x'"),
        (PAIRS, "a=p+", r"a value of it is NAME=VALUE or NAME=VALUE\+VALUE, not 'a=p\+'"),
    ],
)
def test_wrong_texts_are_refused(hint: Any, text: str, message: str) -> None:
    kind = kind_of(hint)
    with pytest.raises(OptionError, match=f"^{message}$"):
        kind.checked("it", kind.read([text]))


def test_a_number_may_have_a_least_value() -> None:
    kind = kind_of(int, least=2)
    assert kind.checked("it", 2) == 2
    with pytest.raises(OptionError, match="it is a number of 2 or more, not 1"):
        kind.checked("it", 1)


@pytest.mark.parametrize(
    ("hint", "value"),
    [
        (bool, 1),
        (int, True),
        (str, 3),
        (Size, -1),
        (Path | None, "a"),
        (Literal["a"], None),
        (Colour, "red"),
        (tuple[str, ...], ["x"]),
        (tuple[str, ...], "x"),
        (PAIRS, (("a", "p"),)),
        (PAIRS, (("a", ()),)),
    ],
)
def test_values_of_other_types_are_refused(hint: Any, value: object) -> None:
    with pytest.raises(OptionError):
        kind_of(hint).checked("it", value)


@pytest.mark.parametrize("hint", [float, dict[str, str], tuple[int, int], list[str], None])
def test_other_types_are_no_options(hint: object) -> None:
    with pytest.raises(TypeError, match="is no type of an option: bool, int, str, Size"):
        kind_of(hint)


def test_values_are_spelled_as_they_are_read() -> None:
    values = {
        "b": True,
        "i": -3,
        "e": Colour.RED,
        "n": None,
        "p": Path("a b"),
        "l": ("x", "y,z"),
        "m": (("a", ("p", "q")), ("b", ("p",))),
        "o": (("a", "b"),),
    }
    assert with_options("pass", values) == (
        "pass{b=true i=-3 e=red n='' p='a b' l={x,'y,z'} m=a=p+q,b=p o=a=b}"
    )
