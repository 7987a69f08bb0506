"""The number of products that may be summed in the array: output stationary only.

Sums leave the array through 20 bits. From the weights alone follows how large they can become:

    |sum of x * w| <= 128 * sum of |w|

One product of 16x16 is at most 16 * 128 * 128 = 2**18, so at least one always fits.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_LARGEST_INPUT = 128
_LARGEST_SUM = (1 << 19) - 1


def steps_in_array(weights: NDArray[np.int8]) -> int:
    """Return how many products in sequence cannot leave 20 bits, whichever is the first.

    The weights are `[output blocks][input blocks][kernel rows][kernel columns][inputs][outputs]`;
    input blocks and kernel are the sequence.
    """
    blocks, *sequence, _, lanes = weights.shape
    magnitudes = np.abs(weights.astype(np.int64)).sum(axis=-2) * _LARGEST_INPUT
    steps = magnitudes.reshape(blocks, int(np.prod(sequence)), lanes)
    totals = np.concatenate([np.zeros((blocks, 1, lanes), np.int64), steps.cumsum(axis=1)], axis=1)
    most = 1
    while most < steps.shape[1] and _fits(totals, most + 1):
        most += 1
    return most


def _fits(totals: NDArray[np.int64], count: int) -> bool:
    """Return whether every run of `count` products fits."""
    return bool((totals[:, count:] - totals[:, :-count]).max() <= _LARGEST_SUM)
