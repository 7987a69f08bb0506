"""Fields of words: values that fit come back, others are refused with the field's name."""

from dataclasses import dataclass, field
from enum import IntEnum
from typing import Annotated

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forebay.isa.bits import BitFields, Bits, float32_of, pack_fields, unpack_fields
from forebay.isa.faults import DecodingError, EncodingError


class Colour(IntEnum):
    RED = 0
    BLUE = 2


@dataclass(frozen=True)
class Inner(BitFields):
    low: Annotated[int, Bits(1, 0)]
    high: Annotated[bool, Bits(3, 3)] = False


@dataclass(frozen=True)
class Sample(BitFields):
    number: Annotated[int, Bits(7, 4)]
    signed: Annotated[int, Bits(15, 8, signed=True)] = 0
    colour: Annotated[Colour, Bits(1, 0, 1)] = Colour.RED
    inner: Annotated[Inner, Bits(11, 8, 1)] = Inner(0)
    scale: Annotated[float, Bits(63, 32, 1)] = 0.0
    kind: Annotated[int, Bits(3, 0)] = field(default=5, init=False)


def test_each_field_is_in_its_bits() -> None:
    sample = Sample(9, -2, Colour.BLUE, Inner(3, True), -1.5)
    assert pack_fields(sample) == {0: 0xFE95, 1: 0xBFC00000_00000B02}


@given(
    st.integers(0, 15),
    st.integers(-128, 127),
    st.sampled_from(Colour),
    st.builds(Inner, st.integers(0, 3), st.booleans()),
    st.floats(width=32, allow_nan=False, allow_infinity=False),
)
def test_words_decode_to_what_was_encoded(number, signed, colour, inner, scale) -> None:
    sample = Sample(number, signed, colour, inner, scale)
    words = pack_fields(sample)
    assert unpack_fields(Sample, (words[0], words[1])) == sample


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ((16,), "Sample: number is 16; bits [7:4] hold 0 to 15"),
        ((-1,), "Sample: number is -1; bits [7:4] hold 0 to 15"),
        ((0, 128), "Sample: signed is 128; bits [15:8] hold -128 to 127"),
        ((0, 0, 4), "Sample: colour is 4; bits [1:0] hold 0 to 3"),
        ((1.5,), "Sample: number is 1.5; it must be an integer"),
        ((0, 0, Colour.RED, Inner(0), 0.1), "use float32_of"),
        ((0, 0, Colour.RED, Inner(0), 1e300), "use float32_of"),
        ((0, 0, Colour.RED, Inner(0), float("nan")), "finite float32"),
    ],
)
def test_a_value_that_does_not_fit_is_refused(values, message) -> None:
    with pytest.raises(EncodingError) as caught:
        Sample(*values)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((0x10005, 0), "Sample: bits 16 of word 0 are 1; they must be 0"),
        ((4, 0), "Sample: kind is 4; it must be 5"),
        ((5, 1), "Sample: colour is 1; known: 0 RED, 2 BLUE"),
        ((5, 0x400), "Inner: bits 2 of word 0 are 1; they must be 0"),
        ((5, 0x7F800000 << 32), "Sample: scale is 0x7f800000, not a finite float32"),
    ],
)
def test_a_word_that_encodes_nothing_is_refused(words, message) -> None:
    with pytest.raises(DecodingError) as caught:
        unpack_fields(Sample, words)
    assert str(caught.value) == message


def test_a_scale_is_rounded_on_request() -> None:
    assert Sample(0, scale=float32_of(0.1)).scale == 0.10000000149011612
