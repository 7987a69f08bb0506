from forebay.pools import ByteRange


def test_ranges_are_half_open() -> None:
    assert not ByteRange(0, 8).overlaps(ByteRange(8, 16))
    assert ByteRange(0, 9).overlaps(ByteRange(8, 16))
    assert ByteRange(8, 16).overlaps(ByteRange(10, 11))


def test_they_are_written_as_messages_have_them() -> None:
    assert str(ByteRange(0, 12816)) == "[0, 12,816)"
