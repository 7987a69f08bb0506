"""Pictures as inputs of a network."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forebay.network.array_files import ArrayFileError
from forebay.network.model import Port

_MODES = {1: "L", 3: "RGB", 4: "RGBA"}
_EIGHT_BITS = ("1", "L", "LA", "P", "PA", "RGB", "RGBA")


def read_picture(path: Path, port: Port) -> NDArray[Any]:
    """Return a picture as the value of an input [1, height, width, channels].

    It must have the input's height and width, and 8 bits per channel. It is converted to grey, RGB
    or RGBA if the input has 1, 3 or 4 channels. The numbers 0..255 are unchanged for uint8, minus
    128 for int8, and divided by 255 for floats, whatever the input's scale. Raises ArrayFileError
    for any other picture or input.
    """
    try:
        from PIL import Image  # noqa: PLC0415  (an optional dependency)
    except ImportError as error:
        raise ArrayFileError("pictures need Pillow: pip install 'forebay[image]'") from error
    if len(port.shape) != 4 or port.shape[0] != 1 or port.shape[3] not in _MODES:
        shape = list(port.shape)
        raise ArrayFileError(f"{path}: input '{port.name}' of shape {shape} is no picture")
    try:
        with Image.open(path) as image:
            if image.mode not in _EIGHT_BITS:
                raise ArrayFileError(
                    f"{path}: has pixels of the mode {image.mode}; 8 bits per channel are needed"
                )
            pixels = np.asarray(image.convert(_MODES[port.shape[3]]), np.uint8)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        raise ArrayFileError(f"{path}: cannot be read as a picture: {error}") from error
    if pixels.shape[:2] != port.shape[1:3]:
        raise ArrayFileError(
            f"{path}: the picture is {pixels.shape[1]}x{pixels.shape[0]}, input '{port.name}' is "
            f"{port.shape[2]}x{port.shape[1]}; resize it first"
        )
    return _as_input(pixels.reshape(port.shape), port)


def _as_input(pixels: NDArray[np.uint8], port: Port) -> NDArray[Any]:
    dtype = np.dtype(port.dtype)
    if dtype == np.uint8:
        return pixels
    if dtype == np.int8:
        return (pixels.astype(np.int16) - 128).astype(np.int8)
    if dtype.kind == "f":
        return pixels.astype(dtype) / dtype.type(255)
    raise ArrayFileError(
        f"input '{port.name}' is {port.dtype}; pictures serve int8, uint8 and floats"
    )
