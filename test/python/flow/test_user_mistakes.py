"""Mistakes in a user's Python are reported at their line; ours are bugs."""

from __future__ import annotations

from pathlib import Path

import pytest
from mlir import ir

import forebay
from forebay.cli import main as cli

NET = """
func.func @main(%x: tensor<1x64xf32>) -> tensor<1x64xf32> {
  %y = tosa.abs %x : (tensor<1x64xf32>) -> tensor<1x64xf32>
  %z = tosa.exp %y : (tensor<1x64xf32>) -> tensor<1x64xf32>
  return %z : tensor<1x64xf32>
}
"""
PASS = """
from dataclasses import dataclass
from typing import ClassVar
from forebay.passes import Pass

@dataclass(frozen=True)
class Mine(Pass):
    "Fail."
    name: ClassVar[str] = "test-my-mistake"

    def run(self, op):
        helper({})

def helper(table):
    return table["lost"]
"""
TARGET = """
from forebay.targets import Device, Pool, Target

def reserve(call):
    return 1 // 0

def target(*, lanes=8):
    Device("cpu", kind="cpu", host=True)
    return [][lanes]
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "net.mlir").write_text(NET)
    (tmp_path / "mine.py").write_text(PASS)
    (tmp_path / "npu.py").write_text(TARGET)
    (tmp_path / "planner.py").write_text("def plan(buffers, pools):\n    return buffers[99]\n")
    (tmp_path / "syntax.py").write_text("x = 1\ndef plan(:\n")
    (tmp_path / "absent.py").write_text("import no_such_module\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--pass", "after-plan=mine.py"],
            "mine.py:15:1: pass 'test-my-mistake' failed: KeyError: 'lost'",
        ),
        (["--pass", "after-plan=syntax.py"], "syntax.py:2: SyntaxError: invalid syntax"),
        (
            ["--pass", "after-plan=absent.py"],
            "absent.py:1: ModuleNotFoundError: No module named 'no_such_module'",
        ),
        (
            ["--planner", "planner.py", "--io", "pool"],
            "planner.py:2:1: planner 'planner' crashed: IndexError: tuple index out of range",
        ),
        (
            ["--planner", "syntax.py"],
            "syntax.py:2: planner file 'syntax.py' does not load: SyntaxError: invalid syntax",
        ),
        (["--target", "npu.py"], "npu.py:9: IndexError: list index out of range"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_they_have_the_user_s_line(
    options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["compile", "net.mlir", *options]) == 1
    error = capsys.readouterr().err
    assert error == f"forebay: error: {message}\n"
    assert cli.main(["compile", "net.mlir", *options, "--debug"]) == 1
    error = capsys.readouterr().err
    assert error.startswith("Traceback") and error.endswith(f"\nforebay: error: {message}\n")


@pytest.mark.usefixtures("folder")
def test_ours_are_bugs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    import forebay.passes.plan.memref_pool_plan

    monkeypatch.setattr(forebay.passes.plan.memref_pool_plan, "extract_problem", None)
    assert cli.main(["compile", "net.mlir"]) == 70
    error = capsys.readouterr().err
    assert error.startswith(
        "forebay: error: this is a bug of Forebay: pass 'memref-pool-plan' failed: TypeError: "
        "'NoneType' object is not callable at memref_pool_plan.py:"
    )
    assert error.endswith(
        ". A report of it needs the command and its files, the traceback that --debug shows, and "
        "what 'forebay doctor' prints\n"
    )
    assert error.count("\n") == 1
    assert cli.main(["compile", "net.mlir", "--debug"]) == 70
    assert "Traceback" in capsys.readouterr().err


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit])
def test_interrupts_of_a_pass_stay_what_they_are(folder: Path, kind: type[BaseException]) -> None:
    def stop(op: ir.Operation) -> None:
        raise kind

    with pytest.raises(kind):
        forebay.compile(folder / "net.mlir", passes={"before-assign": stop})
    assert forebay.compile(folder / "net.mlir").operators == 2  # the next one is not affected


@pytest.mark.usefixtures("folder")
def test_operators_are_called_by_kind_and_number(
    digits: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["compile", str(digits), "--target", "fetch_conv", "--place", "99=cpu"]) == 1
    error = capsys.readouterr().err
    assert error.startswith("forebay: error: digits_int8.tflite: there is no operator '99'")
    assert error.count("error:") == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"operators": [{"index": 99, "device": "cpu"}]}', "$.operators[0]: there is no operator"),
        (
            '{"operators": [{"index": 1, "device": "npu"}]}',
            "$.operators[0]: operator '1' is placed",
        ),
        ('{"operators": [{"device": "cpu"}]}', "$.operators[0] has neither an 'index' nor"),
        ('{"operators": [{"index": 1}]}', "$.operators[0] needs 'device'"),
    ],
)
def test_a_wrong_placement_file_is_named(
    text: str, message: str, folder: Path, digits: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "place.json").write_text(text)
    words = ["--target", "fetch_conv", "--placement", "place.json"]
    assert cli.main(["compile", str(digits), *words]) == 1
    assert capsys.readouterr().err.startswith(f"forebay: error: place.json: {message}")


@pytest.mark.usefixtures("folder")
def test_what_does_not_fit_is_at_its_operator(
    digits: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--target", "cpu", "--workspace-pools", "ram", "--workspace-pool-ram", "size=1K"]
    assert cli.main(["compile", str(digits), *words]) == 1
    error = capsys.readouterr().err
    assert error.startswith("forebay: error: digits_int8.tflite: ")
    assert " #" in error.splitlines()[0]
    assert "pool 'ram' cannot hold this program in 1,024 bytes; the smallest budget that" in error
