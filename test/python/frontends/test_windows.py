from __future__ import annotations

import pytest

from forebay.frontends.windows import WindowAxis, same_padding


@pytest.mark.parametrize(
    ("axis", "output", "padding", "used"),
    [
        (same_padding(224, 3, 2, 1), 112, (0, 1), 224),  # the odd element goes after
        (same_padding(49, 10, 2, 1), 25, (4, 5), 49),
        (same_padding(32, 1, 2, 1), 16, (0, 0), 31),  # the last element is unread
        (same_padding(9, 3, 1, 2), 9, (2, 2), 9),
        (WindowAxis(9, 2, 3, 1), 3, (0, 0), 8),
        (WindowAxis(5, 3, 3, 1), 1, (0, 0), 3),
        (WindowAxis(2, 3, 1, 1), 0, (0, 0), 2),  # no window fits
        (WindowAxis(7, 3, 2, 1, 1, 2), 4, (1, 1), 7),  # the last element of padding is unread
        (WindowAxis(6, 3, 2, 1, ceil=True), 3, (0, 1), 6),
        (WindowAxis(4, 1, 3, 1, 0, 1, ceil=True), 2, (0, 0), 4),  # a third would begin after it
    ],
)
def test_windows_along_an_axis(
    axis: WindowAxis, output: int, padding: tuple[int, int], used: int
) -> None:
    assert axis.output == output
    assert axis.padding == padding
    if output:
        assert axis.used == used
