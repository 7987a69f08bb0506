"""Conversion of exceptions to one line on stderr and an exit code."""

from __future__ import annotations

import traceback
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from forebay.errors import Error
from forebay.process.streams import BROKEN_PIPE, OutputError, print_error
from forebay.support.user_code import error_summary, location_of

BUG = 70
"""Exit code of a bug of Forebay, which no input should cause: EX_SOFTWARE of sysexits.h."""

INTERRUPTED = 130

_PACKAGE = Path(__file__).parents[1]


@dataclass
class _Outcome:
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
    except Error as error:
        if is_debugged and not isinstance(error, OutputError):
            traceback.print_exc()
        outcome.code = _told(f"{program}: error: {error}", 1)
    except KeyboardInterrupt:
        outcome.code = _told(f"{program}: interrupted", INTERRUPTED)
    except BrokenPipeError:
        outcome.code = BROKEN_PIPE
    except OSError as error:
        if is_debugged:
            traceback.print_exc()
        where = "" if error.filename is None else f"{error.filename}: "
        outcome.code = _told(f"{program}: error: {where}{error.strerror or error}", 1)
    except MemoryError:
        outcome.code = _told(f"{program}: error: there is not enough memory", 1)
    except Exception as error:
        if is_debugged:
            traceback.print_exc()
        place = location_of(error)
        if place is not None:
            outcome.code = _told(f"{program}: error: {place}: {error_summary(error)}", 1)
        else:
            outcome.code = _told(f"{program}: error: {_as_bug(error, is_debugged)}", BUG)


def _told(message: str, code: int) -> int:
    print_error(message)
    return code


def _as_bug(error: Exception, is_debugged: bool) -> str:
    """Return one line with the exception, its source line and a request to report the bug."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if _PACKAGE in Path(frame.filename).parents] or frames
    where = f" at {Path(own[-1].filename).name}:{own[-1].lineno}" if own else ""
    more = "" if is_debugged else "; --debug shows the traceback"
    return (
        f"this is a bug of Forebay: {error_summary(error)}{where}{more}. "
        "Please report it with the command and its files"
    )
