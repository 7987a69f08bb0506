"""Numbers of bytes as people write them."""

import pytest

from forebay.support.sizes import size_of


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("0", 0),
        ("65536", 65536),
        ("65_536", 65536),
        ("0x10000", 65536),
        ("0X1B", 27),
        ("0b11", 3),
        ("12B", 12),
        ("64K", 65536),
        ("64k", 65536),
        ("64KiB", 65536),
        ("64 kib", 65536),
        ("1M", 1048576),
        ("3MiB", 3145728),
        ("2G", 2147483648),
        ("1TiB", 1099511627776),
    ],
)
def test_sizes_are_powers_of_1024(text: str, size: int) -> None:
    assert size_of(text) == size


@pytest.mark.parametrize(
    "text", ["", "K", "-1", "1.5K", "1e3", "64KK", "0x10K", "6 4", "1__0", "٣", "64K;", "0x", "_1"]
)
def test_nonsense_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"is no number of bytes; write 65536|has the unit"):
        size_of(text)


@pytest.mark.parametrize("text", ["64KB", "64kB", "1MB", "1GB", "1X"])
def test_units_that_mean_two_things_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="units are B, K, KiB, M, MiB, G, GiB, T, TiB"):
        size_of(text)
