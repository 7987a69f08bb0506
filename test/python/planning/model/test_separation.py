import pytest

from forebay.planning import Pool, Separation
from forebay.pools import ByteRange

POOL = Pool("ram", capacity=64, banks=4)


@pytest.mark.parametrize(
    ("one", "other", "penalty"),
    [
        ((0, 8), (4, 12), 4 * 3 + 10),
        ((0, 8), (8, 16), 10),
        ((0, 8), (16, 24), 0),
        ((8, 20), (24, 40), 10),  # both have bytes of bank 1
        ((0, 64), (16, 20), 4 * 3 + 10),
    ],
)
def test_shared_bytes_and_banks_cost(
    one: tuple[int, int], other: tuple[int, int], penalty: int
) -> None:
    separation = Separation("a", "b", shared_byte=3, same_bank=10)
    assert separation.penalty(POOL, ByteRange(*one), ByteRange(*other)) == penalty
    assert separation.penalty(POOL, ByteRange(*other), ByteRange(*one)) == penalty
