"""The arithmetic that gives the places of rows."""

from random import Random

from forebay.ir.rows.row_offsets import OffsetTable, StridedOffsets, offset_tables, row_addresses


def address(found: StridedOffsets | OffsetTable, row: int) -> int:
    if isinstance(found, OffsetTable):
        return found.entries[row] * found.unit
    return found.start + (row if found.period is None else row % found.period) * found.stride


def test_a_stride() -> None:
    assert row_addresses([16, 24, 32]) == StridedOffsets(16, 8)
    assert row_addresses([32, 24, 16]) == StridedOffsets(32, -8)
    assert row_addresses([8]) == StridedOffsets(8, 0)


def test_a_ring_of_a_power_of_two() -> None:
    assert row_addresses([4, 12, 4, 12, 4]) == StridedOffsets(4, 8, 2)
    assert row_addresses([4, 4, 4]) == StridedOffsets(4, 0)


def test_a_ring_of_three_rows_is_a_table() -> None:
    assert row_addresses([0, 8, 16, 0, 8]) == OffsetTable((0, 8, 16, 0, 8), 1, 16)


def test_entries_count_units_where_bytes_do_not_fit() -> None:
    assert row_addresses([0, 65536, 48, 0]) == OffsetTable((0, 16384, 12, 0), 4, 16)
    assert row_addresses([0, 65537, 48, 0]) == OffsetTable((0, 65537, 48, 0), 1, 32)


def test_the_tables_of_several_buffers_have_one_unit_and_width() -> None:
    assert offset_tables([[0, 65536], [48, 16]]) == (
        OffsetTable((0, 16384), 4, 16),
        OffsetTable((12, 4), 4, 16),
    )
    assert offset_tables([[0, 8], [65537, 8], [1, 2]]) == (
        OffsetTable((0, 8), 1, 32),
        OffsetTable((65537, 8), 1, 32),
        OffsetTable((1, 2), 1, 32),
    )


def test_every_form_gives_the_offsets() -> None:
    source = Random(0)
    for _ in range(2000):
        count, ring = source.randint(1, 9), source.randint(1, 9)
        unit = source.choice([1, 8, 4096])
        places = [source.randint(0, 20) * unit for _ in range(ring)]
        if source.random() < 0.5:
            places = [source.randint(0, 3) + 5 * row for row in range(ring)]
        offsets = [places[row % ring] for row in range(count)]
        found = row_addresses(offsets)
        assert [address(found, row) for row in range(count)] == offsets
