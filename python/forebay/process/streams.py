"""The standard streams of a command: a failed write gives an exit code and never a traceback."""

from __future__ import annotations

import codecs
import io
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from forebay.errors import Error

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

BROKEN_PIPE = 128 + signal.SIGPIPE
"""Exit code when the reader of the output has closed it, as for programs that SIGPIPE ends."""


class OutputError(Error):
    """Standard output cannot be written."""


class _Output(io.FileIO):
    """Standard output with its own error class, so that its errors differ from those of files."""

    def write(self, data: ReadableBuffer, /) -> int | None:
        try:
            return super().write(data)
        except BrokenPipeError:
            raise SystemExit(BROKEN_PIPE) from None
        except OSError as error:
            raise OutputError(f"standard output: {error.strerror}") from error


def open_missing() -> None:
    """Open `/dev/null` for closed standard streams, so that no other file gets their numbers.

    Reading from standard input then returns no data, and writing to standard output fails.
    """
    for number, flags in ((0, os.O_RDONLY), (1, os.O_RDONLY), (2, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            with suppress(OSError):
                opened = os.open(os.devnull, flags)
                if opened != number:
                    os.dup2(opened, number)
                    os.close(opened)
                os.set_inheritable(number, True)


def run_command(command: Callable[[], int]) -> int:
    """Run a command, flush standard output and return the exit code.

    The exit code is 1 when standard output cannot be written, and `BROKEN_PIPE` when its reader has
    closed it.
    """
    output = _output()
    sys.stdout = output
    if sys.stderr is None:
        sys.stderr = open(2, "w", errors="backslashreplace", closefd=False)  # noqa: SIM115
    try:
        status = command()
        output.flush()
    except SystemExit as end:
        status = _code(end)
        if status != BROKEN_PIPE:
            status = _flushed(output, status)
    except OutputError as error:
        status = _refused(error)
    return status


def _flushed(output: io.TextIOWrapper, status: int) -> int:
    try:
        output.flush()
    except OutputError as error:
        return _refused(error)
    except SystemExit as end:
        return _code(end)
    return status


def print_error(message: object) -> None:
    """Print a line on stderr; ignore the failure if stderr cannot be written."""
    with suppress(OSError, ValueError):
        print(message, file=sys.stderr, flush=True)


def _refused(error: OutputError) -> int:
    print_error(f"forebay: error: {error}")
    return 1


def _code(end: SystemExit) -> int:
    if end.code is None or isinstance(end.code, int):
        return end.code or 0
    print_error(end.code)
    return 1


def _output() -> io.TextIOWrapper:
    encoding = "utf-8" if sys.stdout is None else sys.stdout.encoding
    codecs.register_error("forebay", _as_bytes_or_escapes)
    raw = _Output(1, "w", closefd=False)
    return io.TextIOWrapper(
        io.BufferedWriter(raw), encoding=encoding, errors="forebay", line_buffering=raw.isatty()
    )


def _as_bytes_or_escapes(error: UnicodeError) -> tuple[str | bytes, int]:
    """Encode surrogates of file names as their original bytes, other characters as escapes.

    This function is an error handler for `codecs`.
    """
    try:
        return codecs.lookup_error("surrogateescape")(error)
    except UnicodeError:
        return codecs.lookup_error("backslashreplace")(error)
