"""The share of `forebay compile -o` that the check of the program against the model takes.

python benchmarks/golden.py [NETWORK ...]

Each network is compiled and written in a fresh process, imports included. "check" is the CPU time
of the interpreter, its imports and the comparison; the program's own run by LLVM is part of the
total. Times are in seconds, of all threads, the lowest of three processes. The exit code is 1 if
the check takes more than a fifth.
"""

import json
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from measurement.networks import networks
from measurement.table import figures

from forebay.reports.table import show

NAMES = [
    "resnet8_int8",
    "kws_dscnn_int8",
    "ad01_int8",
    "person_detect_int8",
    "mobilenetv2_tf2_int8",
]
SHARE = 0.2
ROUNDS = 3


def main() -> int:
    """Print the table; return 1 if the check takes more than the allowed share."""
    if sys.argv[1:2] == ["--one"]:
        print(json.dumps(_measured(Path(sys.argv[2]))))
        return 0
    known = {network.name: network.path for network in networks()}
    names = sys.argv[1:] or [name for name in NAMES if name in known] or list(known)
    rows = [_row(name, known[name]) for name in names]
    show([figures(["network", "check", "total", "share", ""], rows)])
    return int(any(row[-1] == "FAIL" for row in rows))


def _row(name: str, path: Path) -> list[str]:
    command = [sys.executable, __file__, "--one", str(path)]
    runs = [
        json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        for _ in range(ROUNDS)
    ]
    check, total = min(run["check"] for run in runs), min(run["total"] for run in runs)
    share = check / total
    verdict = "ok" if share <= SHARE else "FAIL"
    return [name, f"{check:.3f}", f"{total:.2f}", f"{share:.0%}", verdict]


def _measured(path: Path) -> dict[str, float]:
    """Return the CPU seconds of a compilation in this process, and of the check in it."""
    import forebay  # noqa: PLC0415
    from forebay.golden import choose  # noqa: PLC0415

    spent = 0.0
    original = choose.interpreted

    def interpreted(*given: Any) -> Any:
        nonlocal spent
        begin = time.process_time()
        result = original(*given)
        spent += time.process_time() - begin
        return result

    choose.interpreted = interpreted
    with TemporaryDirectory() as directory:
        forebay.compile(path).write(Path(directory) / "out")
    return {"check": spent, "total": time.process_time()}


if __name__ == "__main__":
    sys.exit(main())
