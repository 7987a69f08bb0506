"""The digits of scikit-learn: their fixed split and their exact int8 form."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

HELD_OUT = 449  # of 1797, a quarter
SPLIT_SEED = 0
INPUT_SCALE = np.float32(1 / 255)  # int8 code = grey level of an 8-bit picture - 128
INPUT_ZERO_POINT = -128


@dataclass(frozen=True)
class Digits:
    """A set of digits: int8 pictures [n, 8, 8, 1], labels [n] and rows in scikit-learn's set."""

    images: NDArray[np.int8]
    labels: NDArray[np.uint8]
    rows: NDArray[np.int16]


def load_split() -> tuple[Digits, Digits]:
    """Return the training digits and the held-out digits."""
    from sklearn.datasets import load_digits  # noqa: PLC0415 - only retraining needs it

    pixels, labels = load_digits(return_X_y=True)
    rows = np.random.RandomState(SPLIT_SEED).permutation(len(labels)).astype(np.int16)
    return _take(pixels, labels, rows[HELD_OUT:]), _take(pixels, labels, rows[:HELD_OUT])


def quantised_pixels(pixels: NDArray[np.float64]) -> NDArray[np.int8]:
    """Return pixels 0..16 as int8 codes -128..127, halves up."""
    return (np.floor(pixels * 255 / 16 + 0.5) - 128).astype(np.int8)


def real_pixels(images: NDArray[np.int8]) -> NDArray[np.float32]:
    """Return the real numbers in 0..1 of the int8 codes."""
    return (images.astype(np.float32) - INPUT_ZERO_POINT) * INPUT_SCALE


def _take(
    pixels: NDArray[np.float64], labels: NDArray[np.int64], rows: NDArray[np.int16]
) -> Digits:
    images = quantised_pixels(pixels[rows]).reshape(-1, 8, 8, 1)
    return Digits(images, labels[rows].astype(np.uint8), rows)
