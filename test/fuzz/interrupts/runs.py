"""Commands in prepared folders, interrupted, and what may be left of them.

A run must exit by the signal's code without a traceback, leave no process and no temporary file,
every file of the user's as it was, and each output as before or as after.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import secrets
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from forebay.codegen.project.build_files.output_manifest import MANIFEST_NAME, Manifest

ROOT = Path(__file__).parents[3]
BIN = Path(sys.executable).parent
DIGITS = ROOT / "examples" / "digits" / "digits_int8.tflite"
MARK = "FOREBAY_INTERRUPTED_RUN"
"""Variable of the environment by which a run's processes are found."""

WORDS_OF_CRASHES = ("Traceback", "Segmentation", "core dumped", "Stack dump", "Exception ignored")
OUTPUTS = ("out", "plan.csv", "y.npz", "trace.json", "opt.mlir", "kept")
"""Names that commands write to, files and directories."""


MINE = "mine.c"
"""A file of the user's among the outputs of a run."""


@dataclass(frozen=True)
class Case:
    """A command in a folder of its own: program and arguments."""

    name: str
    program: str
    arguments: tuple[str, ...]


CASES = (
    Case("compile", "forebay", ("compile", str(DIGITS), "-o", "out")),
    Case("run-c", "forebay", ("run", str(DIGITS), "--output", "y.npz")),
    Case("run-llvm", "forebay", ("run", str(DIGITS), "--engine", "llvm", "--output", "y.npz")),
    Case(
        "run-emulator",
        "forebay",
        ("run", str(DIGITS), "--engine", "emulator", "--trace", "trace.json"),
    ),
    Case("plan", "forebay", ("plan", "problem.csv", "--effort", "high", "--out", "plan.csv")),
    Case("opt", "forebay-opt", ("net.mlir", "--canonicalize", "--cse", "-o", "opt.mlir")),
    Case("mcu", "forebay", ("mcu", str(DIGITS), "--board", "mps3-an547", "-o", "kept")),
)


def runnable_cases() -> tuple[Case, ...]:
    """Those whose tools are here."""
    tools = ("arm-none-eabi-gcc", "qemu-system-arm")
    has_board = all(shutil.which(tool) for tool in tools)
    return tuple(case for case in CASES if has_board or case.name != "mcu")


@dataclass(frozen=True)
class Outcome:
    """How a run ended, and what was wrong with that."""

    code: int
    mistakes: tuple[str, ...]


def prepare(folder: Path) -> None:
    """Files of the user's, and outputs of an earlier run."""
    (folder / "tmp").mkdir(parents=True)
    (folder / "thesis.tex").write_text("years of work")
    (folder / "out").mkdir()
    (folder / "out" / MANIFEST_NAME).write_text(Manifest().text())
    (folder / "out" / MINE).write_text("int main(void) { return 0; }")
    (folder / "plan.csv").write_text("the plan of yesterday")
    (folder / "opt.mlir").write_text("the module of yesterday")
    (folder / "problem.csv").write_text(_problem(400))
    (folder / "net.mlir").write_text(_module(4000))


def _problem(buffers: int) -> str:
    draw = random.Random(7)
    rows = ["id,lower,upper,size"]
    for number in range(buffers):
        lower = draw.randrange(200)
        rows.append(f"b{number},{lower},{lower + draw.randrange(1, 60)},{draw.randrange(1, 4000)}")
    return "\n".join(rows) + "\n"


def _module(operations: int) -> str:
    lines = ["func.func @main(%v0: tensor<4xf32>) -> tensor<4xf32> {"]
    for number in range(operations):
        lines.append(f"  %v{number + 1} = tosa.abs %v{number} : (tensor<4xf32>) -> tensor<4xf32>")
    return "\n".join([*lines, f"  return %v{operations} : tensor<4xf32>", "}"])


def interrupted(case: Case, number: signal.Signals, after: float, folder: Path) -> Outcome:
    """Run a case in a prepared folder; send the signal `after` seconds from its first moment."""
    before, mark = hashes(folder), secrets.token_hex(8)
    environment = {**os.environ, "TMPDIR": str(folder / "tmp"), MARK: mark}
    with subprocess.Popen(
        [str(BIN / case.program), *case.arguments],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        wait_until_blocked(process)
        time.sleep(after)
        process.send_signal(number)
        _, errors = process.communicate()
    text = errors.decode(errors="replace")
    mistakes = [f"stderr has '{word}': {text}" for word in WORDS_OF_CRASHES if word in text]
    if process.returncode not in (0, 128 + number):
        mistakes.append(f"exit code {process.returncode}: {text}")
    mistakes += [f"process {pid} is left" for pid in marked_processes(mark)]
    mistakes += [f"tmp/{path.name} is left" for path in (folder / "tmp").iterdir()]
    mistakes += wrong_files(before, hashes(folder), folder)
    return Outcome(process.returncode, tuple(mistakes))


def wait_until_blocked(process: subprocess.Popen[bytes]) -> None:
    """Until the command waits for signals: the interpreter's own start comes before."""
    while process.poll() is None:
        status = Path(f"/proc/{process.pid}/status").read_text()
        blocked = next(line for line in status.splitlines() if line.startswith("SigBlk"))
        if int(blocked.split()[1], 16) >> (signal.SIGINT - 1) & 1:
            return
        time.sleep(0.001)


def marked_processes(mark: str) -> list[str]:
    """Processes that were started by a run and have not ended."""
    found: list[str] = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            if f"{MARK}={mark}".encode() in path.read_bytes():
                found.append(path.parent.name)
        except OSError:
            continue
    return found


def hashes(folder: Path) -> dict[str, str]:
    """Of all files in a folder but temporary ones."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.relative_to(folder).parts[0] != "tmp"
    }


def wrong_files(before: Mapping[str, str], after: Mapping[str, str], folder: Path) -> list[str]:
    """Files of the user's that changed, outputs that are not whole, and unknown names."""
    mistakes = [f"{name} is gone" for name in before if name not in after]
    for name, value in after.items():
        if name.split("/")[0] not in OUTPUTS:
            if before.get(name) != value:
                mistakes.append(f"{name} was changed or left")
        elif name.endswith(f"/{MINE}"):
            mistakes += [f"{name} was changed"] if before.get(name) != value else []
        elif "/" in name and not _is_listed(folder, name, value):
            mistakes.append(f"{name} is not what its manifest says")
    directories = [it for it in folder.iterdir() if it.is_dir() and it.name not in OUTPUTS]
    return mistakes + [f"{it.name} is left" for it in directories if it.name != "tmp"]


def _is_listed(folder: Path, name: str, value: str) -> bool:
    top, _, rest = name.partition("/")
    manifest = json.loads((folder / top / MANIFEST_NAME).read_text())
    return rest == MANIFEST_NAME or manifest["files"].get(rest) == value


def duration(case: Case, folder: Path) -> float:
    """Seconds of a run without an interrupt; it must succeed."""
    begin = time.monotonic()
    command = [str(BIN / case.program), *case.arguments]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return time.monotonic() - begin
