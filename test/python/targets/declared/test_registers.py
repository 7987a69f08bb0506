"""Declared intrinsics with an operand in a register, which another intrinsic sets."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import forebay
from forebay import targets
from forebay.pipelines import PipelineError

MACHINE = Path(__file__).parents[3] / "common" / "machines" / "stationary_machine.py"


@pytest.mark.parametrize(("array", "calls"), [(81920, 12), (1500, 197)])
def test_tiles_of_weights_fit_into_the_register(
    array: int, calls: int, shared_models: Path
) -> None:
    """Layers of a depth of 640 and 128; 1,500 bytes hold 2 and 11 of their columns."""
    golden = np.load(shared_models / "golden" / "tflm" / "ad01_int8.npz")
    model = shared_models / "ad01_int8.tflite"
    found = forebay.compile(model, target=f"{MACHINE}:array={array}")
    for engine in ("emulator", "c", "llvm"):
        np.testing.assert_array_equal(found.run(golden["in0_0"], engine=engine), golden["out0_0"])
    machine = found.emulator()
    machine.run([golden["in0_0"]])
    counts = machine.report.calls
    assert counts["@npu.preload"] == counts["@npu.multiply"] == calls


def test_a_register_that_holds_no_whole_reduction_is_refused(shared_models: Path) -> None:
    with pytest.raises(PipelineError) as caught:
        forebay.compile(shared_models / "ad01_int8.tflite", target=f"{MACHINE}:array=500")
    assert "a call of 'multiply' takes at most 500 of the 640 in 'depth'" in str(caught.value)


def test_a_register_that_nothing_sets_is_a_mistake_of_the_target(tmp_path: Path) -> None:
    text = MACHINE.read_text(encoding="utf-8")
    path = tmp_path / "npu.py"
    path.write_text(text.replace("intrinsics=(preload, multiply)", "intrinsics=(multiply,)"))
    with pytest.raises(targets.TargetError) as caught:
        targets.load(str(path))
    assert (
        "'multiply' takes 'weights' from the register 'weights', but no intrinsic of 'npu' can set "
        "it from one operand"
    ) in str(caught.value)
