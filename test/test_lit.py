"""Every `.mlir` file below this folder is a lit test of its own, and so one of pytest's."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent
FILES = sorted(
    path.relative_to(ROOT).as_posix()
    for path in ROOT.rglob("*.mlir")
    if path.relative_to(ROOT).parts[0] not in ("python", "_build")
)


@pytest.mark.parametrize("name", FILES)
def test_lit(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOREBAY_LIT_OUTPUT", str(tmp_path))
    lit = "import sys; from lit.main import main; sys.argv[0] = 'lit'; main()"
    result = subprocess.run(
        [sys.executable, "-c", lit, "-v", str(ROOT / name)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert "Passed: 1" in result.stdout, f"{name} ran no test:\n{result.stdout}"


def test_there_are_lit_tests() -> None:
    assert FILES
