"""Options of custom operators: scalars of a map, and content of any other form."""

from __future__ import annotations

import contextlib
from random import Random

import pytest
from flatbuffers import flexbuffers

from forebay.frontends.errors import MalformedModel
from forebay.frontends.tflite.file.flexbuffer import flexbuffer_map

VALUES = {"fft": 512, "scale": 0.25, "on": True, "name": "hann", "negative": -3}
CONTENT = bytes(flexbuffers.Dumps({**VALUES, "list": [1, 2]}))


def test_scalars_are_found_by_name_and_types() -> None:
    found = flexbuffer_map(CONTENT)
    assert found == VALUES
    assert [type(found[name]) for name in ("fft", "scale", "on", "name")] == [int, float, bool, str]


def test_no_content_is_an_empty_map() -> None:
    assert flexbuffer_map(b"") == {}


@pytest.mark.parametrize("content", [b"\1", b"\xff" * 9, bytes(flexbuffers.Dumps([1, 2]))])
def test_other_content_is_malformed(content: bytes) -> None:
    with pytest.raises(MalformedModel, match="its options"):
        flexbuffer_map(content)


def test_changed_bytes_are_read_or_malformed() -> None:
    rng = Random(1)
    for _ in range(2000):
        content = bytearray(CONTENT)
        for _ in range(rng.randint(1, 3)):
            content[rng.randrange(len(content))] = rng.randrange(256)
        with contextlib.suppress(MalformedModel):
            flexbuffer_map(bytes(content[: rng.randint(1, len(content))]))
