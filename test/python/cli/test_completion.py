"""What shells complete, asked from the shells themselves."""

import shutil
import subprocess
from pathlib import Path

import pytest

from forebay.cli.completion import completion_text
from forebay.cli.main import main
from forebay.cli.parser import COMMANDS

pytest.importorskip("shtab")


def completed_by_bash(script: Path, *words: str) -> list[str]:
    """What bash offers for the last word."""
    ask = (
        "source $1; shift; function=$(complete -p forebay); function=${function##*-F };"
        'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); ${function%% *} forebay "${@: -1}" "";'
        'printf "%s\\n" "${COMPREPLY[@]}"'
    )
    command = ["bash", "--norc", "-c", ask, "bash", str(script), "forebay", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stdout.split()


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("bash") is None:
        pytest.skip("there is no bash in PATH")
    path = tmp_path_factory.mktemp("completion") / "forebay.bash"
    path.write_text(completion_text("bash"))
    return path


def test_bash_completes_commands_options_and_names(script: Path):
    assert completed_by_bash(script, "") == [*COMMANDS]
    assert completed_by_bash(script, "compile", "--opt") == ["--optimize"]
    assert completed_by_bash(script, "compile", "--optimize", "s") == ["speed", "size"]
    assert "mps3-an547" in completed_by_bash(script, "mcu", "--board", "")
    assert completed_by_bash(script, "schema", "memory-m") == ["memory-map"]


def test_bash_completes_files_of_a_path(script: Path, tmp_path: Path, monkeypatch):
    (tmp_path / "net.mlir").touch()
    monkeypatch.chdir(tmp_path)
    assert completed_by_bash(script, "compile", "ne") == ["net.mlir"]


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_parse_their_script(shell: str, capsys, tmp_path: Path):
    assert main(["completion", shell]) == 0
    text = capsys.readouterr().out
    assert "update-constants" in text
    if shutil.which(shell) is None:
        pytest.skip(f"there is no {shell} in PATH")
    path = tmp_path / f"forebay.{shell}"
    path.write_text(text)
    subprocess.run([shell, "-n", str(path)], check=True)
