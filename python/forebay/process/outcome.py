"""Conversion of exceptions to one line on stderr and an exit code."""

from __future__ import annotations

import traceback
from collections.abc import Generator
from contextlib import contextmanager

from msgspec import Struct

from forebay.errors import BugError, Error
from forebay.process.streams import BROKEN_PIPE, OutputError, print_error
from forebay.support.user_code import bug_summary, error_summary, location_of

BUG = 70
"""Exit code of a bug of Forebay, which no input should cause: EX_SOFTWARE of sysexits.h."""

INTERRUPTED = 130


class _Outcome(Struct):
    """The exit code of a block that runs in `reported`."""

    code: int = 0


@contextmanager
def reported(program: str, *, is_debugged: bool = False) -> Generator[_Outcome]:
    """Convert an exception of the block to one message on stderr and an exit code.

    The code is 1 for an error in the input or the system, and `BUG` for a bug of Forebay. With
    `is_debugged` the traceback is printed too.
    """
    outcome = _Outcome()
    try:
        yield outcome
    except KeyboardInterrupt:
        outcome.code = _exit_with(f"{program}: interrupted", INTERRUPTED)
    except BrokenPipeError:
        outcome.code = BROKEN_PIPE
    except Exception as error:
        if is_debugged and not isinstance(error, OutputError):
            traceback.print_exc()
        text, outcome.code = _explained(error, is_debugged)
        print_error(f"{program}: error: {text}")


def _explained(error: Exception, is_debugged: bool) -> tuple[str, int]:
    """Return the message and the exit code of an exception."""
    if isinstance(error, BugError):
        return _as_bug(str(error), is_debugged), BUG
    if isinstance(error, Error):
        where = error.location_text
        return (f"{where}: {error}" if where else str(error)), 1
    if isinstance(error, OSError):
        where = "" if error.filename is None else f"{error.filename}: "
        return f"{where}{error.strerror or error}", 1
    if isinstance(error, MemoryError):
        return "there is not enough memory", 1
    place = location_of(error)
    if place is not None:
        return f"{place}: {error_summary(error)}", 1
    return _as_bug(bug_summary(error), is_debugged), BUG


def _exit_with(message: str, code: int) -> int:
    print_error(message)
    return code


def _as_bug(what: str, is_debugged: bool) -> str:
    """Return one line with the exception, its source line, and what a report of the bug needs."""
    traceback_ = "this traceback" if is_debugged else "the traceback that --debug shows"
    return (
        f"this is a bug of Forebay: {what}. A report of it needs the command and its files, "
        f"{traceback_}, and what 'forebay doctor' prints"
    )
