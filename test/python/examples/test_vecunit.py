"""The example of declared intrinsics: TFLite Micro's bits in any memory."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import forebay

EXAMPLE = Path(__file__).parents[3] / "examples" / "target" / "vecunit.py"


def test_it_is_a_description_only() -> None:
    text = EXAMPLE.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 80
    assert not any(word in text for word in ("Pattern(", "stage=", "lower_in_tiles", "emit."))


@pytest.mark.slow
@pytest.mark.parametrize("vmem", [32768, 2048])
@pytest.mark.parametrize("name", ["ad01_int8", "resnet8_int8"])
def test_networks_have_the_bits_of_tflite_micro(name: str, vmem: int, shared_models: Path) -> None:
    golden = np.load(shared_models / "golden" / "tflm" / f"{name}.npz")
    found = forebay.compile(shared_models / f"{name}.tflite", target=f"{EXAMPLE}:vmem={vmem}")
    assert found.plan.peak("vmem") <= vmem
    for engine in ("emulator", "c", "llvm"):
        result = found.run(golden["in0_0"], engine=engine)
        np.testing.assert_array_equal(result, golden["out0_0"])
    for engine in ("c", "llvm"):
        (result,) = found.checked(engine).run([golden["in1_0"]])
        np.testing.assert_array_equal(result, golden["out1_0"])


@pytest.mark.slow
@pytest.mark.parametrize("vmem", [32768, 2048])
@pytest.mark.parametrize("name", ["ad01_int8", "resnet8_int8"])
def test_transfers_and_calls_overlap(name: str, vmem: int, shared_models: Path) -> None:
    golden = np.load(shared_models / "golden" / "tflm" / f"{name}.npz")
    found = forebay.compile(shared_models / f"{name}.tflite", target=f"{EXAMPLE}:vmem={vmem}")
    machine = found.emulator()
    machine.run([golden["in0_0"]])
    rows = re.findall(r"^vec\.(in|run|out) +([\d,]+) ", str(machine.report), re.MULTILINE)
    busy = {queue: int(cycles.replace(",", "")) for queue, cycles in rows}
    assert machine.report.cycles <= 1.15 * max(busy.values())


def test_what_does_not_fit_is_refused_with_the_least_memory(shared_models: Path) -> None:
    with pytest.raises(
        forebay.Error,
        match=r"FULLY_CONNECTED #0 .*the smallest tile of this fully connected layer needs 1,312 "
        r"bytes of vmem, but 1,024 are free; give vmem more",
    ):
        forebay.compile(shared_models / "ad01_int8.tflite", target=f"{EXAMPLE}:vmem=1024")
