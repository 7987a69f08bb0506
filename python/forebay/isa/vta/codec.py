"""Encoding and decoding: a low and a high word of 64 bits, and 32-bit micro-ops."""

from __future__ import annotations

from forebay.isa.bits import pack_fields, unpack_fields
from forebay.isa.faults import DecodingError
from forebay.isa.vta.instructions import (
    MicroOp,
    VtaAlu,
    VtaFinish,
    VtaGemm,
    VtaInstruction,
    VtaLoad,
    VtaStore,
)

_KINDS: dict[int, type[VtaInstruction]] = {
    0: VtaLoad,
    1: VtaStore,
    2: VtaGemm,
    3: VtaFinish,
    4: VtaAlu,
}
_LOW = (1 << 64) - 1


def encode_vta(instruction: VtaInstruction) -> tuple[int, int]:
    """Return the low and the high word."""
    word = pack_fields(instruction)[0]
    return word & _LOW, word >> 64


def decode_vta(low: int, high: int) -> VtaInstruction:
    """Return the instruction; raises `DecodingError` for a word that is none."""
    kind = _KINDS.get(low & 7)
    if kind is None:
        raise DecodingError(f"opcode {low & 7}: known are 0 to 4")
    return unpack_fields(kind, (high << 64 | low,))


def encode_micro_op(micro_op: MicroOp) -> int:
    """Return the word of a micro-op."""
    return pack_fields(micro_op)[0]


def decode_micro_op(word: int) -> MicroOp:
    """Return the micro-op of a word."""
    return unpack_fields(MicroOp, (word,))
