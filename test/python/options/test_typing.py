"""A type checker knows the options of `forebay.compile`."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """\
import forebay

reveal_type(forebay.compile("net.tflite", target="host", slots=3, place={"conv": "accel"}))
reveal_type(forebay.Options(place={"conv": "accel"}).place)
forebay.compile("net.tflite", slots="3")
forebay.compile("net.tflite", io="stack")
forebay.compile("net.tflite", slot=3)
forebay.compile_with("net.tflite", forebay.Options(strict=1))
"""


def test_wrong_options_are_errors_of_types(tmp_path: Path) -> None:
    pyright = Path(sys.executable).with_name("pyright")
    if not pyright.exists():
        if os.environ.get("CI"):
            pytest.fail("pyright is not installed")
        pytest.skip("pyright is not installed: pip install '.[dev]'")
    (tmp_path / "program.py").write_text(PROGRAM)
    command = [str(pyright), "--pythonpath", sys.executable, "--outputjson", "program.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    found = [
        (diagnostic["range"]["start"]["line"] + 1, diagnostic["message"])
        for diagnostic in json.loads(done.stdout)["generalDiagnostics"]
    ]
    assert [line for line, _ in found] == [3, 4, 5, 6, 7, 8]
    assert 'is "Compiled"' in found[0][1]
    assert 'is "tuple[tuple[str, str], ...]"' in found[1][1]
    assert '"slots"' in found[2][1]
    assert '"io"' in found[3][1]
    assert '"slot"' in found[4][1]
    assert '"strict"' in found[5][1]
