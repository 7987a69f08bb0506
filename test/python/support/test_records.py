"""A record behaves like a frozen dataclass."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, InitVar, dataclass, field, fields, replace

import pytest

from forebay.support.records import keyword_record, record


@record
class Pair:
    """Two numbers, a note that does not count, and a list."""

    one: int
    other: int = 2
    note: str = field(default="", compare=False, repr=False)
    more: tuple[int, ...] = field(default_factory=tuple)
    scale: InitVar[int] = 1

    def __post_init__(self, scale: int) -> None:
        """Scale the first number."""
        object.__setattr__(self, "one", self.one * scale)


@record
class Empty:
    """No field."""


@keyword_record
class Triple(Pair):
    """One number more."""

    third: int


@record
class Named:
    """A record with a text of its own."""

    name: str

    def __repr__(self) -> str:
        """Return the name."""
        return self.name


def test_fields_make_records_equal() -> None:
    assert Pair(1) == Pair(1, 2, note="x")
    assert Pair(1) != Pair(2)
    assert {Pair(1), Pair(1, note="x"), Pair(1, more=(3,))} == {Pair(1), Pair(1, more=(3,))}
    assert Pair(1) != (1, 2, ())
    assert Empty() == Empty()
    assert hash(Empty()) == hash(Empty())


def test_classes_make_records_different() -> None:
    assert Triple(one=1, third=3) != Pair(1)
    assert Triple(one=1, third=3) == Triple(one=1, third=3)
    assert Triple(one=1, third=3) != Triple(one=1, third=4)


def test_the_text_is_that_of_a_dataclass() -> None:
    assert repr(Pair(1, scale=5)) == "Pair(one=5, other=2, more=())"
    assert repr(Triple(one=1, third=3)) == "Triple(one=1, other=2, more=(), third=3)"
    assert repr(Empty()) == "Empty()"
    assert repr(Named("n")) == "n"


def test_records_are_frozen_dataclasses() -> None:
    with pytest.raises(FrozenInstanceError):
        Pair(1).one = 2  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(TypeError, match=r"Pair\.__init__\(\) missing 1 required positional"):
        Pair()  # pyright: ignore[reportCallIssue]
    assert replace(Named("a"), name="b") == Named("b")
    assert [item.name for item in fields(Triple)] == ["one", "other", "note", "more", "third"]

    @dataclass(frozen=True)
    class Own(Named):
        size: int = 1

    assert Own("a", 2) == Own("a", 2) != Own("a", 3)
