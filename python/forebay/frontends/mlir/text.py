"""Check the bytes of a file before parsing: strings in IR become text in C, files and Python."""

from __future__ import annotations

import re

from forebay.frontends.errors import MalformedModel

_BYTECODE = b"ML\xefR"
_COMMENT_OR_STRING = re.compile(rb'//[^\n]*|"((?:[^"\\\n]|\\.)*)"')
_ESCAPE = re.compile(rb'\\([0-9A-Fa-f]{2}|[nt"\\])')
_LETTERS = {b"n": b"\n", b"t": b"\t", b'"': b'"', b"\\": b"\\"}


def check_text(name: str, content: bytes) -> None:
    """Refuse bytes or escaped strings that are not UTF-8. Raises `MalformedModel`."""
    if content.startswith(_BYTECODE):
        raise MalformedModel(f"{name}: MLIR bytecode; a model is its text (mlir-opt prints it)")
    _decode(name, content, 0, content)
    for match in _COMMENT_OR_STRING.finditer(content):
        string = match[1]
        if string is not None and b"\\" in string:
            _decode(name, _ESCAPE.sub(_byte, string), match.start(), content)


def _byte(match: re.Match[bytes]) -> bytes:
    escape = match[1]
    return _LETTERS.get(escape) or bytes([int(escape, 16)])


def _decode(name: str, text: bytes, start: int, content: bytes) -> None:
    try:
        text.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, start + (error.start if text is content else 0)) + 1
        raise MalformedModel(f"{name}:{line}: not in UTF-8: {error.reason}") from error
