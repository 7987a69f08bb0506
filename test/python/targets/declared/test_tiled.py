"""Declared intrinsics in tiles: any memory that holds the smallest tile gives the same results."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import forebay

MACHINE = Path(__file__).parents[3] / "common" / "declared_machine.py"


@pytest.mark.slow
@pytest.mark.parametrize(
    "parameters",
    ["spad=49152,rank=1", "spad=16384,rank=4", "blocks=1,spad=24576,rank=3"],
)
def test_resnet8(parameters: str, shared_models: Path) -> None:
    golden = np.load(shared_models / "golden" / "tflm" / "resnet8_int8.npz")
    found = forebay.compile(shared_models / "resnet8_int8.tflite", target=f"{MACHINE}:{parameters}")
    sizes = dict(entry.split("=") for entry in parameters.split(","))
    assert found.plan.peak("spad") <= int(sizes["spad"])
    found.emulator().run([golden["in0_0"]])
    for engine in ("emulator", "llvm"):
        np.testing.assert_array_equal(found.run(golden["in0_0"], engine=engine), golden["out0_0"])
