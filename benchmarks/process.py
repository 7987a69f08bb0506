"""A command in a fresh process: its wall time and its own peak memory."""

import os
import subprocess
import tempfile
import time
from dataclasses import dataclass


@dataclass(frozen=True)
class Finished:
    """The result of a process; `output` holds its stdout and stderr."""

    seconds: float
    peak_mib: float
    code: int
    output: str


def run(command: list[str]) -> Finished:
    """Run the command to its end; the peak is the largest resident size of it or its children."""
    with tempfile.TemporaryFile("w+") as output:
        begin = time.perf_counter()
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        return Finished(seconds, usage.ru_maxrss / 1024, process.returncode, output.read())
