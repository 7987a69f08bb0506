"""The tree is formatted, linted and typed; the tools are those of `.[dev]`."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCES = sorted(
    str(path)
    for folder in ("dialects", "python")
    for suffix in ("cpp", "h")
    for path in (ROOT / folder).rglob(f"*.{suffix}")
)


def run(tool: str, *arguments: str) -> None:
    program = Path(sys.executable).with_name(tool)
    if not program.exists():
        if os.environ.get("CI"):
            pytest.fail(f"{tool} is not installed")
        pytest.skip(f"{tool} is not installed: pip install '.[dev]'")
    command = [str(program), *arguments]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr


def test_ruff_finds_nothing() -> None:
    run("ruff", "check", ".")


def test_python_is_formatted() -> None:
    run("ruff", "format", "--check", ".")


def test_cpp_is_formatted() -> None:
    assert SOURCES
    run("clang-format", "--dry-run", "--Werror", *SOURCES)


@pytest.mark.slow
def test_types_are_right() -> None:
    run("pyright", "--pythonpath", sys.executable)
