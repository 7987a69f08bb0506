"""Ways to break a file; some know that it is text, none knows what it means."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from random import Random

EXTREMES = [0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF]
NUMBERS = ["0", "-1", "1", "255", "65536", "2147483648", "9223372036854775807", "1e400", "0x10"]
NUMBERS += ["18446744073709551616", "-9223372036854775808", "nan", "?", ""]
TOKEN = re.compile(rb"[A-Za-z_0-9.]+|[^A-Za-z_0-9.\s]")


def corrupted(content: bytes, other: bytes, rng: Random, *, is_text: bool) -> bytes:
    """The content with one to five changes; `other` is a file that pieces may come from."""
    ways: list[Callable[[bytes, bytes, Random], bytes]] = [change, cut, truncate, repeat, splice]
    ways += [token, token, number, number, line] if is_text else [word, word, word, change]
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        if content:
            content = rng.choice(ways)(content, other, rng)
    return content


def change(content: bytes, _: bytes, rng: Random) -> bytes:
    """One byte to any, or one bit."""
    at = rng.randrange(len(content))
    value = rng.choice([rng.randrange(256), content[at] ^ 1 << rng.randrange(8)])
    return content[:at] + bytes([value]) + content[at + 1 :]


def word(content: bytes, _: bytes, rng: Random) -> bytes:
    """Two or four bytes, which may be a size or an offset, to an extreme or to a near number."""
    width, kind = rng.choice([(2, "<H"), (4, "<I"), (4, "<I")])
    if len(content) < width:
        return content
    at = rng.randrange(0, len(content) - width + 1) // width * width
    old = struct.unpack_from(kind, content, at)[0]
    value = rng.choice(
        [rng.choice(EXTREMES), old + rng.randint(-5, 5), old * 2, rng.getrandbits(32)]
    )
    return content[:at] + struct.pack(kind, value % 256**width) + content[at + width :]


def _piece(content: bytes, rng: Random) -> tuple[int, int]:
    length = min(len(content), rng.choice([1, 4, 16, 100, 1000]))
    start = rng.randrange(len(content) - length + 1)
    return start, start + length


def cut(content: bytes, _: bytes, rng: Random) -> bytes:
    """A piece out of it."""
    start, end = _piece(content, rng)
    return content[:start] + content[end:]


def truncate(content: bytes, _: bytes, rng: Random) -> bytes:
    """The rest off."""
    return content[: rng.randrange(len(content))]


def repeat(content: bytes, _: bytes, rng: Random) -> bytes:
    """A piece several times."""
    start, end = _piece(content, rng)
    return content[:end] + content[start:end] * rng.choice([1, 2, 50]) + content[end:]


def splice(content: bytes, other: bytes, rng: Random) -> bytes:
    """A piece of another file into it."""
    if not other:
        return content
    start, end = _piece(other, rng)
    at = rng.randrange(len(content))
    return content[:at] + other[start:end] + content[at + rng.choice([0, end - start]) :]


def token(content: bytes, other: bytes, rng: Random) -> bytes:
    """A word to another one of this or the other file."""
    here = list(TOKEN.finditer(content))
    words = [m[0] for m in TOKEN.finditer(rng.choice([content, other]))]
    if not here or not words:
        return content
    chosen = rng.choice(here)
    return content[: chosen.start()] + rng.choice([b"", *words]) + content[chosen.end() :]


def number(content: bytes, _: bytes, rng: Random) -> bytes:
    """A number to an extreme one."""
    here = list(re.finditer(rb"\d+", content))
    if not here:
        return content
    chosen = rng.choice(here)
    new = rng.choice(NUMBERS).encode()
    return content[: chosen.start()] + new + content[chosen.end() :]


def line(content: bytes, _: bytes, rng: Random) -> bytes:
    """A line away, twice, or somewhere else."""
    lines = content.split(b"\n")
    at = rng.randrange(len(lines))
    taken = lines[at]
    if rng.random() < 0.7:
        del lines[at]
    if rng.random() < 0.6:
        lines.insert(rng.randrange(len(lines) + 1), taken)
    return b"\n".join(lines)
