"""What a supervised command leaves behind, and how it exits."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

PROGRAM = """
import os, signal, subprocess, sys, time
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # the tests may run under `nohup`
from pathlib import Path
from forebay.support import leftovers
from forebay.process.signals import block
from forebay.process.supervisor import supervise

def command():
{body}
    return 0

sys.exit(supervise("forebay", command, block()))
"""


def started(body: str, folder: Path) -> subprocess.Popen[str]:
    """A supervised command with this body, which prints a line when it is ready."""
    (folder / "tmp").mkdir(exist_ok=True)
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM.format(body=textwrap.indent(body, "    "))],
        cwd=folder,
        env={**os.environ, "TMPDIR": str(folder / "tmp")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def result(body: str, folder: Path) -> tuple[int, str]:
    """Exit code and errors of a command without an interrupt."""
    process = started(body, folder)
    _, errors = process.communicate()
    return process.returncode, errors


def interrupted(body: str, folder: Path, number: signal.Signals) -> tuple[int, str]:
    """Exit code and errors after a signal that is sent when the command is ready."""
    process = started(body, folder)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    process.send_signal(number)
    _, errors = process.communicate()
    return process.returncode, errors


READY = "print('ready', flush=True)\n"
LONG = f"{READY}time.sleep(600)\n"


def test_the_exit_code_is_the_command_s(tmp_path: Path) -> None:
    assert result("return 3\n", tmp_path) == (3, "")
    assert result("sys.exit(4)\n", tmp_path) == (4, "")


def test_products_of_matrices_wait_for_no_other_thread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With OpenBLAS's default, the threads of a busy machine wait for each other in loops."""
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    assert result("return int(os.environ['OPENBLAS_NUM_THREADS'])\n", tmp_path) == (1, "")


def test_the_user_s_setting_of_blas_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "20")
    assert result("return int(os.environ['OPENBLAS_NUM_THREADS'])\n", tmp_path) == (20, "")


def test_garbage_is_collected_seldom_but_is_collected(tmp_path: Path) -> None:
    body = "import gc\nreturn 7 if gc.isenabled() and gc.get_threshold()[0] > 130_000 else 8\n"
    assert result(body, tmp_path) == (7, "")


def test_libraries_are_bound_lazily_up_to_the_extension(tmp_path: Path) -> None:
    assert result("return sys.getdlopenflags()\n", tmp_path) == (os.RTLD_LAZY, "")
    body = "import forebay._libs\nreturn sys.getdlopenflags()\n"
    assert result(body, tmp_path) == (os.RTLD_NOW, "")


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (signal.SIGINT, "interrupted"),
        (signal.SIGTERM, "terminated"),
        (signal.SIGHUP, "terminated, the terminal is gone"),
    ],
)
def test_signals_have_exit_codes(number: signal.Signals, words: str, tmp_path: Path) -> None:
    assert interrupted(LONG, tmp_path, number) == (128 + number, f"forebay: {words}\n")


def test_code_that_never_returns_to_python_ends(tmp_path: Path) -> None:
    body = "import ctypes\nlibrary = ctypes.PyDLL(None)\n" + READY + "library.pause()\n"
    code, _ = interrupted(body, tmp_path, signal.SIGTERM)  # pause() keeps the interpreter's lock
    assert code == 143


def test_children_end_too(tmp_path: Path) -> None:
    body = (
        "child = subprocess.Popen(['sh', '-c', 'sleep 600 & echo $! > pid; wait'])\n"
        "while not (Path('pid').exists() and Path('pid').read_text()): time.sleep(0.01)\n"
    )
    code, _ = interrupted(body + LONG, tmp_path, signal.SIGINT)
    assert code == 130
    assert not Path(f"/proc/{int((tmp_path / 'pid').read_text())}").exists()


def test_temporary_files_are_removed(tmp_path: Path) -> None:
    body = (
        "import tempfile\n"
        "tempfile.mkdtemp()\n"
        "subprocess.run(['mktemp'], check=True, stdout=subprocess.DEVNULL)\n"
        "beside = Path('.report.json.1234')\n"
        "leftovers.will_create(beside)\n"
        "beside.write_text('half')\n"
        "for name in ('made/empty', 'kept/full'):\n"
        "    leftovers.will_need(Path(name).parent)\n"
        "    leftovers.will_need(Path(name))\n"
        "    Path(name).mkdir(parents=True)\n"
        "Path('kept/full/file').write_text('whole')\n"
    )
    code, _ = interrupted(body + LONG, tmp_path, signal.SIGTERM)
    assert code == 143
    left = sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*"))
    assert left == ["kept", "kept/full", "kept/full/file", "tmp"]


def test_renames_are_finished_first(tmp_path: Path) -> None:
    body = (
        "with leftovers.uninterrupted():\n"
        "    Path('first').write_text('')\n"
        "    print('ready', flush=True)\n"
        "    time.sleep(0.5)\n"
        "    Path('second').write_text('')\n"
        "time.sleep(600)\n"
    )
    assert interrupted(body, tmp_path, signal.SIGINT)[0] == 130
    assert (tmp_path / "second").exists()


@pytest.mark.parametrize(
    ("number", "code", "message"),
    [
        (signal.SIGSEGV, 70, "crashed (SIGSEGV): a bug of Forebay, or"),
        (signal.SIGABRT, 70, "crashed (SIGABRT): a bug of Forebay, or"),
        (signal.SIGKILL, 137, "was killed (SIGKILL), as systems do when memory runs out"),
        (signal.SIGPIPE, 141, ""),
    ],
)
def test_a_crash_is_one_line(
    number: signal.Signals, code: int, message: str, tmp_path: Path
) -> None:
    reset = "signal.signal(signal.SIGPIPE, signal.SIG_DFL)\nimport tempfile\ntempfile.mkdtemp()\n"
    found, errors = result(f"{reset}os.kill(os.getpid(), {int(number)})\n", tmp_path)
    assert found == code
    assert message in errors
    assert errors.count("\n") == bool(message)
    assert list((tmp_path / "tmp").iterdir()) == []


def test_the_worker_goes_with_its_supervisor(tmp_path: Path) -> None:
    process = started("print(os.getpid(), flush=True)\ntime.sleep(600)\n", tmp_path)
    assert process.stdout is not None
    worker = int(process.stdout.readline())
    process.kill()
    process.communicate()
    status = Path(f"/proc/{worker}/status")
    while status.exists() and "Z (zombie)" not in status.read_text():
        time.sleep(0.01)


def test_ctrl_z_stops_the_worker_too(tmp_path: Path) -> None:
    body = "print(os.getpid(), flush=True)\nwhile not Path('go').exists(): time.sleep(0.01)\n"
    process = started(body, tmp_path)
    assert process.stdout is not None
    worker = Path(f"/proc/{int(process.stdout.readline())}/status")
    process.send_signal(signal.SIGTSTP)
    while "T (stopped)" not in worker.read_text():
        time.sleep(0.01)
    (tmp_path / "go").write_text("")
    os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WNOWAIT)
    process.send_signal(signal.SIGCONT)
    process.communicate()
    assert process.returncode == 0


def test_a_command_that_cannot_be_loaded_gives_a_message(tmp_path: Path) -> None:
    code, errors = result("from forebay._libs._forebay import absent", tmp_path)
    traceback_head, *_, message = errors.splitlines()
    assert (code, traceback_head) == (70, "Traceback (most recent call last):")
    assert message.startswith("forebay: error: ImportError: cannot import name 'absent'")
    assert message.endswith("Please install Forebay again")
