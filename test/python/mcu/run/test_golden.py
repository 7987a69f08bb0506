"""The hash by which a board reports its outputs."""

from __future__ import annotations

from forebay.mcu.run.golden import fnv1a


def test_the_hash_is_fnv1a_of_64_bits() -> None:
    # Test vectors of the authors: http://www.isthe.com/chongo/src/fnv/test_fnv.c
    assert fnv1a(b"") == 0xCBF29CE484222325
    assert fnv1a(b"a") == 0xAF63DC4C8601EC8C
    assert fnv1a(b"foobar") == 0x85944171F73967E8
