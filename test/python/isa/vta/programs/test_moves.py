"""Loads of images with a border: one LOAD if its pads can do it."""

from dataclasses import replace

import pytest

from forebay.isa.vta.programs.moves import Border, ImageSource, fits_pads, load_padded_image

# 4 rows of 3 pixels of 2 elements
IMAGE = ImageSource(0x2000, 4, 3, 2, row_stride=10, pixel_stride=2)


def sizes(steps) -> list[tuple[int, int, int]]:
    return [(s.instruction.sram, s.instruction.rows, s.instruction.columns) for s in steps]


def test_a_border_of_zeros_is_pads() -> None:
    (step,) = load_padded_image(8, IMAGE, Border(1, 2, 3, 0))
    load = step.instruction
    assert (load.pad_up, load.pad_down, load.pad_left, load.pad_right) == (1, 2, 6, 0)
    # 7 rows of 12 elements
    assert (step.writes[0].begin, step.writes[0].end) == (8, 8 + 84)
    # 3 rows of 10 elements, and 6, of 16 bytes
    assert (step.reads[0].begin, step.reads[0].end) == (0x2000, 0x2000 + 36 * 16)


def test_a_border_of_a_value_is_loaded_between_the_rows() -> None:
    steps = load_padded_image(8, IMAGE, Border(1, 0, 1, 1, value_address=0x100))
    # 10 elements above and 2 left, then a row; 2 right and 2 left, a row; ... 2 right.
    assert sizes(steps)[:4] == [(8, 12, 1), (20, 1, 6), (26, 4, 1), (30, 1, 6)]
    assert sizes(steps)[-1] == (56, 2, 1)
    assert [s.instruction.dram for s in steps[:2]] == [0x10, 0x200]


def test_rows_without_pixels_beside_them_are_one_load() -> None:
    steps = load_padded_image(0, IMAGE, Border(1, 1, value_address=0x100))
    assert sizes(steps) == [(0, 6, 1), (6, 4, 6), (30, 6, 1)]


def test_a_tile_in_the_border_is_one_load_of_its_element() -> None:
    """A LOAD without rows, or without columns, has no data on every build of the machine."""
    for empty in (replace(IMAGE, rows=0), replace(IMAGE, columns=0)):
        border = Border(2, 0, 3, 1, value_address=0x100)
        (step,) = load_padded_image(8, empty, border)
        elements = (2 + empty.rows) * (3 + empty.columns + 1) * 2
        assert sizes([step]) == [(8, elements, 1)]
        assert step.instruction.dram == 0x10
        assert not fits_pads(empty, Border(2, 0, 3, 1))


def test_pads_that_no_load_has_are_refused() -> None:
    for image, border in (
        (replace(IMAGE, blocks=8, pixel_stride=8), Border(left=2)),
        (IMAGE, Border(top=16)),
        (replace(IMAGE, pixel_stride=4), Border(left=1)),
    ):
        assert not fits_pads(image, border)
        with pytest.raises(ValueError, match="a LOAD has pads of at most 15 elements"):
            load_padded_image(0, image, border)


def test_some_blocks_of_each_pixel_are_a_load_per_row() -> None:
    steps = load_padded_image(8, replace(IMAGE, pixel_stride=5), Border())
    assert sizes(steps) == [(8, 3, 2), (14, 3, 2), (20, 3, 2), (26, 3, 2)]
    assert [step.instruction.stride for step in steps] == [5] * 4
    assert [step.instruction.dram for step in steps] == [0x200, 0x20A, 0x214, 0x21E]
