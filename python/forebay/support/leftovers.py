"""Reports of temporary files to the supervisor process, and protection of renames from signals.

A command runs in a worker process (`forebay.process.supervisor`). The supervisor can end the worker
at any moment. Therefore the worker reports each temporary file beside the user's files before it
creates the file. While the worker renames files it takes the permit, which the supervisor waits for
before it ends the worker. In a user's own program there is no supervisor; then only the renames are
protected: signals wait for their end.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from msgspec import Struct

WHOLE, IF_EMPTY = b"w", b"e"
"""The first byte of a journal entry: remove the path, or remove the directory only if empty."""


class Link(Struct):
    """The worker's pipe ends (file descriptors).

    Paths are written to `journal`. The permit is one byte, which the worker reads from
    `take_permit` and writes back to `give_permit`.
    """

    journal: int
    take_permit: int
    give_permit: int


_link: Link | None = None


def connect(link: Link) -> None:
    """Use this link for all later reports to the supervisor."""
    global _link  # noqa: PLW0603  (one process has one supervisor)
    _link = link


def will_create(path: Path) -> None:
    """Report that a temporary file or directory at `path` is about to be created."""
    _note(WHOLE, path)


def will_need(folder: Path) -> None:
    """Report that a directory is about to be created; it is removed on exit only if it is empty."""
    _note(IF_EMPTY, folder)


def _note(kind: bytes, path: Path) -> None:
    if _link is not None:
        os.write(_link.journal, kind + os.fsencode(path.absolute()) + b"\0")


@contextmanager
def uninterrupted() -> Generator[None]:
    """Delay the end of the process by signals until the block, a group of renames, is complete."""
    if _link is not None:
        os.read(_link.take_permit, 1)
        try:
            yield
        finally:
            os.write(_link.give_permit, b"p")
        return
    with _delayed(signal.SIGINT), _delayed(signal.SIGTERM):
        yield


@contextmanager
def _delayed(number: signal.Signals) -> Generator[None]:
    """Delay a signal that has a Python handler until the end of the block."""
    handler = signal.getsignal(number)
    if not callable(handler) or threading.current_thread() is not threading.main_thread():
        yield
        return
    arrived: list[FrameType | None] = []
    signal.signal(number, lambda _, frame: arrived.append(frame))
    try:
        yield
    finally:
        signal.signal(number, handler)
    if arrived:
        handler(number, arrived[0])
