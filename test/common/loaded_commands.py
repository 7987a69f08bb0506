"""The commands `forebay` and `forebay-opt`, run in forks of a process that has loaded them.

Loading takes half a second of processor time, more than the work of most runs. A command in
`commands()` hands its arguments, folder, environment and standard streams over to this process, in
which the entry point of the real command runs in a fork. Tests of signals, of the terminal and of
the start itself need the real command.
"""

from __future__ import annotations

import json
import os
import select
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

NAMES = ("forebay", "forebay-opt")
CLIENT = """#!{python} -ISE
import json, os, socket, sys
server = socket.socket(socket.AF_UNIX)
server.connect({address!r})
request = json.dumps([{name!r}, sys.argv[1:], os.getcwd(), dict(os.environ)]).encode()
socket.send_fds(server, [len(request).to_bytes(8, "big")], [0, 1, 2])
server.sendall(request)
sys.exit(server.recv(1)[0])
"""


def run_forebay(*arguments: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run `forebay` in a folder and return its exit code and what it printed."""
    command = [str(commands() / "forebay"), *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


@cache
def commands() -> Path:
    """Return the folder of the commands; start the process, which ends with this one."""
    folder = Path(tempfile.mkdtemp(prefix="forebay-commands-"))
    address = str(folder / "socket")
    for name in NAMES:
        client = folder / name
        client.write_text(CLIENT.format(python=sys.executable, address=address, name=name))
        client.chmod(0o755)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(address)
        listening.listen()
        number = listening.fileno()
        # -I: this file's folder is not searched for modules
        command = [sys.executable, "-I", __file__, str(number), str(folder)]
        subprocess.Popen(command, pass_fds=[number], stdin=subprocess.PIPE)
    return folder


def _serve(listening: socket.socket) -> None:
    """Fork for each request until the process that started this one has ended."""
    entries = _loaded()
    while sys.stdin not in select.select([listening, sys.stdin], [], [])[0]:
        connection, _ = listening.accept()
        if os.fork() == 0:
            listening.close()
            _answer(connection, entries)
            os._exit(0)
        connection.close()
        with suppress(ChildProcessError):  # all have ended
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass


def _loaded() -> dict[str, Callable[[], int | None]]:
    """Load what the commands load while they work, and return their entry points by name."""
    from forebay.cli import main, opt, opt_driver  # noqa: F401
    from forebay.codegen.c.registry import printers
    from forebay.passes import pass_class, pass_names

    printers()
    for name in pass_names():
        pass_class(name)
    return {"forebay": main.main, "forebay-opt": opt.main}


def _answer(connection: socket.socket, entries: dict[str, Callable[[], int | None]]) -> None:
    """Run a command as the client asked, and send the exit code back."""
    length, streams, _, _ = socket.recv_fds(connection, 8, 3)
    request = b"".join(_received(connection, int.from_bytes(length, "big")))
    name, arguments, folder, environment = json.loads(request)
    sys.argv = [name, *arguments]
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    try:
        code = entries[name]()
    except SystemExit as ended:
        code = ended.code
    connection.send(bytes([int(code or 0)]))


def _received(connection: socket.socket, size: int) -> Iterator[bytes]:
    while size > 0:
        part = connection.recv(size)
        size -= len(part)
        yield part


if __name__ == "__main__":
    _serve(socket.socket(fileno=int(sys.argv[1])))
    shutil.rmtree(sys.argv[2])
