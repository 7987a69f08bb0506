"""Claims about names in messages."""

from __future__ import annotations

from forebay.support.listed import first_repeated, listed


def test_the_first_three_names_are_shown():
    assert listed(["a"]) == "'a'"
    assert listed(["a", "b", "c"]) == "'a', 'b', 'c'"
    assert listed(["a", "b", "c", "d", "e"]) == "'a', 'b', 'c' and 2 more in the same loop"


def test_the_first_name_that_repeats():
    assert first_repeated([]) is None
    assert first_repeated(iter(["a", "b", "c"])) is None
    assert first_repeated(["a", "b", "c", "c", "b"]) == "c"
