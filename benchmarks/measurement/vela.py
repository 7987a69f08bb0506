"""Arm's Vela, the compiler to compare with: the same model to an Ethos-U55 command stream."""

import re
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from measurement.process import run

MISSING = (
    "vela is missing: its column stays empty. "
    "Put it on PATH or name it with --vela PATH (pip install ethos-u-vela, in its own environment)."
)


@dataclass(frozen=True)
class VelaRun:
    """One compilation by Vela; without operators on the NPU it planned nothing."""

    cpu_seconds: float
    peak_mib: float
    npu_operators: int


def find_vela(named: str | None) -> str | None:
    """Return the named command, which must exist, or the one in PATH."""
    command = shutil.which(named or "vela")
    if named and not command:
        raise SystemExit(f"--vela {named}: no such command")
    return command


def smallest_sram(vela: str, model: Path) -> int | None:
    """Return the bytes of SRAM of Vela's smallest schedule; None if it refuses the model.

    They are as Vela prints them, in KiB with two decimals.
    """
    with tempfile.TemporaryDirectory() as folder:
        options = ["--accelerator-config", "ethos-u55-128", "--optimise", "Size"]
        done = run([vela, str(model), *options, "--output-dir", folder])
    used = re.search(r"^Total SRAM used\s+([\d.]+) KiB", done.output, re.MULTILINE)
    return round(float(used[1]) * 1024) if used and not done.code else None


def compile_with_vela(vela: str, model: Path) -> VelaRun | None:
    """Compile the model in a fresh process; return None if Vela refuses it."""
    with tempfile.TemporaryDirectory() as folder:
        options = ["--accelerator-config", "ethos-u55-128", "--output-dir", folder]
        done = run([vela, str(model), *options])
    if done.code:
        return None
    npu = re.search(r"^NPU operators = (\d+)", done.output, re.MULTILINE)
    return VelaRun(done.cpu_seconds, done.peak_mib, int(npu[1]) if npu else 0)
