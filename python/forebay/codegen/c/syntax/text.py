"""Pieces of C text that several files of a project share."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forebay.codegen.c.syntax.literals import float_text
from forebay.network.model import Port

_CTYPES = {
    "bool": "bool",
    "int8": "int8_t",
    "uint8": "uint8_t",
    "int16": "int16_t",
    "uint16": "uint16_t",
    "int32": "int32_t",
    "uint32": "uint32_t",
    "int64": "int64_t",
    "uint64": "uint64_t",
    "float32": "float",
    "float64": "double",
}

_IN_LINE = 16
"""8-bit integers in a line of an initialiser."""
_CHUNK = 4096 * _IN_LINE
"""Bytes whose texts are in a list at the same time, which takes 8 bytes for each."""


def ctype_of(port: Port) -> str:
    """Return the C type of a port's elements."""
    return _CTYPES[port.dtype]


def comment_text(text: str) -> str:
    """Return text that is safe in a C comment: one line, without comment delimiters."""
    shown = "".join(c if c.isprintable() else " " for c in text)
    return shown.replace("*/", "* /").replace("/*", "/ *")


def string_literal(text: str) -> str:
    """Return a C string literal of printable ASCII, with octal escapes for all other bytes."""
    return '"' + "".join(_character(byte) for byte in text.encode()) + '"'


def _character(byte: int) -> str:
    if chr(byte) in '\\"':
        return "\\" + chr(byte)
    return chr(byte) if 32 <= byte < 127 and chr(byte) != "?" else f"\\{byte:03o}"


def numbers(data: NDArray[Any]) -> Iterable[str]:
    """Return array elements as C initialisers."""
    flat = data.reshape(-1)
    if data.dtype.kind == "f":
        ctype = "float" if data.dtype.itemsize == 4 else "double"
        return [float_text(value, ctype) for value in flat.tolist()]
    if data.dtype.kind == "b":
        return [str(int(value)) for value in flat.tolist()]
    if data.dtype.itemsize == 8:
        macro = "INT64_C" if data.dtype.kind == "i" else "UINT64_C"
        return ["INT64_MIN" if v == -(2**63) else f"{macro}({v})" for v in flat.tolist()]
    if data.dtype.itemsize == 4:
        suffix = "u" if data.dtype.kind == "u" else ""
        return ["INT32_MIN" if v == -(2**31) else f"{v}{suffix}" for v in flat.tolist()]
    return map(str, flat.tolist())


def initialiser(data: NDArray[Any], indent: str) -> str:
    """Return the lines between the braces of an array's initialiser."""
    if data.dtype.kind in "iu" and data.dtype.itemsize == 1:
        return _bytes_initialiser(data, indent)
    texts = list(numbers(data))
    count = _IN_LINE if data.dtype.itemsize == 1 else 6
    rows = (texts[i : i + count] for i in range(0, len(texts), count))
    return ",\n".join([indent + ", ".join(row) for row in rows])


def _bytes_initialiser(data: NDArray[Any], indent: str) -> str:
    """Return the lines of an array of 8-bit integers, 16 in each.

    Most constants are such arrays, with millions of elements. Tables of all texts, with what stands
    in front of them, take an eighth of the time of numbers that are joined to lines.
    """
    values = np.arange(256, dtype=np.uint8).view(data.dtype).tolist()
    inside, begins = [f", {v}" for v in values], [f",\n{indent}{v}" for v in values]
    raw, parts = data.tobytes(), list[str]()
    for start in range(0, len(raw), _CHUNK):
        chunk = raw[start : start + _CHUNK]
        texts = [inside[byte] for byte in chunk]
        texts[::_IN_LINE] = [begins[byte] for byte in chunk[::_IN_LINE]]
        parts.append("".join(texts))
    return "".join(parts)[len(",\n") :]


def macro_float(value: float) -> str:
    """Return a scale as a float literal."""
    return float_text(value, "float")


def array_bounds(shape: tuple[int, ...]) -> str:
    """Return `[1][32][32][3]`."""
    return "".join(f"[{size}]" for size in shape)


def round_up(value: int, multiple: int) -> int:
    """Return the smallest multiple that is at least `value`."""
    return math.ceil(value / multiple) * multiple
