"""The single-operator models of TFLite Micro's SeaNet test, int16 for the most part."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from common.sweep import sweep

import forebay

COUNTS = {
    "quantize": 2,
    "add": 17,
    "conv": 22,
    "leaky_relu": 23,
    "pad": 19,
    "strided_slice": 34,
    "sub": 5,
    "transpose_conv": 5,
}


@pytest.mark.parametrize("kind", sweep(COUNTS, fast=1))
def test_outputs_equal_tflite_micro(kind: str, shared_models: Path) -> None:
    for number in range(COUNTS[kind]):
        _assert_golden(shared_models / "seanet", f"{kind}{number}")


def test_every_model_is_listed(shared_models: Path) -> None:
    names = {path.stem for path in (shared_models / "seanet").glob("*.tflite")}
    assert names == {f"{kind}{i}" for kind, count in COUNTS.items() for i in range(count)}


def _assert_golden(folder: Path, name: str) -> None:
    compiled = forebay.compile(folder / f"{name}.tflite")
    with np.load(folder / "golden" / f"{name}.npz") as golden:
        samples = sum(1 for key in golden.files if key.startswith("out"))
        assert samples > 0
        for sample in range(samples):
            inputs = [golden[f"in{sample}_{k}"] for k in range(len(compiled.inputs))]
            found = np.asarray(compiled.run(*inputs, engine="llvm"))
            expected = golden[f"out{sample}_0"]
            np.testing.assert_array_equal(found, expected, err_msg=f"{name}, sample {sample}")
