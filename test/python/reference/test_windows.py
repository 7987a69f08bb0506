"""Views of the elements under a kernel, against indices computed one by one."""

import numpy as np
import pytest

from forebay.reference.windows import Window

WINDOWS = [
    Window((3, 3), (1, 1), (1, 1), (1, 1, 1, 1)),
    Window((2, 3), (2, 1), (1, 2), (0, 1, 2, 0)),
    Window((1, 1), (3, 2), (1, 1), (0, 0, 0, 0)),
    Window((3, 2), (1, 2), (2, 3), (2, 2, 1, 2)),
]


@pytest.mark.parametrize("window", WINDOWS)
def test_views_are_the_elements_under_the_taps(window: Window) -> None:
    image = np.arange(2 * 7 * 8 * 3).reshape(2, 7, 8, 3)
    top, bottom, left, right = window.pad
    sizes = (7 + top + bottom, 8 + left + right)
    outputs = [
        (size - (k - 1) * d - 1) // s + 1
        for size, k, d, s in zip(sizes, window.kernel, window.dilation, window.stride, strict=True)
    ]
    padded = window.padded(image, -1)
    patches = window.patches(padded, outputs)
    taps = dict(window.taps(padded, outputs))
    assert set(taps) == set(np.ndindex(*window.kernel))
    for at in np.ndindex(2, *outputs, *window.kernel, 3):
        n, y, x, i, j, c = at
        row = y * window.stride[0] + i * window.dilation[0] - top
        column = x * window.stride[1] + j * window.dilation[1] - left
        inside = 0 <= row < 7 and 0 <= column < 8
        expected = image[n, row, column, c] if inside else -1
        assert patches[at] == expected
        assert taps[i, j][n, y, x, c] == expected


def test_an_image_without_a_border_is_not_copied() -> None:
    image = np.zeros((1, 4, 4, 1))
    assert WINDOWS[2].padded(image, 0) is image
