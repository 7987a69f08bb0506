"""A supervisor that runs a command in a worker process, which a signal can end at any moment.

The work is done by code that does not handle Python's signals: MLIR's passes, LLVM's JIT, the
planner's threads, a C compiler. Therefore the process that the user started does no work itself. It
waits for signals and for the worker. At SIGINT, SIGTERM or SIGHUP it ends the worker with all its
children and removes their temporary files:

    shell --- supervisor --- worker --- cc, qemu        (a process group of its own)
                 |  journal <-- |                       temporary names beside the user's files
                 |  permit  <-> |                       held by the worker while it renames

All other temporary files are in one folder, which is the worker's TMPDIR.
"""

from __future__ import annotations

import gc
import os
import select
import shutil
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from msgspec import Struct

from forebay.process import streams
from forebay.process.outcome import BUG
from forebay.process.signals import ENDING, awaited
from forebay.support import leftovers
from forebay.support.user_code import error_summary

_WORDS = {
    signal.SIGINT: "interrupted",
    signal.SIGTERM: "terminated",
    signal.SIGHUP: "terminated, the terminal is gone",
}
_PATIENCE = 10.0
"""Maximum seconds to wait until the worker returns the permit; renaming takes milliseconds."""

_GARBAGE_THRESHOLDS = (500_000, 10, 10)
"""Thresholds of the garbage collector. A compilation keeps about 130,000 objects and leaves few
thousand in reference cycles; the default of 700 takes a tenth of a small network's time."""

_SET_DEATH_SIGNAL, _SET_SUBREAPER = 1, 36  # of Linux's prctl


class _Worker(Struct, frozen=True):
    pid: int
    has_group: bool
    journal: int
    permit: int
    folder: str | None


def supervise(
    program: str, command: Callable[[], int], mask: set[int], *, own_group: bool = True
) -> int:
    """Run `command` in a worker process and return the exit code for the user.

    It is the exit code of the command, or 128 plus the number of the signal that ended it, or `BUG`
    after a crash. `mask` is the signal mask of the worker, which `signals.block` returned. With
    `own_group` the worker and its children get their own process group, and cannot read from the
    terminal.
    """
    streams.open_missing()
    worker = _started(program, command, own_group, mask)
    received = None
    try:
        received = _wait(worker)
    finally:
        status = _ended(worker, received is not None)
        _clean(worker)
    if received is None and os.WIFEXITED(status):
        return os.WEXITSTATUS(status)
    return _explained(program, received or signal.Signals(os.WTERMSIG(status)), received is None)


def _started(program: str, command: Callable[[], int], own_group: bool, mask: set[int]) -> _Worker:
    journal, journal_end = os.pipe()
    permit, permit_end = os.pipe()
    os.write(permit_end, b"p")
    folder = None
    with suppress(OSError):  # a command that needs the folder reports the error itself
        folder = tempfile.mkdtemp(prefix="forebay-")
    pid = os.fork()
    if pid == 0:
        if own_group:
            os.setpgid(0, 0)
        os.close(journal)
        _die_with_parent()
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        leftovers.connect(leftovers.Link(journal_end, permit, permit_end))
        _work(program, command, folder)
    if own_group:
        with suppress(OSError):  # the worker may already have set its group or ended
            os.setpgid(pid, pid)
    os.close(journal_end)
    return _Worker(pid, own_group, journal, permit, folder)


def _work(program: str, command: Callable[[], int], folder: str | None) -> NoReturn:
    """Run the command and exit without interpreter shutdown, in which libraries have crashed.

    A command reports its own exceptions. Only its import can raise one: if files are missing, or
    the extension and the Python files are of different versions.
    """
    status = BUG
    try:
        gc.set_threshold(*_GARBAGE_THRESHOLDS)
        # NumPy's OpenBLAS starts a thread per processor when it is loaded. They wait in loops, also
        # for each other: where something else runs on one of the processors, a product of matrices
        # that takes 0.1 ms takes up to 16 ms of processor time. All products here are small.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        # MLIR's library calls 23,000 functions of other libraries. Python has all of them looked up
        # when it loads a library; this way only those that are called are, which saves 0.01 s.
        sys.setdlopenflags(os.RTLD_LAZY)
        if folder is not None:
            os.environ["TMPDIR"] = tempfile.tempdir = folder
        status = streams.run_command(command)
    except Exception as error:
        traceback.print_exc()
        streams.print_error(
            f"{program}: error: {error_summary(error)}: the command cannot be loaded; parts of "
            "Forebay or of MLIR are missing or of another version. Please install Forebay again"
        )
    finally:
        os._exit(status)


def _wait(worker: _Worker) -> signal.Signals | None:
    """Wait for a signal that ends the command and return it; None when the worker has exited."""
    while True:
        number = signal.sigwait(awaited())
        if number in ENDING:
            return signal.Signals(number)
        if number == signal.SIGTSTP:
            _stop(worker)
        elif os.waitid(os.P_PID, worker.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None:
            return None


def _stop(worker: _Worker) -> None:
    """Stop the worker and this process on Ctrl-Z; continue the worker after this process."""
    _kill(worker, signal.SIGSTOP)
    os.kill(os.getpid(), signal.SIGSTOP)
    _kill(worker, signal.SIGCONT)


def _ended(worker: _Worker, is_asked: bool) -> int:
    """End the worker with all its children and return the worker's wait status.

    With `is_asked` (a signal arrived), it first waits up to `_PATIENCE` seconds until the worker
    has returned the permit, that is, until no rename is in progress.
    """
    if is_asked:
        _prctl(_SET_SUBREAPER, 1)  # so that its children can be waited for
        select.select([worker.permit], [], [], _PATIENCE)
    _kill(worker, signal.SIGKILL)
    _, status = os.waitpid(worker.pid, 0)
    if worker.has_group and is_asked:
        with suppress(ChildProcessError):
            while True:
                os.waitpid(-worker.pid, 0)
    return status


def _kill(worker: _Worker, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        if worker.has_group:
            os.killpg(worker.pid, number)
        else:
            os.kill(worker.pid, number)


def _clean(worker: _Worker) -> None:
    """Remove the temporary files that the journal lists, and the temporary folder."""
    os.set_blocking(worker.journal, False)
    entries = b""
    with suppress(BlockingIOError):
        while data := os.read(worker.journal, 65536):
            entries += data
    for entry in reversed(entries.split(b"\0")[:-1]):
        path = Path(os.fsdecode(entry[1:]))
        with suppress(OSError):
            if entry[:1] == leftovers.IF_EMPTY:
                path.rmdir()
            elif path.is_dir() and not path.is_symlink():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink()
    if worker.folder is not None:
        shutil.rmtree(worker.folder, ignore_errors=True)


def _explained(program: str, number: signal.Signals, is_unexpected: bool) -> int:
    """Print the reason of the end on stderr and return the exit code after a signal."""
    code = 128 + number
    if not is_unexpected or number in ENDING:
        text = f"{program}: {_WORDS[number]}"
    elif number == signal.SIGPIPE:
        return code
    elif number == signal.SIGKILL:
        text = f"{program}: error: was killed (SIGKILL), as systems do when memory runs out"
    else:
        code = BUG
        text = (
            f"{program}: error: crashed ({number.name}): a bug of Forebay, or a program whose data "
            "lead out of its buffers, which --engine emulator stops at the access; please report a "
            "bug with the command and its files"
        )
    after_progress = "\n" if sys.stderr is not None and sys.stderr.isatty() else ""
    streams.print_error(f"{after_progress}{text}")
    return code


def _die_with_parent() -> None:
    """Make the system kill this process when its parent dies; works on Linux only."""
    _prctl(_SET_DEATH_SIGNAL, signal.SIGKILL)


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        import ctypes  # noqa: PLC0415  (used only here, and only on Linux)

        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)
