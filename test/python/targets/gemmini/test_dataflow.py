"""The bound on sums in the array, against all runs of products with the worst inputs."""

import numpy as np
import pytest

from forebay.targets.gemmini.dataflow import steps_in_array


def worst(weights: np.ndarray, steps: int) -> int:
    """The largest magnitude that a run of products can have, with inputs of -128 or 127."""
    blocks, *_, rows, lanes = weights.shape
    products = weights.astype(int).reshape(blocks, -1, rows, lanes)
    largest = 0
    for start in range(products.shape[1] - steps + 1):
        run = products[:, start : start + steps]
        up = np.where(run > 0, 127 * run, -128 * run).sum(axis=(1, 2))
        down = np.where(run > 0, -128 * run, 127 * run).sum(axis=(1, 2))
        largest = max(largest, int(up.max()), int(-down.min()))
    return largest


@pytest.mark.parametrize("magnitude", [1, 9, 60, 127])
def test_runs_stay_within_20_bits(magnitude: int) -> None:
    rng = np.random.default_rng(magnitude)
    weights = rng.integers(-magnitude, magnitude + 1, (2, 3, 3, 3, 16, 16)).astype(np.int8)
    steps = steps_in_array(weights)
    assert worst(weights, steps) < 2**19
    # The bound takes 128 for both signs, so it may be a little shorter than the longest run.
    assert steps == 27 or worst(weights, steps + 1) > 2**19 * 127 // 128 - 128 * 16


def test_the_largest_weights_allow_one_product() -> None:
    assert steps_in_array(np.full((1, 4, 1, 1, 16, 16), -128, np.int8)) == 1


def test_small_weights_allow_all() -> None:
    assert steps_in_array(np.ones((1, 4, 3, 3, 16, 16), np.int8)) == 36
