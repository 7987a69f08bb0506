"""The command line: summaries, files, exit codes, and errors without a traceback."""

import json
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest
from common.loaded_commands import commands
from common.loaded_commands import run_forebay as forebay
from common.model_file import Graph, Op, T, build


def test_compile_writes_a_project_and_says_what_is_in_it(digits: Path, tmp_path: Path) -> None:
    result = forebay("compile", digits, "--target", "host", "-o", "out", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert "digits_int8: 14 operators" in result.stdout
    assert "optimal" in result.stdout
    assert result.stderr == ""
    assert {path.suffix for path in (tmp_path / "out").iterdir()} >= {".c", ".h", ".json", ".txt"}


def test_reports_do_not_overwrite_files_of_the_project(digits: Path, tmp_path: Path) -> None:
    def compiled(*reports: str) -> str:
        result = forebay("compile", str(digits), "-o", "out", *reports, cwd=tmp_path)
        assert "Traceback" not in result.stderr
        assert result.returncode == (1 if result.stderr else 0)
        return result.stderr

    project = tmp_path / "out"
    project.mkdir()
    assert "digits_int8.json: this is a file of the output in 'out'" in compiled(
        "--report", "out/digits_int8.json"
    )
    written = {path: path.read_bytes() for path in project.rglob("*") if path.is_file()}
    assert project / "digits_int8.json" in written
    reports = ("--report", "--offload-report", "--save-placement")
    names = ("digits_int8.h", "zephyr/module.yml", "forebay-manifest.json")
    for report, name in zip(reports, names, strict=True):
        assert f"{name}: this is a file of the output" in compiled(report, f"out/{name}")
    assert "two reports have this name" in compiled("--report", "r", "--offload-report", "./r")
    assert {path: path.read_bytes() for path in project.rglob("*") if path.is_file()} == written
    assert not compiled("--report", "out/digits_int8.html")
    assert (project / "digits_int8.html").read_text().startswith("<!DOCTYPE html>")


def test_run_takes_and_gives_arrays(digits: Path, tmp_path: Path) -> None:
    with np.load(digits.parent / "digits_heldout.npz") as heldout:
        np.save(tmp_path / "x.npy", heldout["inputs"][:1])
        golden = heldout["outputs"][:1]
    for engine in ("c", "llvm", "emulator"):
        flags = ("--input", "x.npy", "--output", "y.npz", "--engine", engine)
        result = forebay("run", digits, *flags, cwd=tmp_path)
        assert result.returncode == 0, result.stderr
        with np.load(tmp_path / "y.npz") as outputs:
            np.testing.assert_array_equal(outputs["scores"], golden)


def test_run_writes_the_emulator_s_timeline(digits: Path, tmp_path: Path) -> None:
    result = forebay("run", digits, "--engine", "emulator", "--trace", "t.json", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert "every access checked" in result.stdout
    assert "\nwrote t.json: 0 cycles, without the host's work\n" in result.stdout
    assert "the host's work is not modelled" in result.stdout
    events = json.loads((tmp_path / "t.json").read_text())["traceEvents"]
    assert "accel.reduce" in {event["name"] for event in events}


def test_run_models_the_host_at_a_rate(digits: Path, tmp_path: Path) -> None:
    flags = ("--engine", "emulator", "--host-rate", "2")
    result = forebay("run", digits, *flags, cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert "cycles modelled" in result.stdout
    assert "not modelled" not in result.stdout
    rows = [line.split() for line in result.stdout.splitlines() if " CONV_2D #0 " in line]
    assert [row[-1] for row in rows] == ["host"]


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (("--host-rate", "2"), "--host-rate is a parameter of the timing model; add --engine"),
        (("--engine", "emulator", "--host-rate", "0"), "--host-rate 0.0: give a number above 0"),
    ],
)
def test_a_rate_that_cannot_be_used(
    digits: Path, tmp_path: Path, flags: tuple[str, ...], message: str
) -> None:
    result = forebay("run", digits, *flags, cwd=tmp_path)
    assert result.returncode == 1
    assert message in result.stderr


def test_a_timeline_needs_the_emulator(digits: Path, tmp_path: Path) -> None:
    result = forebay("run", digits, "--trace", "t.json", cwd=tmp_path)
    assert result.returncode == 1
    assert "--trace writes what the emulator models; add --engine emulator" in result.stderr
    assert not (tmp_path / "t.json").exists()


def test_run_compares_the_model_s_values(digits: Path, tmp_path: Path) -> None:
    result = forebay("run", digits, "--engine", "emulator", "--check-values", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert "tensors are as the model has them, and all outputs\n" in result.stdout
    result = forebay("run", digits, "--check-values", cwd=tmp_path)
    assert result.returncode == 1
    assert "--check-values is a check of the emulator's; add --engine emulator" in result.stderr


def test_run_takes_pictures(digits: Path, tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    with np.load(digits.parent / "digits_heldout.npz") as heldout:
        pixels = (heldout["inputs"][0, :, :, 0].astype(np.int16) + 128).astype(np.uint8)
        golden = heldout["outputs"][0]
    image.fromarray(pixels).save(tmp_path / "x.png")
    result = forebay("run", digits, "--input", "x.png", "--output", "y.npz", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    with np.load(tmp_path / "y.npz") as outputs:
        np.testing.assert_array_equal(outputs["scores"][0], golden)


def test_the_printed_pipeline_is_one_that_forebay_opt_takes(digits: Path, tmp_path: Path) -> None:
    pipeline = forebay("pipeline", "--io", "pool", cwd=tmp_path).stdout.strip()
    source = (
        "func.func @main(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {\n"
        "  %y = tosa.abs %x : (tensor<1x4xf32>) -> tensor<1x4xf32>\n"
        "  return %y : tensor<1x4xf32>\n}\n"
    )
    opt = [str(commands() / "forebay-opt"), f"--pass-pipeline={pipeline}"]
    result = subprocess.run(opt, input=source, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert "memref.view" in result.stdout


def test_slots_say_how_deep_loops_are_pipelined(tmp_path: Path) -> None:
    def passes(*options: str) -> str:
        return forebay("pipeline", *options, cwd=tmp_path).stdout

    overlap = "accel-overlap-calls{in-flight=2},accel-pad-sources"
    assert f"accel-pipeline-loops{{slots=2}},{overlap}" in passes()
    assert "accel-pipeline-loops{slots=3}" in passes("--slots", "3")
    assert "accel-pipeline-loops" not in passes("--slots", "1")
    assert "accel-overlap-calls{in-flight=3}" in passes("--in-flight", "3")
    assert "accel-overlap-calls" not in passes("--slots", "1", "--in-flight", "1")
    refused = forebay("pipeline", "--slots", "0", cwd=tmp_path)
    assert refused.returncode == 2
    assert "slots is a number of 1 or more, not 0" in refused.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["compile", "missing.tflite"], 1, "missing.tflite: No such file or directory"),
        (["compile", "notes.txt"], 1, "notes.txt: a model is a .tflite, "),
        (["compile", "empty.tflite"], 1, "empty.tflite"),
        (["compile", "{digits}", "-o", "taken"], 1, "taken"),
        (["compile", "{digits}", "--golden", "notes.txt"], 1, "cannot be read as NumPy arrays"),
        (["compile", "{digits}", "--golden", "wrong.npz"], 1, "goldens are arrays named in0_0"),
        (["compile", "{digits}", "--shape", "image"], 2, "is not of the form input=1x96x96x1"),
        (["run", "{digits}", "--input", "notes.txt"], 1, "inputs are .npy, .npz or .png files"),
        (["run", "{digits}", "--input", "wrong.npz"], 1, "image"),
        (["run", "{digits}", "--output", "y.txt"], 1, "outputs are written to a .npz file"),
        (["run", "{digits}", "--output", "taken"], 1, "taken: is a directory; name a file"),
        (["run", "{digits}", "--output", "no/y.npz"], 1, "y.npz: there is no directory 'no'"),
        (["compile", "{digits}", "--offload-report", "no/r"], 1, "r: there is no directory 'no'"),
        (["compile", "{digits}", "-o", "notes.txt"], 1, "notes.txt' is a file; name a directory"),
        (["compile", "{digits}", "--budget", "12Q"], 2, "'12Q' has the unit 'Q'; units are"),
        (["compile", "{digits}", "--budget", "1K", "--budget", "2K"], 1, "all pools have two budg"),
        (
            ["compile", "{digits}", "--budget", "workspace=1K", "--budget", "workspace=min"],
            1,
            "budget: pool 'workspace' has two budgets; give one",
        ),
        (
            ["compile", "{digits}", "--shape", "image=1x2", "--shape", "image=1x3"],
            1,
            "shape: 'image' has two shapes; give one",
        ),
        (
            ["compile", "{digits}", "--input-pool", "image=a", "--input-pool", "image=b"],
            1,
            "input_pools: 'image' is named twice",
        ),
        (
            ["target", "cpu", "--workspace-pool-a", "size=1", "--workspace-pool-a", "size=2"],
            1,
            "--workspace-pool-a is given twice; give all properties of the pool in one",
        ),
        (
            ["share", "a", "b", "-o", "c", "--capacity", "ram=1K", "--capacity", "ram=2K"],
            1,
            "--capacity: pool 'ram' has two capacities; give one",
        ),
        ([], 2, "COMMAND"),
    ],
)
def test_wrong_input_is_refused_and_leaves_nothing(
    arguments: list[str], code: int, message: str, digits: Path, tmp_path: Path
) -> None:
    (tmp_path / "notes.txt").write_text("notes")
    (tmp_path / "empty.tflite").write_bytes(b"")
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "thesis.tex").write_text("mine")
    np.savez(tmp_path / "wrong.npz", a=np.zeros(3), b=np.zeros(4))
    before = sorted(path.name for path in tmp_path.rglob("*"))
    result = forebay(*(a.format(digits=digits) for a in arguments), cwd=tmp_path)
    assert result.returncode == code, result.stdout + result.stderr
    assert message in result.stderr
    assert "Traceback" not in result.stderr
    assert sorted(path.name for path in tmp_path.rglob("*")) == before


MAIN = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {{
{line}
return %x : tensor<4xf32>
}}
"""


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("%y = tosa.such %x", "2:6: custom op 'tosa.such' is unknown\n"),  # the parser
        (  # a verifier, with a note
            "%y = tosa.cast %x : (tensor<4xf32>) -> tensor<5xf32>",
            "2:6: 'tosa.cast' op requires the same shape for all operands and results\n",
        ),
    ],
)
def test_an_error_of_mlir_is_one_error_at_its_location(
    line: str, message: str, tmp_path: Path
) -> None:
    (tmp_path / "net.mlir").write_text(MAIN.format(line=line))
    result = forebay("compile", "net.mlir", cwd=tmp_path)
    assert result.returncode == 1
    assert result.stderr.startswith(f"forebay: error: net.mlir:{message}")
    assert result.stderr.count("error:") == 1


def test_unsupported_operators_are_named(tmp_path: Path) -> None:
    tensors = [T((4,), "float32") for _ in range(4)]
    operators = [Op("Mine", [0], [1]), Op("TANH", [1], [2]), Op("Yours", [2], [3])]
    (tmp_path / "net.tflite").write_bytes(build(Graph(tensors, [0], [3], operators)))
    result = forebay("compile", "net.tflite", "-o", "out", cwd=tmp_path)
    assert result.returncode == 1
    assert "net.tflite: not supported are 2 things:" in result.stderr
    assert "operator 0 (Mine)" in result.stderr
    assert "operator 2 (Yours)" in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["net.tflite"]


CALLS_OUTSIDE = """
func.func private @fill(memref<4x8xi8, #memref_pool.space<@ws>>)
memref_pool.pool @ws workspace
func.func @main(%out: memref<4x8xi8, #memref_pool.space<@ws>> {bufferize.result}) {
  call @fill(%out) : (memref<4x8xi8, #memref_pool.space<@ws>>) -> ()
  return
}
"""


@pytest.mark.parametrize(
    "command", [("compile", "-o", "out"), ("run", "--engine", "llvm"), ("run", "--engine", "c")]
)
def test_a_function_without_a_body_is_refused(tmp_path: Path, command: tuple[str, ...]) -> None:
    (tmp_path / "net.mlir").write_text(CALLS_OUTSIDE)
    name, *flags = command
    result = forebay(name, "net.mlir", *flags, cwd=tmp_path)
    assert result.returncode == 1 and "Traceback" not in result.stderr
    assert re.search(r"net\.mlir:(2:1|5:3): function 'fill' has no body", result.stderr)
    assert not (tmp_path / "out").exists()
