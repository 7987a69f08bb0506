"""The version has one home, `pyproject.toml`."""

import re
import subprocess
import sys
from pathlib import Path

import forebay

ROOT = Path(__file__).parents[3]


def test_the_version_is_the_package_s() -> None:
    (version,) = re.findall(r'^version = "(.*)"$', (ROOT / "pyproject.toml").read_text(), re.M)
    assert forebay.__version__ == version
    command = [str(Path(sys.executable).with_name("forebay")), "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == f"forebay {version}\n"
