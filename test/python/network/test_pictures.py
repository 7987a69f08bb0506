from pathlib import Path

import numpy as np
import pytest

from forebay.network.array_files import ArrayFileError
from forebay.network.model import Port
from forebay.network.pictures import read_picture

image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
PIXELS = np.arange(2 * 3 * 3, dtype=np.uint8).reshape(2, 3, 3) * 14


@pytest.fixture
def picture(tmp_path: Path) -> Path:
    path = tmp_path / "picture.png"
    image.fromarray(PIXELS).save(path)
    return path


@pytest.mark.parametrize(
    ("dtype", "expected"),
    [
        ("uint8", PIXELS),
        ("int8", (PIXELS.astype(int) - 128).astype(np.int8)),
        ("float32", PIXELS / np.float32(255)),
    ],
)
def test_numbers_are_those_of_the_input_s_type(
    dtype: str, expected: np.ndarray, picture: Path
) -> None:
    found = read_picture(picture, Port("x", dtype, (1, 2, 3, 3)))
    assert (found.dtype, found.shape) == (np.dtype(dtype), (1, 2, 3, 3))
    np.testing.assert_array_equal(found[0], expected)


def test_colours_become_grey_or_get_an_alpha(picture: Path) -> None:
    grey = read_picture(picture, Port("x", "uint8", (1, 2, 3, 1)))
    red, green, blue = PIXELS[1, 2].tolist()
    assert abs(int(grey[0, 1, 2, 0]) - (0.299 * red + 0.587 * green + 0.114 * blue)) <= 1
    alpha = read_picture(picture, Port("x", "uint8", (1, 2, 3, 4)))
    assert (alpha[..., 3] == 255).all()


@pytest.mark.parametrize(
    ("port", "message"),
    [
        (Port("x", "uint8", (1, 3, 2, 3)), "the picture is 3x2, input 'x' is 2x3"),
        (Port("x", "uint8", (2, 2, 3, 3)), "is no picture"),
        (Port("x", "uint8", (1, 2, 3, 2)), "is no picture"),
        (Port("x", "int16", (1, 2, 3, 3)), "pictures serve int8, uint8 and floats"),
    ],
)
def test_other_inputs_are_refused(port: Port, message: str, picture: Path) -> None:
    with pytest.raises(ArrayFileError, match=message):
        read_picture(picture, port)


def test_files_that_are_no_pictures_of_8_bits_are_refused(tmp_path: Path) -> None:
    path, port = tmp_path / "x.png", Port("x", "uint8", (1, 2, 3, 1))
    path.write_bytes(b"no picture")
    with pytest.raises(ArrayFileError, match="cannot be read as a picture"):
        read_picture(path, port)
    image.fromarray(PIXELS[..., 0].astype(np.uint16) * 256).save(path)
    with pytest.raises(ArrayFileError, match="8 bits per channel are needed"):
        read_picture(path, port)
