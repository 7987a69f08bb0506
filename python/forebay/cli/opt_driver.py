"""The work of `forebay-opt` and `forebay-lsp-server`; importing this module loads MLIR."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import tempfile
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from mlir._mlir_libs import get_dialect_registry

import forebay.passes  # noqa: F401  # pyright: ignore[reportUnusedImport]  (registers)
from forebay._libs import _forebay
from forebay.errors import BugError, Error
from forebay.passes._pass import take_all_raised
from forebay.process.outcome import reported
from forebay.support.files import replaced_when_done, require_writable

LOAD = "--load-python-passes="
DEBUG = "--debug"
_OUTPUT = ("-o", "--o")


def run(argv: Sequence[str]) -> int:
    """Run `mlir-opt`'s main and return its exit code; write the whole output on success.

    `--debug` is not LLVM's flag of this name (which `-debug` is), but that of all our commands.
    """
    is_debugged = DEBUG in argv
    argv = [argument for argument in argv if argument != DEBUG]
    with reported("forebay-opt", is_debugged=is_debugged) as outcome:
        _load([it.removeprefix(LOAD) for it in argv[1:] if it.startswith(LOAD)])
        _require_unicode(argv)
        rest, output = _without_output([it for it in argv if not it.startswith(LOAD)])
        if output != "-":
            require_writable(Path(output))
        with tempfile.TemporaryDirectory(prefix="forebay-opt-") as folder:
            written = Path(folder, "output.mlir")
            arguments = [*rest, "-o", str(written)]
            signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # because LLVM prints itself
            outcome.code = _forebay.opt_main(arguments, get_dialect_registry())
            if outcome.code == 0 and written.exists():
                _deliver(written, output)
        _report_exceptions(is_debugged)
    return outcome.code


def _report_exceptions(is_debugged: bool) -> None:
    """Raise `BugError` for a bug of Forebay; with `is_debugged`, print tracebacks of user code."""
    for raised in take_all_raised():
        if raised.is_bug:
            raise BugError(raised.what) from raised.error
        if is_debugged and not isinstance(raised.error, Error):
            traceback.print_exception(raised.error)


def _load(paths: Sequence[str]) -> None:
    """Register the passes in the user's files."""
    if not paths:
        return
    from forebay.options.user_passes import load_file  # noqa: PLC0415  (40 ms that few runs need)

    for path in paths:
        load_file(Path(path))


def serve(argv: Sequence[str]) -> NoReturn:
    """Run the language server's main and exit the process.

    The exit skips Python's cleanup, because the server has destroyed the contexts already.
    """
    status = _forebay.lsp_server_main(list(argv), get_dialect_registry())
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def _without_output(argv: Sequence[str]) -> tuple[list[str], str]:
    """Return the other arguments, and the file of the last `-o`, by default standard output."""
    rest: list[str] = []
    output = "-"
    remaining = list(argv)
    while remaining:
        argument = remaining.pop(0)
        flag, equals, value = argument.partition("=")
        if flag not in _OUTPUT or (not equals and not remaining):
            rest.append(argument)
        else:
            output = value if equals else remaining.pop(0)
    return rest, output


def _require_unicode(argv: Sequence[str]) -> None:
    """Raise `Error` for file names that are not UTF-8, which MLIR's driver does not accept."""
    for argument in argv:
        if any("\udc80" <= character <= "\udcff" for character in argument):
            shown = os.fsencode(argument).decode("utf-8", "backslashreplace")
            raise Error(f"'{shown}' is not UTF-8; rename the file")


def _deliver(written: Path, output: str) -> None:
    with written.open("rb") as file:
        if output == "-":
            sys.stdout.flush()
            shutil.copyfileobj(file, sys.stdout.buffer)
        else:
            with replaced_when_done(Path(output)) as target:
                shutil.copyfileobj(file, target)
