"""Intrinsics that compute an operator together: sums that another intrinsic stores as results."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import forebay
from forebay import targets

MACHINE = Path(__file__).parents[3] / "common" / "machines" / "accumulating_machine.py"


def require_bits(parameters: str, name: str, models: Path) -> forebay.Compiled:
    """Three engines give TFLite Micro's bits."""
    golden = np.load(models / "golden" / "tflm" / f"{name}.npz")
    found = forebay.compile(models / f"{name}.tflite", target=f"{MACHINE}:{parameters}")
    assert found.offload.share_of_macs("npu") == 1.0
    for engine in ("emulator", "c", "llvm"):
        np.testing.assert_array_equal(found.run(golden["in0_0"], engine=engine), golden["out0_0"])
    return found


def test_results_are_scaled_and_clipped_on_their_way_out(shared_models: Path) -> None:
    """Three layers; the depth of 16 of the last two is added in parts of 8 or fewer."""
    found = require_bits("depth=8", "hello_world_int8", shared_models)
    machine = found.emulator()
    machine.run([np.zeros((1, 1), np.int8)])
    counts = machine.report.calls
    assert counts["@npu.fc_begin"] == counts["@npu.fc_store"] >= 3
    assert counts["@npu.fc_add"] >= 2
    assert set(counts) == {"@npu.load", "@npu.fc_begin", "@npu.fc_add", "@npu.fc_store"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("parameters", "name"),
    [
        ("spad=8192", "ad01_int8"),
        ("spad=2048,acc=512", "ad01_int8"),
        ("spad=24576,depth=16", "resnet8_int8"),
    ],
)
def test_networks(parameters: str, name: str, shared_models: Path) -> None:
    require_bits(parameters, name, shared_models)


def with_mistake(folder: Path, old: str, new: str) -> str:
    text = MACHINE.read_text(encoding="utf-8")
    assert old in text
    path = folder / "npu.py"
    path.write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(targets.TargetError) as caught:
        targets.load(str(path))
    return str(caught.value)


def test_sums_that_nothing_continues(tmp_path: Path) -> None:
    begin = '        Intrinsic(f"{prefix}_add", f"npu_{prefix}_add", middle, reduced, **shared),\n'
    assert (
        "'fc_begin' computes the first part of a fully connected layer, but no intrinsic of 'npu' "
        "with the same computation object computes a part between"
    ) in with_mistake(tmp_path, begin, "")


def test_two_ways_to_end_sums(tmp_path: Path) -> None:
    old = '        Intrinsic(f"{prefix}_add"'
    last = 'operands("x", "weights", "sums", *END, "y", sums="in")'
    scalars = '(*reduced, "y_zero_point")'
    names = 'f"{prefix}_last", f"npu_{prefix}_last"'
    more = f"        Intrinsic({names}, {last}, {scalars}, **shared),\n"
    assert (
        "'fc_last' computes the last part of a fully connected layer, but 'fc_store' computes the "
        "result of finished sums; give 'fc_last' a computation object of its own"
    ) in with_mistake(tmp_path, old, more + old)


def test_a_part_without_its_input(tmp_path: Path) -> None:
    old = 'middle = operands("x", "weights"'
    assert "'fc_add' lacks the operand 'weights' of a fully connected layer" in with_mistake(
        tmp_path, old, 'middle = operands("x"'
    )
