"""A property that is computed once."""

from __future__ import annotations

from forebay.support.lazy import lazy


class Square:
    """Counts how often its area is computed."""

    def __init__(self, side: int) -> None:
        self.side = side
        self.computed = 0

    @lazy
    def area(self) -> int:
        """The area."""
        self.computed += 1
        return self.side * self.side


def test_a_value_is_computed_at_the_first_use_only() -> None:
    square, other = Square(3), Square(5)
    assert square.computed == 0
    assert (square.area, square.area, other.area) == (9, 9, 25)
    assert (square.computed, other.computed) == (1, 1)


def test_the_class_shows_the_property_and_its_documentation() -> None:
    assert isinstance(Square.area, lazy)
    assert Square.area.__doc__ == "The area."
