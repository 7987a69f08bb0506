"""Sizes of memories that the machine does not have."""

import pytest

from forebay.api.target import TargetError
from forebay.targets.gemmini.machine import MemorySizes


@pytest.mark.parametrize(("name", "size"), [("spad", 1000), ("acc", 64), ("spad", 0)])
def test_memories_are_whole_rows_in_each_bank(name: str, size: int) -> None:
    with pytest.raises(TargetError, match=f"gemmini with {name}={size} and {name}_banks="):
        MemorySizes(**{name: size})


def test_planes_of_images_have_16_bits() -> None:
    assert MemorySizes(spad=1 << 20).spad == 1 << 20
    with pytest.raises(TargetError, match="at most 1,048,576 bytes"):
        MemorySizes(spad=1 << 21)
