"""Networks from many places give the bits, or for floats the values, of their goldens."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from common.sweep import sweep
from common.tflite_engines import assert_close

import forebay

RIGHT = (
    "anomaly_detection_mltk_int8",
    "mww_choo_choo_int8",
    "lenet_300_100_int8",
    "movie_review_float",
    "hand_recrop_float",
    "face_detection_fp16",
    "mobilenet_v1_025_128_uint8",
    "dtln_1_hybrid",
    "dtln_2_float",
    "lyra_encoder",
    "lyra_gan",
    "deeplabv3_float",
    "conformer_float",
    "micro_speech_lstm_int8",
    "mnist_lstm_float",
)
OTHERS = {
    "keyword_scrambled_int8": "tflm",
    "dtln_int8": "tflm",
    "movenet_lightning_int8": "litert_ref",
}
"""Networks beside these, and the golden that they have."""
WITHOUT_RESET = (
    "lyra_encoder",
    "lyra_gan",
    "micro_speech_lstm_int8",
    "mnist_lstm_float",
    "mww_choo_choo_int8",
)
"""Their goldens are those of one sequence."""


@pytest.mark.parametrize("name", sweep(RIGHT, fast=2))
def test_outputs_equal_the_goldens(name: str, shared_models: Path) -> None:
    folder = shared_models / "wider"
    compiled = forebay.compile(folder / f"{name}.tflite")
    compiled.reset("llvm")
    with np.load(folder / "golden" / f"{name}.npz") as golden:
        keys = golden.files
        samples = sum(1 for key in keys if key.startswith("in") and key.endswith("_0"))
        assert samples > 0
        for sample in range(samples):
            if name not in WITHOUT_RESET:
                compiled.reset("llvm")
            inputs = [golden[key] for key in keys if key.startswith(f"in{sample}_")]
            outputs = [golden[key] for key in keys if key.startswith(f"out{sample}_")]
            found: Any = compiled.run(*inputs, engine="llvm")
            results = found if isinstance(found, tuple) else (found,)
            assert_close(results, outputs, f"{name}, sample {sample}")


@pytest.mark.parametrize("name", sweep(OTHERS))
def test_networks_with_state_or_indices(name: str, shared_models: Path) -> None:
    compiled = forebay.compile(shared_models / f"{name}.tflite")
    with np.load(shared_models / "golden" / OTHERS[name] / f"{name}.npz") as golden:
        for sample in range(4):
            compiled.reset("llvm")
            found = compiled.run(golden[f"in{sample}_0"], engine="llvm")
            assert_close([np.asarray(found)], [golden[f"out{sample}_0"]], f"sample {sample}")


def test_every_network_is_listed(shared_models: Path) -> None:
    manifest = json.loads((shared_models / "wider" / "manifest.json").read_text())
    names = {model["name"] for model in manifest["models"]}
    assert names == set(RIGHT)
