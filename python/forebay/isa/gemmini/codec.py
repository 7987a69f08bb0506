"""Encoding and decoding: a funct number and the operands rs1 and rs2, and the RoCC word."""

from __future__ import annotations

from typing import NamedTuple

from forebay.isa.bits import BitFields, pack_fields, unpack_fields
from forebay.isa.faults import DecodingError
from forebay.isa.gemmini import loops
from forebay.isa.gemmini.instructions import (
    ComputeAccumulated,
    ComputePreloaded,
    ConfigEx,
    ConfigLd,
    ConfigSt,
    Flush,
    GemminiInstruction,
    Mvin,
    Mvin2,
    Mvin3,
    Mvout,
    Preload,
)

_CONFIGS = {0: ConfigEx, 1: ConfigLd, 2: ConfigSt}
_BY_FUNCT: dict[int, type[BitFields]] = {
    kind.funct: kind
    for kind in (
        *(Mvin, Mvin2, Mvin3, Mvout, Preload, ComputePreloaded, ComputeAccumulated, Flush),
        *loops.LOOP_INSTRUCTIONS,
    )
}
_REFUSED = {
    22: "clock gate",
    23: "scratchpad-to-scratchpad store",
    24: "extension of the loops",
    25: "extension of the loops",
    126: "counter access",
    127: "accepted by the functional simulator only",
}
_CUSTOM_3 = 0x7B
_BOTH_SOURCES = 0b011


class RoccOperands(NamedTuple):
    """A command as the processor hands it over: the funct number, and two registers' values."""

    funct: int
    rs1: int
    rs2: int


def encode_gemmini(instruction: GemminiInstruction | loops.LoopInstruction) -> RoccOperands:
    """Return the funct number and both operands."""
    words = pack_fields(instruction)
    return RoccOperands(instruction.funct, words.get(0, 0), words.get(1, 0))


def decode_gemmini(funct: int, rs1: int, rs2: int) -> GemminiInstruction | loops.LoopInstruction:
    """Return the instruction; raises `DecodingError` for what the default hardware lacks."""
    if funct in _REFUSED:
        raise DecodingError(f"funct {funct}: {_REFUSED[funct]}; not in the modelled set")
    kind = _CONFIGS.get(rs1 & 3) if funct == 0 else _BY_FUNCT.get(funct)
    if kind is None:
        what = "config_norm: the default hardware has no normalisation" if funct == 0 else "unknown"
        raise DecodingError(f"funct {funct}: {what}")
    return unpack_fields(kind, (rs1, rs2))  # type: ignore[return-value]


def rocc_word(funct: int, rs1_register: int, rs2_register: int) -> int:
    """Return the 32-bit instruction: `.insn r 0x7b, 3, funct, x0, rs1, rs2`."""
    for name, value, end in (
        ("funct", funct, 128),
        ("rs1", rs1_register, 32),
        ("rs2", rs2_register, 32),
    ):
        if not 0 <= value < end:
            raise ValueError(f"{name} is {value}; it must be 0 to {end - 1}")
    sources = rs2_register << 20 | rs1_register << 15
    return funct << 25 | sources | _BOTH_SOURCES << 12 | _CUSTOM_3
