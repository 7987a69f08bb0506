"""Networks on the machine of the tree, from file to running C, and what the command says of it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from common import networks
from common.loaded_commands import run_forebay

NETWORKS = ["resnet8_int8", "kws_dscnn_int8", "person_detect_int8", "mobilenetv2_tf2_int8"]


@pytest.mark.parametrize("name", NETWORKS)
def test_the_c_gives_the_bits_of_tflite_micro(name: str, shared_models: Path) -> None:
    compiled = networks.compiled(shared_models / f"{name}.tflite", target="fetch_conv")
    assert compiled.offload is not None
    assert compiled.offload.share_of_macs("accel") >= 0.95
    with np.load(shared_models / "golden" / "tflm" / f"{name}.npz") as golden:
        for index in range(2):
            expected = golden[f"out{index}_0"]
            np.testing.assert_array_equal(compiled.run(golden[f"in{index}_0"]), expected)


@pytest.mark.parametrize("engine", ["emulator", "llvm"])
def test_engines_agree_on_the_machine(engine: str, shared_models: Path) -> None:
    compiled = networks.compiled(shared_models / "kws_dscnn_int8.tflite", target="fetch_conv")
    with np.load(shared_models / "golden" / "tflm" / "kws_dscnn_int8.npz") as golden:
        actual = compiled.run(golden["in0_0"], engine=engine)
        np.testing.assert_array_equal(actual, golden["out0_0"])


def test_report_and_placement_are_written_and_read(digits: Path, tmp_path: Path) -> None:
    options = ("--target", "fetch_conv", "--offload-report", "report.json")
    first = run_forebay(
        "compile", digits, *options, "--save-placement", "where.json", "-o", "a", cwd=tmp_path
    )
    assert first.returncode == 0, first.stderr
    report = json.loads((tmp_path / "report.json").read_text("utf-8"))
    assert report["target"] == "fetch_conv"
    assert report["devices"]["accel"]["share_of_macs"] == 1.0
    assert report["operators"][0] == {
        "index": 0,
        "kind": "CONV_2D",
        "name": "stem",
        "device": "accel",
        "pattern": "conv2d",
        "reasons": [],
        "macs": 9216,
        "bytes": 1383,
    }
    where = json.loads((tmp_path / "where.json").read_text("utf-8"))
    where["operators"][0]["device"] = "cpu"
    (tmp_path / "where.json").write_text(json.dumps(where), encoding="utf-8")
    second = run_forebay(
        "compile", digits, *options, "--placement", "where.json", "-o", "b", cwd=tmp_path
    )
    assert second.returncode == 0, second.stderr
    moved = json.loads((tmp_path / "report.json").read_text("utf-8"))["operators"]
    assert (moved[0]["device"], moved[0]["reasons"]) == ("cpu", ["placed on 'cpu' by the user"])
    assert moved[1:] == report["operators"][1:]


def test_the_text_report_goes_to_the_terminal(digits: Path, tmp_path: Path) -> None:
    result = run_forebay("compile", digits, "--offload-report", "-", "-o", "a", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert ["host", "14", "139,008", "100.00", "%"] in [
        line.split()[:5] for line in result.stdout.splitlines()
    ]
    assert "0  CONV_2D            stem        host" in result.stdout


@pytest.mark.parametrize(
    ("placement", "message"),
    [
        (
            "3=accel",
            "ADD 'block' is placed on 'accel', which does not take it: accel has no "
            "pattern for ADD",
        ),
        (
            "3=npu",
            "operator '3' is placed on 'npu', which is none of the target's devices: cpu, accel",
        ),
        ("stam=cpu", "there is no operator 'stam'; the operators are 0 stem, 1 near, 2 mix"),
    ],
)
def test_impossible_placements_are_errors(
    placement: str, message: str, digits: Path, tmp_path: Path
) -> None:
    options = ("--target", "fetch_conv", "--place", placement)
    result = run_forebay("compile", digits, *options, cwd=tmp_path)
    assert result.returncode == 1
    assert message in result.stderr
    assert "Traceback" not in result.stderr


def test_pools_in_words_hold_a_network(digits: Path, tmp_path: Path) -> None:
    pools = (
        *("--target", "accel,cpu", "--workspace-pools", "dtcm,sram"),
        *("--workspace-pool-dtcm", "access=cpu:rw;size=1000;align=16"),
        *("--constant-pools", "itcm,flash", "--constant-pool-itcm=access=cpu:r;size=5000"),
    )
    printed = run_forebay("target", "accel,cpu", *pools[2:], cwd=tmp_path)
    assert printed.stdout.splitlines()[1:7] == [
        '  accel.device @accel kind "accel"',
        '  accel.device @cpu kind "cpu" host',
        "  memref_pool.pool @dtcm workspace capacity 1000 align 16 read [@cpu] write [@cpu]",
        "  memref_pool.pool @sram workspace align 16",
        "  memref_pool.pool @itcm constant capacity 5000 align 16 read [@cpu]",
        "  memref_pool.pool @flash constant align 16",
    ]
    result = run_forebay("compile", digits, *pools, "-o", "out", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    peaks = {
        words[0]: int(words[2].replace(",", ""))
        for words in map(str.split, result.stdout.splitlines())
        if words[:1] and words[0] in ("dtcm", "sram", "itcm", "flash")
    }
    # Every buffer above 1000 bytes falls back to sram, and the weights do not fit into itcm alone.
    assert peaks["dtcm"] <= 1000
    assert peaks["itcm"] <= 5000
    assert peaks["itcm"] + peaks["flash"] >= 10_904
    assert min(peaks.values()) > 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ("--target", "cpu", "--workspace-pools", "a", "--workspace-pool-b", "size=3"),
            "--workspace-pool-b describes no pool of --workspace-pools, which lists a",
        ),
        (
            ("--workspace-pools", "a"),
            "pools without a file need the devices: --target accel,cpu, the host last",
        ),
        (
            ("--target", "cpu", "--workspace-pool-b"),
            "--workspace-pool-b needs the properties of the pool: --workspace-pool-b "
            '"access=cpu:rw;size=1000"',
        ),
    ],
)
def test_words_that_cannot_be_are_errors(
    options: tuple[str, ...], message: str, digits: Path, tmp_path: Path
) -> None:
    result = run_forebay("compile", digits, *options, cwd=tmp_path)
    assert result.returncode == 1
    assert result.stderr == f"forebay: error: {message}\n"
