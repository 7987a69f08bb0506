"""Networks on declared intrinsics: what they take, and TFLite Micro's bits in any layout."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from common.partitioned import Program, partitioned
from common.sweep import sweep
from mlir import ir

from forebay import targets

MACHINE = Path(__file__).parents[3] / "common" / "machines" / "declared_machine.py"
HOST = {
    "resnet8_int8": ["RESHAPE", "SOFTMAX"],
    "kws_dscnn_int8": ["RESHAPE", "SOFTMAX"],
    "person_detect_int8": ["RESHAPE", "SOFTMAX"],
    "ad01_int8": [],
}
"""The operators that no declared intrinsic implements."""


@pytest.mark.parametrize("blocks", [0, 1])
@pytest.mark.parametrize("name", sweep(sorted(HOST), 2))
def test_results_are_those_of_tflite_micro(name: str, blocks: int, shared_models: Path) -> None:
    golden = np.load(shared_models / "golden" / "tflm" / f"{name}.npz")
    with ir.Context(), ir.Location.unknown():
        machine = targets.load(f"{MACHINE}:blocks={blocks}")
        module, report = partitioned(shared_models / f"{name}.tflite", machine)
        assert [o.kind for o in report.operators if o.device == "cpu"] == HOST[name]
        program = Program(module)
    for index in range(2):
        (actual,) = program(golden[f"in{index}_0"].view(np.int8))
        expected = golden[f"out{index}_0"]
        np.testing.assert_array_equal(actual.view(expected.dtype), expected)
