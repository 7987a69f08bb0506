"""Standard streams of a command: every failure to write is an exit code, none a traceback."""

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
"""Exit code where nobody reads the output any more, as of programs that SIGPIPE ends."""


class OutputError(Error):
    """Standard output cannot be written."""


class _Output(io.FileIO):
    """Standard output, whose errors are told from those of files."""

    def write(self, data: ReadableBuffer, /) -> int | None:
        try:
            return super().write(data)
        except BrokenPipeError:
            raise SystemExit(BROKEN_PIPE) from None
        except OSError as error:
            raise OutputError(f"standard output: {error.strerror}") from error


def open_missing() -> None:
    """Give streams that were closed their numbers back, so that no file gets one of them.

    Reading gives nothing, and writing to standard output fails as it should.
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


def run(command: Callable[[], int]) -> int:
    """The exit code of a command that prints to standard output, all of it written."""
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


def tell(message: object) -> None:
    """Print a line on stderr, if there is one that can be written."""
    with suppress(OSError, ValueError):
        print(message, file=sys.stderr, flush=True)


def _refused(error: OutputError) -> int:
    tell(f"forebay: error: {error}")
    return 1


def _code(end: SystemExit) -> int:
    if end.code is None or isinstance(end.code, int):
        return end.code or 0
    tell(end.code)
    return 1


def _output() -> io.TextIOWrapper:
    encoding = "utf-8" if sys.stdout is None else sys.stdout.encoding
    codecs.register_error("forebay", _as_bytes_or_escapes)
    raw = _Output(1, "w", closefd=False)
    return io.TextIOWrapper(
        io.BufferedWriter(raw), encoding=encoding, errors="forebay", line_buffering=raw.isatty()
    )


def _as_bytes_or_escapes(error: UnicodeError) -> tuple[str | bytes, int]:
    """Names of files as the bytes that they are, what else has no code in ASCII."""
    try:
        return codecs.lookup_error("surrogateescape")(error)
    except UnicodeError:
        return codecs.lookup_error("backslashreplace")(error)
