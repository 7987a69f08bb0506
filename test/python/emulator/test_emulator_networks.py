"""Whole networks in the emulator: no false alarm, the bits of TFLite Micro, and counts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from common import networks
from common.sweep import sweep

import forebay

NAMES = [
    "hello_world_int8",
    "resnet8_int8",
    "kws_dscnn_int8",
    "micro_speech_int8",
    "ad01_int8",
    "person_detect_int8",
]
SMALL = ["hello_world_int8", "micro_speech_int8"]


def golden(folder: Path, name: str) -> np.lib.npyio.NpzFile:
    return np.load(folder / "golden" / "tflm" / f"{name}.npz")


@pytest.mark.parametrize("io", sweep(["caller", "pool"]))
@pytest.mark.parametrize("name", sweep(NAMES, 5))
def test_outputs_equal_the_goldens(name: str, io: str, shared_models: Path) -> None:
    compiled = networks.compiled(shared_models / f"{name}.tflite", io=io)
    with golden(shared_models, name) as arrays:
        for sample in range(4):
            actual = compiled.run(arrays[f"in{sample}_0"], engine="emulator")
            np.testing.assert_array_equal(actual, arrays[f"out{sample}_0"])


def test_state_lasts_over_a_sequence(shared_models: Path) -> None:
    compiled = networks.compiled(shared_models / "mww_vad_int8.tflite")
    with np.load(shared_models / "golden" / "tflm" / "mww_vad_int8_seq.npz") as sequence:
        for _ in range(2):  # a reset starts again
            compiled.reset("emulator")
            for x, y in zip(sequence["x"], sequence["y"], strict=True):
                np.testing.assert_array_equal(compiled.run(x, engine="emulator"), y)


def test_running_before_the_first_reset_is_refused(shared_models: Path) -> None:
    compiled = forebay.compile(shared_models / "mww_vad_int8.tflite")
    with pytest.raises(forebay.Error, match="reset it before the first run"):
        compiled.run(np.zeros((1, 3, 40), np.int8), engine="emulator")


@pytest.mark.parametrize("name", sweep(["kws_dscnn_int8", "resnet8_int8", "person_detect_int8"]))
def test_a_device_computes_the_goldens(name: str, shared_models: Path) -> None:
    compiled = networks.compiled(shared_models / f"{name}.tflite", target="fetch_conv")
    with golden(shared_models, name) as arrays:
        for sample in range(2):
            actual = compiled.run(arrays[f"in{sample}_0"], engine="emulator")
            np.testing.assert_array_equal(actual, arrays[f"out{sample}_0"])
    assert compiled.report is not None
    assert compiled.report.calls["@accel.conv2d"] >= 9


@pytest.mark.parametrize("poison", [0x00, 0x5A])
def test_poison_never_reaches_an_output(poison: int, digits: Path) -> None:
    compiled = networks.compiled(digits)
    x = np.arange(64, dtype=np.int8).reshape(1, 8, 8, 1)
    (actual,) = compiled.emulator(poison=poison).run([x])
    np.testing.assert_array_equal(actual, compiled.run(x, engine="llvm"))


@pytest.mark.parametrize("name", sweep(SMALL))
def test_element_by_element_reads_what_the_footprints_say(name: str, shared_models: Path) -> None:
    """The two modes share no code for what a kernel accesses or computes."""
    compiled = networks.compiled(shared_models / f"{name}.tflite")
    fast, slow = compiled.emulator(), compiled.emulator(by_element=True)
    with golden(shared_models, name) as arrays:
        x, y = arrays["in0_0"], arrays["out0_0"]
        np.testing.assert_array_equal(fast.run([x])[0], y)
        np.testing.assert_array_equal(slow.run([x])[0], y)
    assert fast.report == slow.report


def test_a_network_with_state_element_by_element(shared_models: Path) -> None:
    compiled = networks.compiled(shared_models / "mww_vad_int8.tflite")
    fast, slow = compiled.emulator(), compiled.emulator(by_element=True)
    with np.load(shared_models / "golden" / "tflm" / "mww_vad_int8_seq.npz") as sequence:
        for engine in (fast, slow):
            engine.reset()
            for x, y in zip(sequence["x"][:3], sequence["y"], strict=False):
                np.testing.assert_array_equal(engine.run([x])[0], y)
    assert fast.report == slow.report


def test_the_report_counts_what_arithmetic_says(shared_models: Path) -> None:
    """hello_world is 1 -> 16 -> 16 -> 1: 16 + 256 + 16 multiplications."""
    compiled = networks.compiled(shared_models / "hello_world_int8.tflite")
    assert compiled.report is None
    compiled.run(np.zeros((1, 1), np.int8), engine="emulator")
    report = compiled.report
    assert report is not None
    assert (report.macs, report.ops) == (288, 3)
    # Two layers of 16 activations, written once and read once.
    assert (report.read["@workspace"], report.written["@workspace"]) == (32, 32)
    assert report.written["@weights"] == 0
    assert "288 MACs" in str(report)
