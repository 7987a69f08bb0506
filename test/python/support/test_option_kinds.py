from typing import Literal

import pytest

from forebay.support.option_kinds import Choice, Number, OptionError, Switch, kind_of


def test_kinds_follow_from_types() -> None:
    assert kind_of(bool) == Switch()
    assert kind_of(int, least=1) == Number(1)
    assert kind_of(Literal["caller", "pool"]) == Choice(("caller", "pool"))
    with pytest.raises(TypeError):
        kind_of(float)


@pytest.mark.parametrize(
    ("hint", "text", "value"),
    [
        (bool, "TRUE", True),
        (bool, "0", False),
        (int, "-12", -12),
        (Literal["a", "b"], "a", "a"),
    ],
)
def test_texts_are_read(hint: object, text: str, value: object) -> None:
    kind = kind_of(hint)
    assert kind.parse(text) == value
    assert kind.checked("--x", kind.parse(text)) == value


@pytest.mark.parametrize(
    ("hint", "text", "allowed"),
    [
        (bool, "yes", "true or false"),
        (int, "1.5", "a number of 1 or more"),
        (int, "0", "a number of 1 or more"),
        (int, "\u0663", "a number of 1 or more"),  # a digit, but not of ASCII
        (Literal["a", "b", "c"], "d", "'a', 'b' or 'c'"),
    ],
)
def test_other_texts_are_refused_with_what_is_allowed(
    hint: object, text: str, allowed: str
) -> None:
    kind = kind_of(hint, least=1)
    with pytest.raises(OptionError, match=f"^--x is {allowed}, not "):
        kind.checked("--x", kind.parse(text))


def test_a_truth_is_no_number() -> None:
    assert not Number().accepts(True)
    assert not Switch().accepts(1)
