"""Words of Gemmini against a decoder that was written from the programming model alone."""

import pytest
from hypothesis import given

from forebay.isa.faults import DecodingError
from forebay.isa.gemmini.codec import decode_gemmini, encode_gemmini, rocc_word

from .strategies import INSTRUCTIONS, pattern
from .words import decoded


@given(INSTRUCTIONS)
def test_an_independent_decoder_reads_every_field(instruction) -> None:
    name, fields = decoded(*encode_gemmini(instruction))
    assert name == type(instruction).__name__
    assert fields == {field: pattern(getattr(instruction, field)) for field in fields}


@given(INSTRUCTIONS)
def test_words_decode_to_the_instruction(instruction) -> None:
    assert decode_gemmini(*encode_gemmini(instruction)) == instruction


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((0, 3, 0), "funct 0: config_norm: the default hardware has no normalisation"),
        ((22, 0, 0), "funct 22: clock gate; not in the modelled set"),
        ((126, 0, 0), "funct 126: counter access; not in the modelled set"),
        ((127, 0, 0), "funct 127: accepted by the functional simulator only"),
        ((50, 0, 0), "funct 50: unknown"),
        ((0, 0x24, 0), "ConfigEx: bits 5 of word 0 are 1; they must be 0"),
        ((0, 2 | 2 << 2, 0), "ConfigSt: activation is 2; known: 0 NONE, 1 RELU"),
        ((0, 2, 0xFFFFFFFF << 32), "ConfigSt: scale is 0xffffffff, not a finite float32"),
    ],
)
def test_words_outside_of_the_default_hardware_are_refused(words, message) -> None:
    with pytest.raises(DecodingError) as caught:
        decode_gemmini(*words)
    assert message in str(caught.value)


def test_the_published_example_of_a_rocc_word() -> None:
    assert rocc_word(14, 10, 11) == 0x1CB5307B


def test_a_register_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ValueError, match="rs2 is 32; it must be 0 to 31"):
        rocc_word(2, 0, 32)
