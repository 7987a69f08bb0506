from __future__ import annotations

import pytest

from forebay.frontends.tflite.lowering.window import WindowAxis


@pytest.mark.parametrize(
    ("axis", "output", "padding", "used"),
    [
        (WindowAxis(224, 3, 2, 1, same=True), 112, (0, 1), 224),  # the odd element goes after
        (WindowAxis(49, 10, 2, 1, same=True), 25, (4, 5), 49),
        (WindowAxis(32, 1, 2, 1, same=True), 16, (0, 0), 31),  # the last element is unread
        (WindowAxis(9, 3, 1, 2, same=True), 9, (2, 2), 9),
        (WindowAxis(9, 2, 3, 1, same=False), 3, (0, 0), 8),
        (WindowAxis(5, 3, 3, 1, same=False), 1, (0, 0), 3),
        (WindowAxis(2, 3, 1, 1, same=False), 0, (0, 0), 2),  # no window fits
    ],
)
def test_windows_along_an_axis(
    axis: WindowAxis, output: int, padding: tuple[int, int], used: int
) -> None:
    assert axis.output == output
    assert axis.padding == padding
    if output:
        assert axis.used == used
