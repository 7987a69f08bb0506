"""Build of the library in a source tree that is not installed; it needs a C++17 compiler."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from forebay.planning.core.library import FILE


def main() -> int:
    """Compile `core.cpp` and return the compiler's exit code."""
    flags = ["-O3", "-std=c++17", "-pthread", "-shared", "-fPIC", "-fvisibility=hidden"]
    source = Path(__file__).with_name("core.cpp")
    compiler = os.environ.get("CXX", "c++")
    return subprocess.run([compiler, *flags, source, "-o", FILE], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
