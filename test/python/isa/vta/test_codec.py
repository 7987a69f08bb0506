"""Words of VTA against a decoder that was written from the programming model alone."""

from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forebay.isa.faults import DecodingError
from forebay.isa.vta import instructions
from forebay.isa.vta.codec import decode_micro_op, decode_vta, encode_micro_op, encode_vta
from forebay.isa.vta.instructions import AluOp, DependencyBits, MicroOp, VtaMemory

from .plain_vta import FIELDS, decoded

BITS = st.builds(DependencyBits, *[st.booleans()] * 4)
SPECIAL = {
    "tokens": BITS,
    "memory": st.sampled_from(VtaMemory),
    "op": st.sampled_from(AluOp),
    "immediate": st.integers(-(2**15), 2**15 - 1),
}


def values(name: str):
    kind = getattr(instructions, name)
    chosen = {}
    for field in fields(kind):
        if field.init:
            high, low = FIELDS[name].get(field.name, (0, 0))
            plain = st.integers(0, 2 ** (high - low + 1) - 1)
            chosen[field.name] = SPECIAL.get(field.name, plain)
    return st.builds(kind, **chosen)


INSTRUCTIONS = st.one_of(*(values(name) for name in FIELDS))


@given(INSTRUCTIONS)
def test_an_independent_decoder_reads_every_field(instruction) -> None:
    name, found, tokens = decoded(*encode_vta(instruction))
    assert name == type(instruction).__name__
    assert found == {field: int(getattr(instruction, field)) for field in found}
    if name != "tokens":
        assert tokens == {bit: getattr(instruction.tokens, bit) for bit in tokens}
    assert {field.name for field in fields(instruction)} == {*found, "tokens"}


@given(INSTRUCTIONS)
def test_words_decode_to_the_instruction(instruction) -> None:
    assert decode_vta(*encode_vta(instruction)) == instruction


@given(st.integers(0, 2047), st.integers(0, 2047), st.integers(0, 1023))
def test_micro_ops_are_words_of_32_bits(dst, src, wgt) -> None:
    word = encode_micro_op(MicroOp(dst, src, wgt))
    assert word == dst + src * 2**11 + wgt * 2**22
    assert decode_micro_op(word) == MicroOp(dst, src, wgt)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((5, 0), "opcode 5: known are 0 to 4"),
        ((0x380, 0), "VtaLoad: memory is 7; known: 0 UOP, 1 WGT, 2 INP, 3 ACC, 4 OUT, 5 ACC_INT8"),
        ((4, 5 << 44), "VtaAlu: op is 5; known: 0 MIN, 1 MAX, 2 ADD, 3 SHR, 4 MUL"),
        ((1 << 58, 0), "VtaLoad: bits 58 of word 0 are 1; they must be 0"),
    ],
)
def test_words_that_encode_nothing_are_refused(words, message) -> None:
    with pytest.raises(DecodingError) as caught:
        decode_vta(*words)
    assert str(caught.value) == message
