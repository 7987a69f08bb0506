"""Tells the process that supervises this one what would be left behind if this one were ended.

A command runs in a worker process (`forebay.process.supervisor`). The supervisor may end it at any
moment, so the worker says beforehand which temporary files it makes beside the user's, and holds
the permit to be ended while it renames them. Without a supervisor, in a program of the user's own,
only the second matters: signals wait until the renames are done.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

WHOLE, IF_EMPTY = b"w", b"e"
"""How an entry of the journal begins: what is to be removed, and what only if it is empty."""


@dataclass
class Link:
    """The worker's ends of the pipes: paths go to `journal`, the permit is a byte in a pipe."""

    journal: int
    take_permit: int
    give_permit: int


_link: Link | None = None


def connect(link: Link) -> None:
    """Report to the supervisor at the other end."""
    global _link  # noqa: PLW0603  (one process has one supervisor)
    _link = link


def will_create(path: Path) -> None:
    """Say that a temporary file or directory of that name is about to be made."""
    _note(WHOLE, path)


def will_need(folder: Path) -> None:
    """Say that a directory is about to be made, of no use if it stays empty."""
    _note(IF_EMPTY, folder)


def _note(kind: bytes, path: Path) -> None:
    if _link is not None:
        os.write(_link.journal, kind + os.fsencode(path.absolute()) + b"\0")


@contextmanager
def uninterrupted() -> Generator[None]:
    """Around renames that belong together: signals end the process after them, not amidst."""
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
    """Let a signal that a Python function handles wait for the end of the block."""
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
