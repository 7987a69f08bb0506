"""Fields of instruction words, declared as annotations of frozen dataclasses.

`rows: Annotated[int, Bits(63, 48, word=1)]` is a field in bits 63 to 48 of the second word. Bits
of a word that no field has are zero. A field's type says how its number is read: `int`, `bool`, an
`IntEnum`, `float` (the pattern of a finite float32), or another dataclass with such fields.
"""

from __future__ import annotations

import dataclasses
import math
import struct
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar, get_args, get_type_hints

from forebay.isa.faults import DecodingError, EncodingError

T = TypeVar("T")


@dataclass(frozen=True)
class Bits:
    """Bits `high` to `low` of word number `word`, both included."""

    high: int
    low: int
    word: int = 0
    signed: bool = False

    @property
    def width(self) -> int:
        """Return the number of bits."""
        return self.high - self.low + 1

    @property
    def mask(self) -> int:
        """Return a word whose ones are these bits."""
        return ((1 << self.width) - 1) << self.low

    @property
    def limits(self) -> tuple[int, int]:
        """Return the smallest and the largest number that the bits hold."""
        if self.signed:
            return -(1 << (self.width - 1)), (1 << (self.width - 1)) - 1
        return 0, (1 << self.width) - 1


class BitFields:
    """Base of dataclasses with fields in words: an instance with a wrong value cannot be made."""

    def __post_init__(self) -> None:
        """Refuse a value that does not fit its field."""
        pack_fields(self)


@dataclass(frozen=True)
class _Slot:
    name: str
    kind: Any
    bits: Bits
    fixed: bool


def pack_fields(value: BitFields) -> dict[int, int]:
    """Return the words of `value` by number; raises `EncodingError` for a value out of range."""
    words: dict[int, int] = {}
    for slot in _slots(type(value)):
        number = _number(value, slot)
        low, high = slot.bits.limits
        if not low <= number <= high:
            raise EncodingError(
                f"{type(value).__name__}: {slot.name} is {number:,}; bits "
                f"[{slot.bits.high}:{slot.bits.low}] hold {low:,} to {high:,}"
            )
        placed = (number << slot.bits.low) & slot.bits.mask
        words[slot.bits.word] = words.get(slot.bits.word, 0) | placed
    return words


def unpack_fields(kind: type[T], words: tuple[int, ...]) -> T:
    """Return the `kind` that `words` encode; raises `DecodingError` for bits it cannot have."""
    slots = _slots(kind)
    for number, word in enumerate(words):
        known = sum(slot.bits.mask for slot in slots if slot.bits.word == number)
        if word & ~known:
            ones = _ones(word & ~known)
            raise DecodingError(
                f"{kind.__name__}: bits {ones} of word {number} are 1; they must be 0"
            )
    values = {slot.name: _value(kind, slot, words) for slot in slots if not slot.fixed}
    result = kind(**values)
    for slot in slots:
        if slot.fixed and _value(kind, slot, words) != getattr(result, slot.name):
            raise DecodingError(
                f"{kind.__name__}: {slot.name} is {_value(kind, slot, words)}; "
                f"it must be {getattr(result, slot.name)}"
            )
    return result


def float32_of(value: float) -> float:
    """Return the nearest float32; scales must be float32 values."""
    return struct.unpack("<f", struct.pack("<f", value))[0]


@cache
def _slots(kind: type) -> tuple[_Slot, ...]:
    hints = get_type_hints(kind, include_extras=True)
    return tuple(
        _Slot(field.name, get_args(hints[field.name])[0], bits, not field.init)
        for field in dataclasses.fields(kind)
        for bits in get_args(hints[field.name])[1:]
        if isinstance(bits, Bits)
    )


def _number(owner: BitFields, slot: _Slot) -> int:
    value = getattr(owner, slot.name)
    where = f"{type(owner).__name__}: {slot.name} is {value!r}"
    if isinstance(value, BitFields):
        return pack_fields(value)[0]
    if slot.kind is float:
        if not math.isfinite(value) or abs(value) > 3.5e38 or float32_of(value) != value:
            raise EncodingError(f"{where}; it must be a finite float32: use float32_of(...)")
        return struct.unpack("<I", struct.pack("<f", value))[0]
    if int(value) != value:
        raise EncodingError(f"{where}; it must be an integer")
    return int(value)


def _value(kind: type, slot: _Slot, words: tuple[int, ...]) -> Any:
    number = (words[slot.bits.word] & slot.bits.mask) >> slot.bits.low
    if slot.bits.signed and number > slot.bits.limits[1]:
        number -= 1 << slot.bits.width
    if issubclass(slot.kind, BitFields):
        return unpack_fields(slot.kind, (number,))
    if slot.kind is float:
        value = struct.unpack("<f", struct.pack("<I", number))[0]
        if not math.isfinite(value):
            raise DecodingError(
                f"{kind.__name__}: {slot.name} is {number:#x}, not a finite float32"
            )
        return value
    try:
        return slot.kind(number)
    except ValueError:
        known = ", ".join(f"{int(member)} {member.name}" for member in slot.kind)
        raise DecodingError(f"{kind.__name__}: {slot.name} is {number}; known: {known}") from None


def _ones(word: int) -> str:
    return ", ".join(str(bit) for bit in range(word.bit_length()) if word >> bit & 1)
