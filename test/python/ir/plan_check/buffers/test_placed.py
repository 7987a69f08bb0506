"""What placed buffers share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from mlir import ir

from forebay.ir.plan_check.buffers.placed import PlacedBuffer, PlacedBuffers, Role


@pytest.fixture(autouse=True)
def _context() -> Iterator[None]:
    with ir.Context(), ir.Location.unknown():
        yield


def placed(pool: str, start: int, end: int) -> PlacedBuffer:
    return PlacedBuffer("b", Role.TEMPORARY, pool, start, end, ir.Location.unknown(), (pool,), 1)


@pytest.mark.parametrize(
    ("one", "other", "shares"),
    [
        (("a", 0, 8), ("a", 7, 9), True),
        (("a", 0, 8), ("a", 8, 9), False),
        (("a", 0, 8), ("b", 0, 8), False),
        (("a", 0, 8), ("a", 4, 4), False),
        (("a", 2, 4), ("a", 0, 8), True),
    ],
)
def test_buffers_overlap_if_they_have_a_byte_in_common(
    one: tuple[str, int, int], other: tuple[str, int, int], shares: bool
) -> None:
    assert placed(*one).overlaps(placed(*other)) is shares
    assert placed(*other).overlaps(placed(*one)) is shares


def test_buffers_are_numbered_in_the_order_of_their_addition() -> None:
    buffers = PlacedBuffers()
    assert [buffers.add(placed("a", n, n + 1)) for n in range(3)] == [0, 1, 2]
    assert [buffer.start for buffer in buffers.buffers] == [0, 1, 2]
