"""Whole networks on the machine: what it takes, why not the rest, and TFLite Micro's bits."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from common.partitioned import Program, partitioned
from common.sweep import sweep
from mlir import ir

from forebay import targets

NETWORKS = ["resnet8_int8", "kws_dscnn_int8", "person_detect_int8", "mobilenetv2_tf2_int8"]


@pytest.mark.parametrize("name", sweep(NETWORKS, 2))
def test_results_are_those_of_tflite_micro(name: str, shared_models: Path) -> None:
    golden = np.load(shared_models / "golden" / "tflm" / f"{name}.npz")
    with ir.Context(), ir.Location.unknown():
        module, _ = partitioned(shared_models / f"{name}.tflite", targets.load("fetch_conv"))
        program = Program(module)
    for index in range(2):
        inputs = [golden[f"in{index}_0"]]
        (actual,) = program(*(value.view(np.int8) for value in inputs))
        expected = golden[f"out{index}_0"]
        np.testing.assert_array_equal(actual.view(expected.dtype), expected)
