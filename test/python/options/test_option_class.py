"""Classes of options: what a declaration must say, and what the constructor checks."""

from __future__ import annotations

from typing import Literal

import pytest

from forebay.options.option_class import Flag, option_class, option_field, options_in, signature_of
from forebay.support.option_kinds import OptionError


def _doubled(given: str | int) -> int:
    return 2 * int(given)


@option_class
class Example:
    """Three options."""

    size: int = option_field(default=4, least=1, help="a size")
    mode: Literal["fast", "small"] = option_field(default="fast", help="a mode")
    twice: int = option_field(default="1", converter=_doubled, flag=None, help="a half")


def test_values_are_converted_and_checked() -> None:
    made = Example(size=2, twice="3")
    assert (made.size, made.mode, made.twice) == (2, "fast", 6)
    with pytest.raises(OptionError, match="size is a number of 1 or more, not 0"):
        Example(size=0)
    with pytest.raises(OptionError, match="mode is 'fast' or 'small', not 'slow'"):
        Example(mode="slow")  # pyright: ignore[reportArgumentType]


def test_options_are_described_in_order() -> None:
    size, mode, twice = options_in(Example)
    assert (size.name, size.help, size.default, size.flag) == ("size", "a size", 4, Flag())
    assert mode.choices == ("fast", "small")
    assert twice.flag is None


def test_a_signature_has_the_types_that_callers_give() -> None:
    parameters = signature_of(Example).parameters
    assert str(parameters["twice"]) == "twice: 'str | int' = '1'"
    assert str(parameters["size"]) == "size: 'int' = 4"


def test_a_type_without_a_converter_must_be_known() -> None:
    @option_class
    class Unknown:
        where: float = option_field(default=0.5, help="a place")

    with pytest.raises(TypeError, match="is no type of an option"):
        Unknown()
