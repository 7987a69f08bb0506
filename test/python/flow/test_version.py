"""The version has one home, `forebay/version.py`."""

import re
import subprocess
import sys
from pathlib import Path

import forebay

ROOT = Path(__file__).parents[3]


def test_the_version_is_the_package_s() -> None:
    source = (ROOT / "python/forebay/version.py").read_text()
    (version,) = re.findall(r'^VERSION = "(.*)"$', source, re.M)
    assert forebay.__version__ == version
    command = [str(Path(sys.executable).with_name("forebay")), "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == f"forebay {version}\n"
