"""Random instructions of each kind, within their fields."""

import struct
from dataclasses import fields

from hypothesis import strategies as st

from forebay.isa.gemmini import instructions, loops
from forebay.isa.gemmini.instructions import (
    Dataflow,
    GemminiActivation,
    LocalAddress,
)

from .words import FIELDS, KINDS

SCALES = st.floats(width=32, allow_nan=False, allow_infinity=False)
ADDRESSES = st.builds(
    LocalAddress,
    st.integers(0, 2**26 - 1),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.integers(0, 7),
)


def kind_named(name: str) -> type:
    return getattr(instructions, name, None) or getattr(loops, name)


def pattern(value: object) -> int:
    """Return a field's value as its bits."""
    if isinstance(value, float):
        return struct.unpack("<I", struct.pack("<f", value))[0]
    if isinstance(value, LocalAddress):
        flags = value.accumulator << 31 | value.accumulate << 30 | value.full_width << 29
        return flags | value.normalisation << 26 | value.row
    return int(value)  # type: ignore[call-overload]


def values(name: str):
    """Return a strategy for instructions of the class with this name."""
    widths = {field: high - low + 1 for field, _, high, low in FIELDS[name][1]}
    chosen = {}
    for field in fields(kind_named(name)):
        if not field.init:
            continue
        if "scale" in field.name:
            chosen[field.name] = SCALES
        elif field.name in {"local", "operand", "c", "a"} and widths[field.name] == 32:
            chosen[field.name] = ADDRESSES
        elif field.name == "dataflow":
            chosen[field.name] = st.sampled_from(Dataflow)
        elif field.name == "activation":
            chosen[field.name] = st.sampled_from(GemminiActivation)
        else:
            chosen[field.name] = st.integers(0, 2 ** widths[field.name] - 1)
    return st.builds(kind_named(name), **chosen)


INSTRUCTIONS = st.one_of(*(values(name) for name in FIELDS))
__all__ = ["INSTRUCTIONS", "KINDS", "kind_named", "pattern", "values"]
