"""A command in a fresh process: its times and its own peak memory."""

import os
import subprocess
import tempfile
import time
from dataclasses import dataclass


@dataclass(frozen=True)
class Finished:
    """The result of a process and its children; `output` holds its stdout and stderr."""

    seconds: float
    cpu_seconds: float
    peak_mib: float
    code: int
    output: str


def run(command: list[str]) -> Finished:
    """Run the command to its end; the peak is the largest resident size of it or its children.

    Python may write bytecode, as it does for users; the first run of a command does so.
    """
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    with tempfile.TemporaryFile("w+") as output:
        begin = time.perf_counter()
        process = subprocess.Popen(
            command, stdout=output, stderr=subprocess.STDOUT, env=environment
        )
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        cpu = usage.ru_utime + usage.ru_stime
        return Finished(seconds, cpu, usage.ru_maxrss / 1024, process.returncode, output.read())
