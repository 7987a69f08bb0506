"""The tutorial's machine: a file of under 80 lines outside of the tree, on a network of its own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import forebay
from forebay.errors import Error

POOLER = Path(__file__).parents[3] / "examples" / "target" / "pooler.py"


def test_the_file_is_short() -> None:
    assert len(POOLER.read_text("utf-8").splitlines()) < 80


@pytest.mark.parametrize("engine", ["c", "emulator"])
def test_digits_are_the_same_with_it(engine: str, digits: Path) -> None:
    compiled = forebay.compile(digits, target=f"{POOLER}:in_mem=1024,out_mem=256")
    assert compiled.offload is not None
    on_device = [o for o in compiled.offload.operators if o.device == "pooler"]
    assert [(o.index, o.kind, o.pattern) for o in on_device] == [(7, "MAX_POOL_2D", "halve")]
    sizes = {pool.name: pool.size for pool in compiled.info.pools}
    # 8x8 and 4x4 of 16 channels
    assert (sizes["in_mem"], sizes["out_mem"]) == (1024, 256)
    with np.load(digits.parent / "digits_heldout.npz") as heldout:
        for image, scores in zip(heldout["inputs"][:5], heldout["outputs"][:5], strict=True):
            actual = compiled.run(image[np.newaxis], engine=engine)
            np.testing.assert_array_equal(np.ravel(actual), np.ravel(scores))


def test_a_scratch_memory_that_is_too_small_is_named(digits: Path) -> None:
    with pytest.raises(Error, match="pool 'in_mem' needs 1,024 bytes but has 1,023; live: 'block'"):
        forebay.compile(digits, target=f"{POOLER}:in_mem=1023")
