"""Broken models through the whole flow: an error that says so, and nothing left behind."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from common.loaded_commands import run_forebay
from common.sweep import sweep

WORKER = """
import sys
from pathlib import Path
import forebay

folder = Path(sys.argv[1])
refused = 0
for path in sorted(folder.glob("*.tflite")):
    try:
        compiled = forebay.compile(path)
    except forebay.Error as error:
        assert str(error)
        refused += 1
    else:
        assert compiled.info.outputs
print("refused", refused)
"""


def corrupted(file: bytes, generator: np.random.Generator) -> bytes:
    """One to four bytes replaced, in the structure as likely as in the weights."""
    broken = bytearray(file)
    for _ in range(generator.integers(1, 5)):
        # The tables are at the file's ends; weights lie between them.
        region = 3000 if generator.integers(2) else len(broken)
        at = int(generator.integers(8, region))
        broken[at if generator.integers(2) else -at] = int(generator.integers(256))
    return bytes(broken)


@pytest.mark.parametrize("count", sweep([6, 500, 501]))
def test_corruptions_never_crash_the_compiler(count: int, digits: Path, tmp_path: Path) -> None:
    file, generator = digits.read_bytes(), np.random.default_rng(count)
    for number in range(count):
        (tmp_path / f"{number:04}.tflite").write_bytes(corrupted(file, generator))
    result = subprocess.run(
        [sys.executable, "-c", WORKER, str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert result.returncode == 0, result.stderr[-2000:]
    assert count // 10 < int(result.stdout.split()[-1]) < count


@pytest.mark.parametrize("drawn", sweep([2, 20]))
def test_a_refused_model_leaves_no_directory(drawn: int, digits: Path, tmp_path: Path) -> None:
    file, generator = digits.read_bytes(), np.random.default_rng(7)
    broken = [corrupted(file, generator) for _ in range(drawn)]
    broken += [b"", file[:4], file[: len(file) // 2], b"\xff" * 1000]
    seen = 0
    for number, content in enumerate(broken):
        (tmp_path / f"{number}.tflite").write_bytes(content)
        result = run_forebay("compile", f"{number}.tflite", "-o", f"out{number}", cwd=tmp_path)
        assert result.returncode in (0, 1)
        assert "Traceback" not in result.stderr
        assert (tmp_path / f"out{number}").exists() == (result.returncode == 0)
        seen += result.returncode
    assert seen >= 4
    leftovers = [path.name for path in tmp_path.iterdir() if path.name.startswith(".")]
    assert leftovers == []
