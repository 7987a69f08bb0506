"""The network that ships: accuracy, bits, plan, project."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from common import networks

import forebay


@pytest.fixture(scope="module")
def compiled(digits: Path) -> forebay.Compiled:
    return networks.compiled(digits)


def test_every_heldout_digit_gives_the_golden_bits(
    compiled: forebay.Compiled, digits: Path
) -> None:
    with np.load(digits.parent / "digits_heldout.npz") as heldout:
        outputs = np.concatenate([compiled.run(x[np.newaxis]) for x in heldout["inputs"]])
        np.testing.assert_array_equal(outputs, heldout["outputs"])
        assert (outputs.argmax(axis=1) == heldout["labels"]).mean() >= 0.97


def test_the_workspace_is_at_its_lower_bound(compiled: forebay.Compiled) -> None:
    # block (8x8x16) is alive while down (4x4x32) is read and short_pool (4x4x16) comes: see the
    # network's drawing; the greatest need is the first level's 1,024 + 1,024 bytes of two tensors.
    assert compiled.plan.peak("workspace") == compiled.plan.lower_bound("workspace")
    assert compiled.plan.gap("workspace") == 0
    assert compiled.operators == 14


def test_weights_appear_once(compiled: forebay.Compiled, tmp_path: Path) -> None:
    project = compiled.write(tmp_path / "out")
    memory = json.loads((project / "digits_int8.json").read_text())
    constants = [b for b in memory["buffers"] if b["pool"] == "weights"]
    assert sum(b["size"] for b in constants) <= compiled.plan.peak("weights")
    names = [b["name"] for b in constants]
    assert len(names) == len(set(names)) > 10


@pytest.mark.parametrize("io", ["caller", "pool"])
def test_the_selftest_of_the_project_passes(io: str, digits: Path, tmp_path: Path) -> None:
    project = forebay.compile(digits, io=io).write(tmp_path / "out")
    program = tmp_path / "selftest"
    sources = sorted(map(str, project.glob("*.c")))
    subprocess.run(["cc", "-std=c99", "-O1", *sources, "-lm", "-o", str(program)], check=True)
    assert subprocess.run([program], check=False).returncode == 0


def test_the_example_prints_what_the_readme_promises(digits: Path) -> None:
    script = digits.parent / "run.py"
    result = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    assert "workspace" in result.stdout
    assert "held-out digits read correctly: 446 of 449 (99.3%)" in result.stdout
    assert "outputs equal to TFLite Micro's, bit for bit: 449 of 449" in result.stdout
