"""`forebay compile --emit`: a target's own form of the project, complete or not at all."""

import json
import subprocess
from pathlib import Path

import pytest
from common.loaded_commands import run_forebay

import forebay

TARGET = """
import json

from forebay.api.target import CompiledProgram, Device, Emission, Pool, Target


def ports(program: CompiledProgram):
    step = program.info.golden[0]
    facts = {
        "inputs": [port.name for port in program.info.inputs],
        "expected": [data.tolist() for data in step.outputs],
    }
    name = f"{program.prefix}.c"
    return {"ports.json": json.dumps(facts), f"src/{name}": program.project[name]}


def fails(program):
    return {"a": "1", "b": program.nothing}


TARGET = Target(
    "npu",
    devices=(Device("cpu", kind="cpu", host=True),),
    pools=(Pool("ram", "workspace"), Pool("rom", "constant")),
    emissions=(Emission("ports", write=ports), Emission("fails", write=fails)),
)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "npu.py").write_text(TARGET)
    return tmp_path


def compile_(digits: Path, emit: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return run_forebay(
        "compile", digits, "--target", "npu.py", "--emit", emit, "-o", "out", cwd=cwd
    )


def test_the_emission_is_written_instead_of_the_project(digits: Path, folder: Path) -> None:
    result = compile_(digits, "ports", folder)
    assert result.returncode == 0, result.stderr
    assert "wrote out: ports.json, src" in result.stdout
    names = {path.relative_to(folder / "out").as_posix() for path in folder.rglob("out/**/*")}
    assert names == {"forebay-manifest.json", "ports.json", "src", "src/digits_int8.c"}
    facts = json.loads((folder / "out/ports.json").read_text())
    expected = forebay.compile(digits).expected_outputs().steps[0]
    assert facts["expected"] == [data.tolist() for data in expected.outputs]
    assert len(facts["inputs"]) == 1


def test_a_second_run_replaces_what_the_first_one_wrote(digits: Path, folder: Path) -> None:
    compiled = forebay.compile(digits, target=folder / "npu.py")
    compiled.write(folder / "out")
    compiled.write(folder / "out", emit="ports")
    assert not (folder / "out/CMakeLists.txt").exists()
    assert (folder / "out/ports.json").exists()


@pytest.mark.parametrize(
    ("emit", "message"),
    [
        ("elf", "forebay: error: target 'npu' has no emission 'elf'; it has ports, fails"),
        ("fails", "npu.py:18: emission 'fails' failed: AttributeError: "),
    ],
)
def test_refusals_write_nothing(digits: Path, folder: Path, emit: str, message: str) -> None:
    result = compile_(digits, emit, folder)
    assert result.returncode == 1
    assert message in result.stderr
    assert not (folder / "out").exists()


def test_files_of_the_user_are_kept(digits: Path, folder: Path) -> None:
    (folder / "out").mkdir()
    (folder / "out/mine.txt").write_text("mine")
    result = compile_(digits, "ports", folder)
    assert result.returncode == 1
    assert "holds files but no 'forebay-manifest.json'" in result.stderr
    assert [path.name for path in (folder / "out").iterdir()] == ["mine.txt"]


def test_an_emission_needs_a_target(tmp_path: Path) -> None:
    own = tmp_path / "own.mlir"
    own.write_text("""
accel.device @cpu kind "cpu" host
memref_pool.pool @ram workspace
func.func @main(%x: tensor<4xi32>) -> tensor<4xi32> {
  %0 = tosa.add %x, %x : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}
""")
    with pytest.raises(forebay.Error, match="emission 'ports' needs a target that has it"):
        forebay.compile(own).write(tmp_path / "out", emit="ports")


def test_two_emissions_of_one_name_are_refused(digits: Path, folder: Path) -> None:
    (folder / "npu.py").write_text(TARGET.replace('"fails"', '"ports"'))
    with pytest.raises(forebay.Error, match="target 'npu' has the emission 'ports' twice"):
        forebay.compile(digits, target=folder / "npu.py")
